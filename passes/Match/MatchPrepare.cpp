//===- MatchPrepare.cpp - Cleanup that exposes chains of uses -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result is fused with the op that is its only user. Frontends hide such ops
// after flattening reshapes, and take dynamic sizes from results, which is a
// use, too. Both are rewritten here if they do not read elements. Zero points
// that are 0 are dropped; others are taken out (MatchZeroPoints.cpp).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Match/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

namespace {
/// The constants that ops fold to, as the canonicalizer finds them.
using Constants = DenseMap<Value, Attribute>;
} // namespace

/// Adds the constant results of `op`, whose operands come before it.
static void addConstants(Operation *op, Constants &constants) {
  if (op->getNumRegions() || op->getNumResults() != 1 || !isPure(op) ||
      !op->getResult(0).getType().isIntOrIndex())
    return;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    if (Attribute constant = constants.lookup(operand))
      operands.push_back(constant);
  SmallVector<OpFoldResult> folded;
  if (operands.size() != op->getNumOperands() ||
      failed(op->fold(operands, folded)) || folded.empty())
    return;
  auto value = dyn_cast<Value>(folded.front());
  if (Attribute constant =
          value ? constants.lookup(value) : cast<Attribute>(folded.front()))
    constants[op->getResult(0)] = constant;
}

/// Moves the constant dimension of `op` from below 0 to the rank.
template <typename DimOpT>
static bool moveNegativeDim(DimOpT op, const Constants &constants) {
  auto dim = dyn_cast_if_present<IntegerAttr>(constants.lookup(op.getIndex()));
  auto type = dyn_cast<ShapedType>(op.getSource().getType());
  if (!dim || dim.getInt() >= 0 || !type || !type.hasRank())
    return false;
  OpBuilder builder(op);
  op.getIndexMutable().assign(
      arith::ConstantIndexOp::create(builder, op.getLoc(), type.getRank()));
  return true;
}

bool match::moveNegativeDims(Operation *root) {
  bool hasMoved = false;
  Constants constants;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      hasMoved |= moveNegativeDim(dim, constants);
    else if (auto dim = dyn_cast<memref::DimOp>(op))
      hasMoved |= moveNegativeDim(dim, constants);
    else
      addConstants(op, constants);
  });
  return hasMoved;
}

/// Moves to a value whose size `dim` is that of `value`, and which does not
/// depend on the elements of `value`. Returns false if there is none.
static bool moveToSizeSource(Value &value, int64_t &dim) {
  if (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
    return true;
  }
  if (auto op = value.getDefiningOp<MatmulOp>()) {
    value = op.getC();
    return true;
  }
  if (auto op = value.getDefiningOp<tensor::CastOp>();
      op && isa<RankedTensorType>(op.getSource().getType())) {
    value = op.getSource();
    return true;
  }
  if (Operation *op = value.getDefiningOp();
      op && OpTrait::hasElementwiseMappableTraits(op)) {
    auto tensors =
        llvm::make_filter_range(op->getOperands(), [](Value operand) {
          return isa<RankedTensorType>(operand.getType());
        });
    if (tensors.empty())
      return false;
    value = *tensors.begin();
    return true;
  }
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return false;
  std::optional<int64_t> only =
      onlyDim(collapse.getSrcType(), collapse.getReassociationIndices()[dim]);
  if (!only || *only == kOne)
    return false;
  value = collapse.getSrc();
  dim = *only;
  return true;
}

OpFoldResult match::sizeOf(OpBuilder &builder, Location loc, Value tensor,
                           int64_t dim) {
  while (moveToSizeSource(tensor, dim)) {
  }
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[dim];
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.isDynamicDim(dim)) {
    if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
      return splat.getDynamicSizes()[type.getDynamicDimIndex(dim)];
    if (auto generate = tensor.getDefiningOp<tensor::GenerateOp>())
      return generate.getDynamicExtents()[type.getDynamicDimIndex(dim)];
  }
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getMixedOutputShape()[dim];
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
      collapse && collapse.getResultType().isDynamicDim(dim)) {
    Value size;
    for (int64_t part : collapse.getReassociationIndices()[dim]) {
      Value factor = getValueOrCreateConstantIndexOp(
          builder, loc, sizeOf(builder, loc, collapse.getSrc(), part));
      size = size ? arith::MulIOp::create(builder, loc, size, factor) : factor;
    }
    return size;
  }
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

namespace {
/// Replaces `tensor.dim` of a result by that of its destination.
struct DimOfResult : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = op.getConstantIndex();
    Value value = op.getSource();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    // A dimension that does not exist is undefined, and may be out of range.
    if (!dim || !type || *dim < 0 || *dim >= type.getRank())
      return rewriter.notifyMatchFailure(op, "no dimension of the result");
    if (!moveToSizeSource(value, *dim))
      return rewriter.notifyMatchFailure(op, "not the size of a result");
    OpFoldResult size = sizeOf(rewriter, op.getLoc(), value, *dim);
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
    return success();
  }
};
} // namespace

namespace {
/// A matmul with zero points that are 0 becomes the plain one.
template <typename Quantized, typename Plain>
struct WithoutZeroPoints : OpRewritePattern<Quantized> {
  using OpRewritePattern<Quantized>::OpRewritePattern;

  LogicalResult matchAndRewrite(Quantized op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs(op.getInputs());
    auto isZero = [](Value value) { return matchPattern(value, m_Zero()); };
    if (inputs.size() != 4 || !isZero(inputs[2]) || !isZero(inputs[3]))
      return rewriter.notifyMatchFailure(op, "a zero point may not be 0");
    auto plain =
        Plain::create(rewriter, op.getLoc(), op->getResultTypes(),
                      ValueRange{inputs[0], inputs[1]}, op.getOutputs());
    plain->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, plain->getResults());
    return success();
  }
};
} // namespace

void match::prepare(Operation *root, bool splitsZeroPoints) {
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  if (splitsZeroPoints)
    populateZeroPointPatterns(patterns);
  patterns.add<
      DimOfResult,
      WithoutZeroPoints<linalg::QuantizedMatmulOp, linalg::MatmulOp>,
      WithoutZeroPoints<linalg::QuantizedBatchMatmulOp, linalg::BatchMatmulOp>>(
      context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  // No other rewrites may run.
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // Without a fixed point fewer chains are exposed, but the IR is correct.
  (void)applyPatternsGreedily(root, std::move(patterns), config);
}
