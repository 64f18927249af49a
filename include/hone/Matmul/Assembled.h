//===- Assembled.h - ptxas's report on matmuls ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `hone explain --assemble`: builds and lowers the kernels of a scheduled
// module and runs ptxas on them. Needs the CUDA toolkit, no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_ASSEMBLED_H
#define HONE_MATMUL_ASSEMBLED_H

#include "hone/Assemble/Assemble.h"
#include "mlir/IR/BuiltinOps.h"

namespace hone {

/// For each matmul of a module after hone-select-schedule, in order: the report
/// on the kernels that its launch may run, the preferred one first. Works on a
/// copy. A matmul on the host has none.
llvm::Expected<std::vector<std::vector<KernelReport>>>
assembleMatmuls(mlir::ModuleOp scheduled);

} // namespace hone

#endif // HONE_MATMUL_ASSEMBLED_H
