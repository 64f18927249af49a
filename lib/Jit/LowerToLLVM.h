//===- LowerToLLVM.h - Lowering of host code to LLVM ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of a Jit's copy of a module.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_JIT_LOWERTOLLVM_H
#define HONE_LIB_JIT_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hone::jit {

/// Drops binaries that no op launches by name: after translation, the program
/// would load them at its start, with a runtime that may be missing.
void dropUnusedBinaries(mlir::ModuleOp module);

/// Lowers everything in `module` but its GPU binaries to the LLVM dialect.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module);

/// Rewrites that upstream's lowerings of host code lack, or do slowly:
/// transposes in registers, math functions on whole vectors, copies between
/// strided memrefs.
std::unique_ptr<mlir::Pass> createLowerVectorsPass();

} // namespace hone::jit

#endif // HONE_LIB_JIT_LOWERTOLLVM_H
