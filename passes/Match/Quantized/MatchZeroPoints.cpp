//===- MatchZeroPoints.cpp - Integer products with zero points ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor cores multiply i8 and subtract nothing. The program adds modulo 2^32,
// too. There the sum over K of (a - za) (b - zb) is
//
//   sum of a b  -  za * (sum of b)  -  zb * (sum of a)  +  K za zb
//
// so a product with zero points becomes the plain product and an elementwise op
// after it, which moves into its epilogue. The sums of b and of a, one for each
// column and row, are products with a vector of ones, which share the kernels
// of other products; the sums of a constant are computed here. A zero point of
// 0, which weights have, costs nothing.
//
//===----------------------------------------------------------------------===//

#include "ZeroPoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The operand of `op` whose element is `value`; null if there is none.
static OpOperand *inputOf(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return &op->getOpOperand(argument.getArgNumber());
}

bool Scalar::isZero() const {
  if (constant)
    return cast<IntegerAttr>(constant).getValue().isZero();
  if (!value)
    return true;
  Value narrow = skipExtensions(value);
  if (OpOperand *input = body ? inputOf(body, narrow) : nullptr)
    narrow = input->get();
  return matchPattern(narrow, m_Zero());
}

/// True if `value`, of the body of `op`, is the same for all elements and cheap
/// to compute outside.
static bool isScalar(linalg::LinalgOp op, Value value) {
  if (value.getParentBlock() != op.getBlock())
    return true;
  if (OpOperand *input = inputOf(op, value))
    return op.getMatchingIndexingMap(input).getNumResults() == 0;
  Operation *definition = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::ConstantOp, arith::ExtSIOp,
                       arith::ExtUIOp, arith::MulIOp, arith::SubIOp,
                       arith::TruncIOp>(definition))
    return false;
  return llvm::all_of(definition->getOperands(),
                      [&](Value operand) { return isScalar(op, operand); });
}

/// Writes `value`, for which isScalar is true, at the insertion point.
static Value hoist(OpBuilder &builder, linalg::LinalgOp op, Value value) {
  if (value.getParentBlock() != op.getBlock())
    return value;
  if (OpOperand *input = inputOf(op, value))
    return isa<ShapedType>(input->get().getType())
               ? Value(tensor::ExtractOp::create(builder, op.getLoc(),
                                                 input->get(), ValueRange()))
               : input->get();
  Operation *definition = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : definition->getOperands())
    mapping.map(operand, hoist(builder, op, operand));
  return builder.clone(*definition, mapping)->getResult(0);
}

static Value write(OpBuilder &builder, Location loc, const Scalar &scalar) {
  if (scalar.constant)
    return arith::ConstantOp::create(builder, loc, scalar.constant);
  return scalar.body ? hoist(builder, scalar.body, scalar.value) : scalar.value;
}

static bool isI32(Value value) {
  return getElementTypeOrSelf(value).isSignlessInteger(32);
}

/// Reads `value` of a body as an extended i8 minus a scalar. Returns the
/// operand with the i8.
static OpOperand *readDifference(linalg::LinalgOp op, Value value,
                                 Scalar &zeroPoint) {
  if (auto difference = value.getDefiningOp<arith::SubIOp>();
      difference && difference->getBlock() == op.getBlock()) {
    if (!isScalar(op, difference.getRhs()))
      return nullptr;
    zeroPoint = {op, difference.getRhs(), {}};
    value = difference.getLhs();
  }
  auto extension = value.getDefiningOp<arith::ExtSIOp>();
  if (!extension || !isI32(value) ||
      !extension.getIn().getType().isSignlessInteger(8))
    return nullptr;
  OpOperand *input = inputOf(op, extension.getIn());
  return input && isa<RankedTensorType>(input->get().getType()) ? input
                                                                : nullptr;
}

/// The scalar that all elements of the tensor `value` equal.
static std::optional<Scalar> readSplat(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), value.getContext());
  FailureOr<Source> source = resolveSource(value, map);
  if (failed(source) || !source->casts.empty())
    return std::nullopt;
  if (source->constant)
    return Scalar{{}, {}, source->constant};
  if (isa<ShapedType>(source->value.getType()))
    return std::nullopt;
  return Scalar{{}, source->value, {}};
}

/// Reads the result of an elementwise op, or of an op on whole tensors, as a
/// factor: i8 elements minus a zero point.
static std::optional<Factor> readTensor(Value value, AffineMap map) {
  Factor factor = {value, map, {}};
  if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    std::optional<Scalar> zeroPoint = readSplat(difference.getRhs());
    if (!zeroPoint)
      return std::nullopt;
    factor.zeroPoint = *zeroPoint;
    value = difference.getLhs();
  }
  if (auto extension = value.getDefiningOp<arith::ExtSIOp>()) {
    factor.tensor = extension.getIn();
    bool isByte = getElementTypeOrSelf(factor.tensor).isSignlessInteger(8);
    return isByte ? std::optional(factor) : std::nullopt;
  }
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || value != factor.tensor || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops())
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  OpOperand *input = readDifference(
      op, op.getBlock()->getTerminator()->getOperand(0), factor.zeroPoint);
  if (!input || !result.isPermutation())
    return std::nullopt;
  factor.tensor = input->get();
  factor.map = op.getMatchingIndexingMap(input)
                   .compose(inversePermutation(result))
                   .compose(map);
  return factor;
}

static std::optional<Factor> readFactor(linalg::LinalgOp op, Value value) {
  if (!isI32(value))
    return std::nullopt;
  if (OpOperand *wide = inputOf(op, value)) {
    if (!isa<RankedTensorType>(wide->get().getType()))
      return std::nullopt;
    return readTensor(wide->get(), op.getMatchingIndexingMap(wide));
  }
  Factor factor;
  OpOperand *input = readDifference(op, value, factor.zeroPoint);
  if (!input)
    return std::nullopt;
  factor.tensor = input->get();
  factor.map = op.getMatchingIndexingMap(input);
  return factor;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

namespace {
/// Splits a product whose zero points are not known to be 0.
struct SplitZeroPoints : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// The loops that are summed over, if both factors have all of them with known
/// extents, and all indices are plain loops.
static std::optional<SmallVector<unsigned>>
reductionsOf(linalg::LinalgOp op, const Factor &a, const Factor &b) {
  AffineMap c = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineMap map : {a.map, b.map, c})
    if (!map.isProjectedPermutation())
      return std::nullopt;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned loop : reductions)
    if (ShapedType::isDynamic(op.getStaticLoopRanges()[loop]) ||
        !a.map.isFunctionOfDim(loop) || !b.map.isFunctionOfDim(loop))
      return std::nullopt;
  // A row of A, and a column of B, is also one of C.
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(reductions, loop) && !c.isFunctionOfDim(loop))
      return std::nullopt;
  return reductions;
}

/// The plain product of a and b, with the start of `op`.
static Value multiply(OpBuilder &builder, linalg::LinalgOp op, const Factor &a,
                      const Factor &b) {
  Value start = op.getDpsInits().front();
  AffineMap maps[] = {a.map, b.map,
                      op.getMatchingIndexingMap(op.getDpsInitOperand(0))};
  auto plain = linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(start.getType()),
      ValueRange{a.tensor, b.tensor}, ValueRange(start), maps,
      op.getIteratorTypesArray(), writeProduct);
  plain->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return plain.getResult(0);
}

/// The product, minus each zero point times the sum of the other factor, plus
/// that of both.
static void writeSubtraction(OpBuilder &builder, Location loc, ValueRange args,
                             ArrayRef<Value> zeroPoints, int64_t terms) {
  Value rest = args[0];
  for (auto [i, zeroPoint] : llvm::enumerate(zeroPoints))
    rest = arith::SubIOp::create(
        builder, loc, rest,
        arith::MulIOp::create(builder, loc, args[1 + i], zeroPoint));
  if (zeroPoints.size() == 2) {
    Value both =
        arith::MulIOp::create(builder, loc, zeroPoints[0], zeroPoints[1]);
    Value count = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(int32_t(terms)));
    rest = arith::AddIOp::create(
        builder, loc, rest, arith::MulIOp::create(builder, loc, both, count));
  }
  linalg::YieldOp::create(builder, loc, rest);
}

/// The plain product without the terms of zero points: an elementwise op.
static linalg::GenericOp subtractZeroPoints(PatternRewriter &rewriter,
                                            linalg::LinalgOp op,
                                            const Factor &a, const Factor &b,
                                            ArrayRef<unsigned> reductions) {
  Location loc = op.getLoc();
  int64_t terms = 1;
  for (unsigned loop : reductions)
    terms *= op.getStaticLoopRanges()[loop];
  AffineMap c = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap identity = rewriter.getMultiDimIdentityMap(c.getNumResults());
  SmallVector<Value> inputs = {Value()}; // the product
  SmallVector<AffineMap> maps = {identity};
  auto add = [&](const Sums &sums) {
    SmallVector<AffineExpr> dims;
    for (unsigned loop : sums.loops)
      dims.push_back(rewriter.getAffineDimExpr(
          *c.getResultPosition(rewriter.getAffineDimExpr(loop))));
    inputs.push_back(sums.tensor);
    maps.push_back(
        AffineMap::get(c.getNumResults(), 0, dims, rewriter.getContext()));
  };
  // Pairs each zero point with the sums of the other factor.
  SmallVector<Value> zeroPoints;
  for (auto [factor, other] : {std::pair(&a, &b), {&b, &a}})
    if (!factor->zeroPoint.isZero()) {
      zeroPoints.push_back(write(rewriter, loc, factor->zeroPoint));
      add(sumUp(rewriter, op, *other, reductions));
    }
  Value plain = inputs.front() = multiply(rewriter, op, a, b);
  maps.push_back(identity);
  auto type = cast<RankedTensorType>(plain.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(match::sizeOf(rewriter, loc, plain, dim));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  auto subtract = [&](OpBuilder &builder, Location loc, ValueRange args) {
    writeSubtraction(builder, loc, args, zeroPoints, terms);
  };
  return linalg::GenericOp::create(rewriter, loc, TypeRange(type), inputs,
                                   ValueRange(empty), maps,
                                   loopsOf(c.getNumResults(), 0), subtract);
}

LogicalResult
SplitZeroPoints::matchAndRewrite(linalg::LinalgOp op,
                                 PatternRewriter &rewriter) const {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return failure();
  std::optional<Product> product = readBody(op);
  if (!product || !product->sumType.isSignlessInteger(32))
    return failure();
  std::optional<Factor> a = readFactor(op, product->wideLeft);
  std::optional<Factor> b = readFactor(op, product->wideRight);
  if (!a || !b || (a->zeroPoint.isZero() && b->zeroPoint.isZero()))
    return failure();
  std::optional<SmallVector<unsigned>> reductions = reductionsOf(op, *a, *b);
  if (!reductions)
    return rewriter.notifyMatchFailure(op, "not sums along known extents");
  rewriter.replaceOp(op, subtractZeroPoints(rewriter, op, *a, *b, *reductions));
  return success();
}

void match::populateZeroPointPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitZeroPoints>(patterns.getContext());
}
