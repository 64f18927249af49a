//===- EpilogueMath.h - Epilogue ops as plain instructions ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels link against no device library, and an unresolved call to one passes
// silently into the PTX. So the lowering expands every math op of an epilogue
// before an upstream conversion can turn it into a call.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_EPILOGUEMATH_H
#define HONE_PASSES_LOWER_EPILOGUEMATH_H

#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace hone {

/// The result of `op`, a scalar op of an epilogue, on `operands`, which replace
/// its own. Emits arith ops, LLVM intrinsics that have an instruction, and NVVM
/// intrinsics, so the arith and LLVM dialects must be loaded; error bounds are
/// in EpilogueFormulas.h. f16 and bf16 functions are computed in f32. Null,
/// with nothing emitted, if the op needs no expansion or is not supported:
/// then, and only then, emit a clone of it.
mlir::Value expandMath(mlir::OpBuilder &builder, mlir::Operation *op,
                       mlir::ValueRange operands);

/// The LLVM op that computes `op`, whose lowering is `intrinsic`.
mlir::Value emitIntrinsic(mlir::OpBuilder &builder, mlir::Location loc,
                          const ScalarOp &op, mlir::ValueRange operands);

} // namespace hone

#endif // HONE_PASSES_LOWER_EPILOGUEMATH_H
