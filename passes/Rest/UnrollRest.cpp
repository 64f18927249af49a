//===- UnrollRest.cpp - Small reductions as elementwise ops ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction of a few elements across lines, such as a depthwise convolution
// or a pool with channels last, becomes an elementwise op whose body loads all
// of them, in the order of the loops. Elementwise ops then fuse with it, and a
// thread takes several neighbours of a line at once. A padding in front becomes
// a comparison of each position: no padded image is made.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "passes/Rest/Rest.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Which ops
//===----------------------------------------------------------------------===//

/// A limit on the elements that a body loads of each operand.
static constexpr int64_t kMaxElements = 64;
/// Reductions of fewer elements without windows are always those of one thread,
/// so the number of results does not change the order of a sum.
static constexpr int64_t kMaxInThread = 32;

static bool isSumOfLoops(AffineMap map) {
  bool isSum = true;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    isSum &= !binary || expr.getKind() == AffineExprKind::Add ||
             (expr.getKind() == AffineExprKind::Mul &&
              isa<AffineConstantExpr>(binary.getRHS()));
  });
  return isSum;
}

/// True if neighbours along `loop` are neighbours in the operand's lines, or
/// one element.
static bool runsAlong(AffineMap map, unsigned loop) {
  if (!map.isFunctionOfDim(loop))
    return true;
  return map.getResults().back() == getAffineDimExpr(loop, map.getContext()) &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
           return expr.isFunctionOfDim(loop);
         });
}

/// True if `op` reduces a few elements for each of many results, or windows of
/// an image, and neighbours of a result's line read neighbours of lines.
static bool isUnrolled(linalg::GenericOp op, const Arch &arch) {
  RestStep step = RestStep::of(op);
  int64_t elements = step.countOf(step.reduced);
  if (!op.hasPureTensorSemantics() || step.reduced.empty() ||
      step.parallel.empty() || ShapedType::isDynamic(elements) ||
      elements < 2 || elements > kMaxElements || op.hasIndexSemantics() ||
      !llvm::all_of(op.getBody()->without_terminator(),
                    [](Operation &inner) { return isRestScalar(&inner); }))
    return false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() ||
        map != op.getIndexingMapsArray().back() ||
        map.getNumResults() != step.parallel.size())
      return false;
  }
  unsigned last =
      op.getIndexingMapsArray().back().getDimPosition(step.parallel.size() - 1);
  bool hasWindows = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isSumOfLoops(map) || !runsAlong(map, last))
      return false;
    hasWindows |= llvm::any_of(map.getResults(), [](AffineExpr expr) {
      return isa<AffineBinaryOpExpr>(expr);
    });
  }
  int64_t results = step.countOf(step.parallel);
  bool isMany = !ShapedType::isDynamic(results) &&
                results >= arch.processors * int64_t(256);
  int64_t line = step.extents[last];
  return !ShapedType::isDynamic(line) && line % 2 == 0 &&
         (hasWindows || (isMany && elements < kMaxInThread));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// An operand that a body loads from: the source of its padding, if it has one.
struct Source {
  Value tensor;
  TypedAttr outside; ///< the value outside of the source; null if there is none
  SmallVector<int64_t> low;
  SmallVector<bool> isPadded; ///< by dimension

  static Source of(Value value);
};

/// Writes the body of one op, whose loops are those of its results.
class Unroller {
public:
  Unroller(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), op(op), step(RestStep::of(op)) {}
  void run();

private:
  void takeOperands();
  void writeBody(OpBuilder &builder, Location loc, ValueRange arguments);
  Value indexOf(OpBuilder &builder, AffineExpr expr);
  std::pair<Value, Value> limited(OpBuilder &builder, AffineExpr expr,
                                  int64_t extent);
  Value load(OpBuilder &builder, OpOperand &operand, const Source &source,
             ArrayRef<int64_t> point);
  AffineMap ofResult(AffineMap map) const;

  RewriterBase &rewriter;
  linalg::GenericOp op;
  RestStep step;
  Location loc = op.getLoc();
  SmallVector<AffineExpr> loops; ///< of the new op, by old parallel loop
  SmallVector<std::optional<Source>> sources; ///< by input
  SmallVector<Value> inputs, inits, starts;
  SmallVector<AffineMap> inputMaps;
  llvm::DenseMap<AffineExpr, Value> indices;
  llvm::DenseMap<std::pair<AffineExpr, int64_t>, std::pair<Value, Value>>
      limits;
};
} // namespace

Source Source::of(Value value) {
  Source source{value, {}, {}, {}};
  auto pad = value.getDefiningOp<tensor::PadOp>();
  Attribute outside;
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || !matchPattern(padding, m_Constant(&outside)) ||
      llvm::is_contained(pad.getStaticLow(), ShapedType::kDynamic))
    return source;
  llvm::SmallBitVector padded = pad.getPaddedDims();
  RankedTensorType type = pad.getSourceType();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (padded[dim] && type.isDynamicDim(dim))
      return source;
    source.isPadded.push_back(padded[dim]);
  }
  source.tensor = pad.getSource();
  source.outside = dyn_cast<TypedAttr>(outside);
  llvm::append_range(source.low, pad.getStaticLow());
  return source;
}

/// `map` over the loops of the new op; its old reduced loops are 0.
AffineMap Unroller::ofResult(AffineMap map) const {
  return map.replaceDimsAndSymbols(loops, {}, step.parallel.size(), 0);
}

void Unroller::takeOperands() {
  MLIRContext *context = op.getContext();
  AffineMap result = op.getIndexingMapsArray().back();
  loops.assign(op.getNumLoops(), getAffineConstantExpr(0, context));
  for (unsigned i = 0; i < result.getNumResults(); ++i)
    loops[result.getDimPosition(i)] = getAffineDimExpr(i, context);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isSame = llvm::none_of(
        step.reduced, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
    bool isTensor = isa<RankedTensorType>(input->get().getType());
    if (isSame && (!isTensor || map.isProjectedPermutation())) {
      sources.push_back(std::nullopt);
      inputs.push_back(input->get());
      inputMaps.push_back(ofResult(map));
    } else {
      sources.push_back(Source::of(input->get()));
    }
  }
  // Sums start from a constant, or from the elements of a tensor.
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    bool isConstant = fill && matchPattern(fill.value(), m_Constant());
    inits.push_back(isConstant ? fill.output() : init.get());
    starts.push_back(isConstant ? fill.value() : Value());
    if (isConstant || !op.payloadUsesValueFromOperand(&init))
      continue;
    inputs.push_back(init.get());
    inputMaps.push_back(ofResult(op.getMatchingIndexingMap(&init)));
  }
}

/// The number that `expr` is, which may be negative.
Value Unroller::indexOf(OpBuilder &builder, AffineExpr expr) {
  Value &known = indices[expr];
  if (known)
    return known;
  Value value;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    value = linalg::IndexOp::create(builder, loc, dim.getPosition());
  } else if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    value = arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value a = indexOf(builder, binary.getLHS());
    Value b = indexOf(builder, binary.getRHS());
    value = expr.getKind() == AffineExprKind::Add
                ? arith::AddIOp::create(builder, loc, a, b).getResult()
                : arith::MulIOp::create(builder, loc, a, b).getResult();
  }
  return indices[expr] = value;
}

/// A position, 0 if it is outside of the extent, and whether it is inside.
std::pair<Value, Value> Unroller::limited(OpBuilder &builder, AffineExpr expr,
                                          int64_t extent) {
  auto [found, isNew] = limits.try_emplace({expr, extent});
  if (!isNew)
    return found->second;
  Value at = indexOf(builder, expr);
  Value end = arith::ConstantIndexOp::create(builder, loc, extent);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  // A negative number counts as a large one.
  Value isInside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at, end);
  at = arith::SelectOp::create(builder, loc, isInside, at, zero);
  return limits[{expr, extent}] = {at, isInside};
}

/// The element that `operand` has at a point of the reduced loops.
Value Unroller::load(OpBuilder &builder, OpOperand &operand,
                     const Source &source, ArrayRef<int64_t> point) {
  SmallVector<AffineExpr> at(loops);
  for (auto [loop, position] : llvm::zip_equal(step.reduced, point))
    at[loop] = getAffineConstantExpr(position, op.getContext());
  AffineMap map = op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(
      at, {}, step.parallel.size(), 0);
  auto type = cast<RankedTensorType>(source.tensor.getType());
  SmallVector<Value> where;
  Value isInside;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (!source.outside || !source.isPadded[dim]) {
      where.push_back(indexOf(builder, expr));
      continue;
    }
    auto [index, own] =
        limited(builder, expr - source.low[dim], type.getDimSize(dim));
    where.push_back(index);
    isInside =
        isInside ? arith::AndIOp::create(builder, loc, isInside, own) : own;
  }
  Value value = tensor::ExtractOp::create(builder, loc, source.tensor, where);
  if (!isInside)
    return value;
  Value outside = arith::ConstantOp::create(builder, loc, source.outside);
  return arith::SelectOp::create(builder, loc, isInside, value, outside);
}

/// `op` as a sum and a product in one, if it adds an exact product: one of two
/// factors of f16 has 22 bits.
static void fuseExactProduct(OpBuilder &builder, Operation *op) {
  auto sum = dyn_cast<arith::AddFOp>(op);
  if (!sum || !sum.getType().isF32())
    return;
  auto isOfHalf = [](Value value) {
    auto wide = value.getDefiningOp<arith::ExtFOp>();
    return wide && wide.getIn().getType().isF16();
  };
  for (auto [product, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                                std::pair(sum.getRhs(), sum.getLhs())}) {
    auto times = product.getDefiningOp<arith::MulFOp>();
    if (!times || !times->hasOneUse() || !isOfHalf(times.getLhs()) ||
        !isOfHalf(times.getRhs()))
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(sum);
    Value both = math::FmaOp::create(builder, sum.getLoc(), times.getLhs(),
                                     times.getRhs(), other);
    sum.getResult().replaceAllUsesWith(both);
    sum.erase();
    times.erase();
    return;
  }
}

void Unroller::writeBody(OpBuilder &builder, Location loc,
                         ValueRange arguments) {
  SmallVector<int64_t> extents = llvm::map_to_vector(
      step.reduced, [&](unsigned loop) { return step.extents[loop]; });
  SmallVector<Value> sums(starts);
  size_t next = llvm::count(sources, std::nullopt);
  for (auto [sum, init] : llvm::zip_equal(sums, op.getDpsInitsMutable()))
    if (!sum && op.payloadUsesValueFromOperand(&init))
      sum = arguments[next++];
  auto strides = computeStrides(extents);
  for (int64_t i = 0; i < step.countOf(step.reduced); ++i) {
    SmallVector<int64_t> point = delinearize(i, strides);
    IRMapping mapping;
    unsigned argument = 0;
    for (auto [input, source] :
         llvm::zip_equal(op.getDpsInputOperands(), sources)) {
      Value value;
      if (!source)
        value = arguments[argument++];
      else if (op.payloadUsesValueFromOperand(input))
        value = load(builder, *input, *source, point);
      if (value)
        mapping.map(op.getMatchingBlockArgument(input), value);
    }
    for (auto [sum, own] : llvm::zip_equal(sums, op.getRegionOutputArgs()))
      if (sum)
        mapping.map(own, sum);
    for (Operation &inner : op.getBody()->without_terminator())
      builder.clone(inner, mapping);
    for (auto [sum, yielded] :
         llvm::zip_equal(sums, op.getBody()->getTerminator()->getOperands()))
      sum = mapping.lookupOrDefault(yielded);
  }
  linalg::YieldOp::create(builder, loc, sums);
  for (Operation &inner :
       llvm::make_early_inc_range(*builder.getInsertionBlock()))
    fuseExactProduct(builder, &inner);
}

void Unroller::run() {
  takeOperands();
  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps(inputMaps);
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(ofResult(op.getMatchingIndexingMap(&init)));
  SmallVector<utils::IteratorType> kinds(step.parallel.size(),
                                         utils::IteratorType::parallel);
  auto unrolled = linalg::GenericOp::create(
      rewriter, loc, op.getResultTypes(), inputs, inits, maps, kinds,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        writeBody(builder, loc, arguments);
      });
  rewriter.replaceOp(op, unrolled);
}

void hone::unrollReductions(Operation *module, const Arch &arch) {
  SmallVector<linalg::GenericOp> ops;
  module->walk([&](linalg::GenericOp op) {
    if (isUnrolled(op, arch))
      ops.push_back(op);
  });
  IRRewriter rewriter(module->getContext());
  for (linalg::GenericOp op : ops)
    Unroller(rewriter, op).run();
}
