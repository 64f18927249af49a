//===- LowerVectors.cpp - Efficient vector code for the CPU ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three rewrites before upstream's lowerings. Without the first two the result
// is correct but slow: one insertion per element for a transpose, one library
// call per element for a math function on a vector. Without the third, a copy
// between strided memrefs calls a function of MLIR's runner library, which a
// program that embeds Hone lacks.
//
//===----------------------------------------------------------------------===//

#include "LowerToLLVM.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Turns rows into columns by interleaving. With four rows of n elements
///
///   interleave(interleave(r0, r2), interleave(r1, r3))
///
/// is r0[0] r1[0] r2[0] r3[0] r0[1] ...: the transposed matrix, row by row.
/// Each level halves the number of vectors and is one two-input shuffle per
/// machine register.
static LogicalResult transposeByInterleaving(vector::TransposeOp op,
                                             PatternRewriter &rewriter) {
  VectorType type = op.getSourceVectorType();
  if (type.getRank() != 2 || type.isScalable() ||
      op.getPermutation() != ArrayRef<int64_t>{1, 0})
    return rewriter.notifyMatchFailure(op, "expected a fixed-size matrix");
  if (!llvm::isPowerOf2_64(type.getDimSize(0)))
    return rewriter.notifyMatchFailure(op, "expected 2^n rows");

  Location loc = op.getLoc();
  SmallVector<Value> rows;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    rows.push_back(vector::ExtractOp::create(rewriter, loc, op.getVector(), i));
  while (rows.size() > 1) {
    size_t half = rows.size() / 2;
    for (size_t i = 0; i < half; ++i)
      rows[i] =
          vector::InterleaveOp::create(rewriter, loc, rows[i], rows[i + half]);
    rows.truncate(half);
  }
  rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, op.getType(), rows[0]);
  return success();
}

/// A copy that is not contiguous becomes a loop.
static LogicalResult copyByLoop(memref::CopyOp op, PatternRewriter &rewriter) {
  auto isOneBlock = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type && type.getLayout().isIdentity();
  };
  if (isOneBlock(op.getSource()) && isOneBlock(op.getTarget()))
    return rewriter.notifyMatchFailure(op, "a memcpy will do");
  linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                           op.getTarget());
  rewriter.eraseOp(op);
  return success();
}

namespace {
struct LowerVectorsPass
    : PassWrapper<LowerVectorsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerVectorsPass)

  StringRef getArgument() const override { return "hone-jit-lower-vectors"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(transposeByInterleaving).add(copyByLoop);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))) ||
        failed(approximateMath()))
      signalPassFailure();
  }

private:
  /// Replaces math functions on f32 vectors by polynomials. Scalars keep their
  /// library calls, which are more accurate and not slower.
  LogicalResult approximateMath() {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      const hone::ScalarOp *row = hone::findScalarOp(name);
      return row && row->is(hone::ScalarOp::vectorized);
    });
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          llvm::all_of(op->getResultTypes(), llvm::IsaPred<VectorType>))
        ops.push_back(op);
    });
    auto config = GreedyRewriteConfig().setStrictness(
        GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(ops, std::move(patterns), config);
  }
};
} // namespace

std::unique_ptr<Pass> hone::jit::createLowerVectorsPass() {
  return std::make_unique<LowerVectorsPass>();
}
