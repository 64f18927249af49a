//===- MatchScales.cpp - Scales moved from operands to the result ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that dequantises its operands multiplies them by a scale and then
// with each other. The narrow elements, which the tensor cores could multiply,
// are then nowhere in memory: A and B look like f32. A scale that does not vary
// with k can be a factor of the sum instead:
//
//   sum over k of (s * a) * b   ->   s * sum over k of a * b
//
// The op is rewritten on elements without their scales. An elementwise op after
// it multiplies by all scales, and later analyses treat that op like any other.
// Roundings change:
//
//   s * a is rounded to    | moved
//   -----------------------|---------------------------------------------------
//   f32                    | always: one rounding of the sum replaces one for
//                          | each element, and the sum, of exact
//                          | elements, is no less accurate than it was
//   f16, bf16              | where no product is rounded, because s is a power
//                          | of two; or by permission
//
// No scale moves unless the factors become narrower.
//
//===----------------------------------------------------------------------===//

#include "ScaleMover.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// The place of a scale
//===----------------------------------------------------------------------===//

/// Follows a value of a body down to the value that it is converted from. The
/// types that it is converted to are put in front of `casts`.
static Value originBeforeCasts(Value value, SmallVectorImpl<Type> &casts) {
  while (Operation *before = value.getDefiningOp()) {
    auto truncation = dyn_cast<arith::TruncFOp>(before);
    if (!isa<arith::ExtFOp>(before) &&
        !(truncation && !truncation.getRoundingmodeAttr()))
      break;
    casts.insert(casts.begin(), value.getType());
    value = before->getOperand(0);
  }
  return value;
}

/// The origin of a scale that the body of `producer` reads, in the dimensions
/// of that op's loops.
FailureOr<Source> ScaleMover::sourceOf(linalg::LinalgOp producer, Value scale) {
  SmallVector<Type> casts;
  Value from = originBeforeCasts(scale, casts);
  FailureOr<Source> source = Source();
  auto argument = dyn_cast<BlockArgument>(from);
  bool isOwn = argument && argument.getOwner() == producer.getBlock();
  if (isOwn && argument.getArgNumber() >= producer.getNumDpsInputs())
    return failure();
  if (isOwn) {
    OpOperand *operand = producer.getMatchingOpOperand(argument);
    source =
        resolveSource(operand->get(), producer.getMatchingIndexingMap(operand));
    if (failed(source))
      return failure();
    source->casts.append(casts.begin(), casts.end());
    return source;
  }
  Operation *before = from.getDefiningOp();
  TypedAttr constant;
  if (matchPattern(from, m_Constant(&constant)) && casts.empty())
    source->constant = constant;
  else if (before && producer->isProperAncestor(before))
    return failure();
  source->value = from;
  source->casts = casts;
  return source;
}

/// The scale's place in C, if the dimensions of its op run over `loops` of the
/// product. Fails if it varies with k, or along a part of a dimension.
FailureOr<Scale> ScaleMover::place(const Source &source,
                                   ArrayRef<Pieces> loops) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : source.dims) {
    if (dim == kOne || loops[dim].empty()) {
      exprs.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    const Piece &piece = loops[dim].front();
    int64_t extent = extents[piece.loop];
    std::optional<unsigned> inC =
        ofC.getResultPosition(getAffineDimExpr(piece.loop, context));
    if (loops[dim].size() > 1 || piece.high != extent || piece.low != 1 || !inC)
      return failure();
    exprs.push_back(getAffineDimExpr(*inC, context));
  }
  Type element = source.constant ? source.constant.getType()
                                 : getElementTypeOrSelf(source.value.getType());
  if (!isa<FloatType>(element) || !toElementType(element))
    return failure();
  return Scale{source, AffineMap::get(ofC.getNumResults(), 0, exprs, context)};
}

/// True if `type` holds every product of `element` and two to the power of
/// `exponent` exactly, and sums of such products round like sums of the
/// elements.
static bool isExact(Type element, FloatType type, int exponent) {
  constexpr int kMax = 64;
  if (!type.isF16())
    return std::abs(exponent) <= kMax;
  // From the smallest subnormal number of both to the largest.
  if (isa<Float8E4M3FNType>(element))
    return exponent >= -15 && exponent <= 7;
  return isa<Float8E5M2Type>(element) && exponent >= -8 && exponent <= 0;
}

bool ScaleMover::mayMove(const ScaledValue &scaled, const Scale &scale) {
  if (permitted == Scales::moved || scaled.rounded.isF32())
    return true;
  auto number = dyn_cast_if_present<FloatAttr>(scale.source.constant);
  int exponent =
      number ? number.getValue().getExactLog2Abs() : APFloat::IEK_NaN;
  return exponent > APFloat::IEK_NaN &&
         isExact(getElementTypeOrSelf(skipWidenings(scaled.main).getType()),
                 scaled.rounded, exponent);
}

//===----------------------------------------------------------------------===//
// Values without their scales
//===----------------------------------------------------------------------===//

/// The result of `producer` without the scale in `product`. If an element is
/// then only extended, with any types in between, the result is one extension.
Value ScaleMover::withoutScale(linalg::LinalgOp producer, unsigned result,
                               arith::MulFOp product,
                               const ScaledValue &scaled) {
  OpOperand *init = producer.getDpsInitOperand(result);
  SmallVector<Value> inputs = producer.getDpsInputs();
  SmallVector<AffineMap> maps;
  for (OpOperand *input : producer.getDpsInputOperands())
    maps.push_back(producer.getMatchingIndexingMap(input));
  maps.push_back(producer.getMatchingIndexingMap(init));
  Block *body = producer.getBlock();
  Value yielded = body->getTerminator()->getOperand(result);
  Value narrow = skipWidenings(scaled.main);
  bool widens = narrow.getType().getIntOrFloatBitWidth() <
                Type(scaled.rounded).getIntOrFloatBitWidth();
  auto build = [&](OpBuilder &builder, Location, ValueRange elements) {
    IRMapping mapping;
    for (size_t i = 0; i < inputs.size(); ++i)
      mapping.map(body->getArgument(i), elements[i]);
    llvm::SetVector<Operation *> needed = expressionOf(yielded, body);
    for (Operation &inner : body->without_terminator()) {
      if (&inner == product)
        mapping.map(product.getResult(), mapping.lookupOrDefault(scaled.main));
      else if (needed.contains(&inner))
        builder.clone(inner, mapping);
    }
    Value value = mapping.lookupOrDefault(yielded);
    if (widens)
      value = convertScalar(builder, loc, mapping.lookupOrDefault(narrow),
                            yielded.getType());
    linalg::YieldOp::create(builder, loc, value);
  };
  return linalg::GenericOp::create(rewriter, loc, init->get().getType(), inputs,
                                   init->get(), maps,
                                   producer.getIteratorTypesArray(), build)
      .getResult(0);
}

FailureOr<Scale> ScaleMover::peelElementwise(const Access &access,
                                             Value &unscaled) {
  auto producer = access.value.getDefiningOp<linalg::LinalgOp>();
  if (!producer || !producer.hasPureTensorSemantics() ||
      producer.getNumLoops() != producer.getNumParallelLoops())
    return failure();
  unsigned result = cast<OpResult>(access.value).getResultNumber();
  OpOperand *init = producer.getDpsInitOperand(result);
  AffineMap written = producer.getMatchingIndexingMap(init);
  if (!written.isPermutation() || producer.payloadUsesValueFromOperand(init))
    return failure();
  SmallVector<Type> casts;
  Value yielded = producer.getBlock()->getTerminator()->getOperand(result);
  auto product =
      originBeforeCasts(yielded, casts).getDefiningOp<arith::MulFOp>();
  if (!product || product->getBlock() != producer.getBlock())
    return failure();
  auto rounded = cast<FloatType>(product.getType());
  for (Type type : casts)
    if (type.getIntOrFloatBitWidth() < rounded.getWidth())
      rounded = cast<FloatType>(type);
  SmallVector<Pieces> loops(producer.getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(written.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = access.dims[dim];
  for (bool isRight : {true, false}) {
    ScaledValue scaled = {product->getOperand(!isRight),
                          product->getOperand(isRight), rounded};
    FailureOr<Source> source = sourceOf(producer, scaled.scale);
    if (failed(source))
      continue;
    FailureOr<Scale> scale = place(*source, loops);
    if (failed(scale) || !mayMove(scaled, *scale))
      continue;
    unscaled = withoutScale(producer, result, product, scaled);
    return scale;
  }
  return failure();
}

/// The same for arith.mulf on tensors.
FailureOr<Scale> ScaleMover::peelTensors(const Access &access,
                                         Value &unscaled) {
  auto product = access.value.getDefiningOp<arith::MulFOp>();
  auto type = dyn_cast<RankedTensorType>(access.value.getType());
  if (!product || !type)
    return failure();
  auto identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
  for (bool isRight : {true, false}) {
    ScaledValue scaled = {product->getOperand(!isRight),
                          product->getOperand(isRight),
                          cast<FloatType>(type.getElementType())};
    FailureOr<Source> source = resolveSource(scaled.scale, identity);
    if (failed(source))
      continue;
    FailureOr<Scale> scale = place(*source, access.dims);
    if (failed(scale) || !mayMove(scaled, *scale))
      continue;
    unscaled = scaled.main;
    return scale;
  }
  return failure();
}

/// Repeats the program's ops from the farthest of `accesses` on `unscaled`.
Value ScaleMover::repeatChain(ArrayRef<Access> accesses, Value unscaled) {
  IRMapping mapping;
  mapping.map(accesses.back().value, unscaled);
  for (const Access &access : llvm::reverse(accesses.drop_back()))
    rewriter.clone(*access.value.getDefiningOp(), mapping);
  return mapping.lookup(accesses.front().value);
}

FailureOr<Scale> ScaleMover::peel(ArrayRef<Access> accesses, Value &unscaled) {
  if (accesses.empty())
    return failure();
  FailureOr<Scale> scale = peelElementwise(accesses.back(), unscaled);
  if (failed(scale))
    scale = peelTensors(accesses.back(), unscaled);
  if (succeeded(scale))
    unscaled = repeatChain(accesses, unscaled);
  return scale;
}

//===----------------------------------------------------------------------===//
// Both sides
//===----------------------------------------------------------------------===//

FailureOr<Rescaled> ScaleMover::move() {
  for (unsigned index : {0, 1}) {
    Value unscaled;
    FailureOr<Scale> scale = peel(accessesOf(op, index), unscaled);
    if (failed(scale))
      continue;
    linalg::LinalgOp sum = makeSum(index, unscaled);
    return Rescaled{sum, multiplySum(sum->getResult(0), *scale)};
  }
  return failure();
}

/// True if an op has a form that allows to take out a scale.
static bool isCandidate(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return false;
  std::optional<Product> product = readBody(op);
  AffineMap ofC = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return product && isPlain(op, *product) && isa<FloatType>(product->sumType) &&
         ofC.isProjectedPermutation();
}

FailureOr<Rescaled> match::moveScales(RewriterBase &rewriter,
                                      linalg::LinalgOp op, Scales permitted) {
  if (permitted == Scales::kept || !isCandidate(op))
    return failure();
  rewriter.setInsertionPoint(op);
  FailureOr<Rescaled> moved = ScaleMover(rewriter, op, permitted).move();
  if (failed(moved))
    return failure();
  for (;;) {
    rewriter.setInsertionPointAfter(moved->op);
    FailureOr<Rescaled> more =
        ScaleMover(rewriter, moved->op, permitted).move();
    if (failed(more))
      break;
    rewriter.replaceOp(moved->op, more->result);
    moved->op = more->op;
  }
  // Scales that hide no narrower factors stay where they are.
  std::optional<unsigned> before = factorBits(op),
                          after = factorBits(moved->op);
  moved->isNarrower = after && (!before || *after < *before);
  return moved;
}
