//===- ScaleMover.h - One scale moved to the sums ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MatchScales.cpp finds a scale and takes it out of an operand, ScaledProduct.cpp
// writes the product without it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MATCH_QUANTIZED_SCALEMOVER_H
#define HONE_PASSES_MATCH_QUANTIZED_SCALEMOVER_H

#include "mlir/IR/PatternMatch.h"
#include "passes/Match/Match.h"
#include "passes/Passes.h"

namespace hone::match {

/// The scale of an operand's elements, and the dimensions of C that it has.
struct Scale {
  Source source;
  mlir::AffineMap map;
};

/// An elementwise product that yields an operand.
struct ScaledValue {
  mlir::Value main, scale;
  /// The narrowest type that the product is rounded to.
  mlir::FloatType rounded;
};

class ScaleMover {
public:
  ScaleMover(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
             Scales permitted)
      : rewriter(rewriter), op(op), permitted(permitted), loc(op.getLoc()),
        extents(op.getStaticLoopRanges()),
        ofC(op.getMatchingIndexingMap(op.getDpsInitOperand(0))) {}

  /// Writes the op with one scale less on either side; fails if there is none.
  mlir::FailureOr<Rescaled> move();

private:
  mlir::FailureOr<Scale> peel(mlir::ArrayRef<Access> accesses,
                              mlir::Value &unscaled);
  mlir::FailureOr<Scale> peelElementwise(const Access &access,
                                         mlir::Value &unscaled);
  mlir::FailureOr<Scale> peelTensors(const Access &access,
                                     mlir::Value &unscaled);
  mlir::FailureOr<Source> sourceOf(mlir::linalg::LinalgOp producer,
                                   mlir::Value scale);
  mlir::FailureOr<Scale> place(const Source &source,
                               mlir::ArrayRef<Pieces> loops);
  bool mayMove(const ScaledValue &scaled, const Scale &scale);
  mlir::Value withoutScale(mlir::linalg::LinalgOp producer, unsigned result,
                           mlir::arith::MulFOp product,
                           const ScaledValue &scaled);
  mlir::Value repeatChain(mlir::ArrayRef<Access> accesses,
                          mlir::Value unscaled);
  mlir::linalg::LinalgOp makeSum(unsigned index, mlir::Value unscaled);
  mlir::Value multiplySum(mlir::Value sum, const Scale &scale);
  mlir::Value newTensor(mlir::Type element);

  mlir::RewriterBase &rewriter;
  mlir::linalg::LinalgOp op;
  Scales permitted;
  mlir::Location loc;
  mlir::SmallVector<int64_t> extents;
  mlir::AffineMap ofC;
};

} // namespace hone::match

#endif // HONE_PASSES_MATCH_QUANTIZED_SCALEMOVER_H
