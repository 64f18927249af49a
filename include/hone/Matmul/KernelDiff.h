//===- KernelDiff.h - Diff of kernels ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_KERNELDIFF_H
#define HONE_MATMUL_KERNELDIFF_H

#include "mlir/IR/BuiltinOps.h"

namespace hone {

/// Prints the lines of the kernels of two modules with a sign: '-' is removed,
/// '+' is new. Some lines around them, or all, are printed too. Differences in
/// the numbers of values and kernels are ignored: these change with every op
/// before them.
void printKernelDiff(mlir::ModuleOp before, mlir::ModuleOp after, bool whole);

} // namespace hone

#endif // HONE_MATMUL_KERNELDIFF_H
