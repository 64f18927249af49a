//===- ZeroPoints.h - Factors with zero points, and their sums --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MatchZeroPoints.cpp splits the product, ZeroPointSums.cpp writes the sums that
// zero points are multiplied with.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_QUANTIZED_ZEROPOINTS_H
#define HONE_PASSES_MATCH_QUANTIZED_ZEROPOINTS_H

#include "passes/Match/Match.h"

namespace hone::match {

/// A scalar i32: a value of a body or captured by it, a constant, or a given
/// value.
struct Scalar {
  mlir::linalg::LinalgOp body; ///< null: `value` is given
  mlir::Value value;           ///< null, without a constant: 0
  mlir::TypedAttr constant;

  bool isZero() const;
};

/// An i8 element of a tensor, minus its zero point.
struct Factor {
  mlir::Value tensor;
  mlir::AffineMap map; ///< from the loops of the product
  Scalar zeroPoint;
};

/// The sums of a factor over the loops that the product sums over.
struct Sums {
  mlir::Value tensor;
  mlir::SmallVector<unsigned> loops; ///< of the product, one for each dimension
};

/// The sums of `factor` over `reductions`, a product with ones unless it is a
/// constant.
Sums sumUp(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
           const Factor &factor, mlir::ArrayRef<unsigned> reductions);

/// Iterators of parallel loops, then of reductions.
mlir::SmallVector<mlir::utils::IteratorType> loopsOf(size_t parallel,
                                                     size_t reductions);
/// sum + a * b, of i8 or of the types that they are extended to.
void writeProduct(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::ValueRange args);

} // namespace hone::match

#endif // HONE_PASSES_MATCH_QUANTIZED_ZEROPOINTS_H
