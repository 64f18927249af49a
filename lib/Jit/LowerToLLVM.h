//===- LowerToLLVM.h - Host code to the LLVM dialect ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering that a Jit runs on its copy of a module.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_JIT_LOWERTOLLVM_H
#define HONE_LIB_JIT_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::jit {

/// Drops binaries that no op launches by name: translation would have the
/// program load them when it starts, with a runtime that may not be there.
void dropUnusedBinaries(mlir::ModuleOp module);

/// Lowers everything in `module` but its GPU binaries to the LLVM dialect.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module);

/// What upstream's lowerings of host code do not do, or do slowly: transposes
/// in registers, math functions on whole vectors, copies between strided
/// memrefs.
std::unique_ptr<mlir::Pass> createLowerVectorsPass();

} // namespace hone::jit

#endif // HONE_LIB_JIT_LOWERTOLLVM_H
