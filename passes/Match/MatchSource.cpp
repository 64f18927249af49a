//===- MatchSource.cpp - Origins of broadcast values ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An elementwise op rarely reads a bias directly: frontends broadcast,
// transpose, convert, fill and add dimensions of one element first. An epilogue
// reads a value by its own dimensions and converts elements itself, so the
// analysis looks through all of these ops.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Looking through one op
//===----------------------------------------------------------------------===//

/// The value that `value` is converted from, if the conversion has the default
/// rounding mode. The types that it is converted to go in front of `casts`.
/// Null if `value` is not a conversion.
static Value convertedFrom(Value value, SmallVectorImpl<Type> &casts) {
  Operation *op = value.getDefiningOp();
  auto truncation = dyn_cast_or_null<arith::TruncFOp>(op);
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::SIToFPOp>(op) &&
      !(truncation && !truncation.getRoundingmodeAttr()))
    return {};
  casts.insert(casts.begin(), getElementTypeOrSelf(value.getType()));
  return op->getOperand(0);
}

namespace {
/// An op that copies the elements of `input`, perhaps with a conversion.
struct Copy {
  Value input;
  AffineMap map; ///< from the dimensions of the copy to those of the input
  SmallVector<Type> casts;
};
} // namespace

static std::optional<Copy> readCopy(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInputs() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!result.isPermutation())
    return std::nullopt;
  Copy copy;
  Value element = op.getBlock()->getTerminator()->getOperand(0);
  while (Value before = convertedFrom(element, copy.casts))
    element = before;
  OpOperand *input = op.getDpsInputOperand(0);
  if (element != op.getMatchingBlockArgument(input))
    return std::nullopt;
  copy.input = input->get();
  copy.map =
      op.getMatchingIndexingMap(input).compose(inversePermutation(result));
  return copy;
}

/// The dimension that each result of `map` selects from `dims`.
static std::optional<SmallVector<int64_t>> applyMap(AffineMap map,
                                                    ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(dims[dim.getPosition()]);
    else if (auto zero = dyn_cast<AffineConstantExpr>(expr);
             zero && zero.getValue() == 0)
      result.push_back(kOne);
    else
      return std::nullopt;
  }
  return result;
}

std::optional<int64_t> match::onlyDim(ShapedType type,
                                      ArrayRef<int64_t> group) {
  int64_t only = kOne;
  for (int64_t dim : group) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (only != kOne)
      return std::nullopt;
    only = dim;
  }
  return only;
}

/// Dimensions of the source of a reshape that changes unit dimensions only.
static std::optional<SmallVector<int64_t>>
throughExpand(tensor::ExpandShapeOp op, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    std::optional<int64_t> dim = onlyDim(op.getResultType(), group);
    if (!dim)
      return std::nullopt;
    result.push_back(*dim == kOne ? kOne : dims[*dim]);
  }
  return result;
}

static std::optional<SmallVector<int64_t>>
throughCollapse(tensor::CollapseShapeOp op, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result(op.getSrcType().getRank(), kOne);
  for (auto [index, group] : llvm::enumerate(op.getReassociationIndices())) {
    std::optional<int64_t> dim = onlyDim(op.getSrcType(), group);
    if (!dim)
      return std::nullopt;
    if (*dim != kOne)
      result[*dim] = dims[index];
  }
  return result;
}

/// The only element of a tensor, if `value` extracts it.
static Value onlyElementOf(Value value) {
  auto extract = value.getDefiningOp<tensor::ExtractOp>();
  if (!extract)
    return {};
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  bool isOnly = type.hasStaticShape() && type.getNumElements() == 1;
  return isOnly ? extract.getTensor() : Value();
}

/// Moves `source` one op up. Returns false if its op is opaque.
static bool lookThrough(Source &source) {
  Value value = source.value, after;
  std::optional<SmallVector<int64_t>> dims;
  if (auto copy = readCopy(value)) {
    after = copy->input;
    dims = applyMap(copy->map, source.dims);
    if (dims)
      source.casts.insert(source.casts.begin(), copy->casts.begin(),
                          copy->casts.end());
  } else if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>()) {
    after = expand.getSrc();
    dims = throughExpand(expand, source.dims);
  } else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
    after = collapse.getSrc();
    dims = throughCollapse(collapse, source.dims);
  } else if (auto splat = value.getDefiningOp<tensor::SplatOp>()) {
    after = splat.getInput();
    dims.emplace();
  } else if (Value tensor = onlyElementOf(value)) {
    after = tensor;
    dims.emplace(cast<ShapedType>(tensor.getType()).getRank(), kOne);
  } else if (auto change = value.getDefiningOp<tensor::CastOp>();
             change && isa<RankedTensorType>(change.getSource().getType())) {
    after = change.getSource();
    dims = source.dims;
  } else if (Value before = convertedFrom(value, source.casts)) {
    after = before;
    dims = source.dims;
  }
  if (!dims)
    return false;
  source.value = after;
  source.dims = *dims;
  return true;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The constant that `body` yields; null if it yields another value.
static TypedAttr yieldedConstant(Block &body) {
  TypedAttr result;
  matchPattern(body.getTerminator()->getOperand(0), m_Constant(&result));
  return result;
}

/// The constant that all elements of `value` equal.
static TypedAttr constantElement(Value value) {
  TypedAttr result;
  DenseElementsAttr elements;
  if (!isa<ShapedType>(value.getType())) {
    matchPattern(value, m_Constant(&result));
    return result;
  }
  if (matchPattern(value, m_Constant(&elements)))
    return elements.isSplat()
               ? dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>())
               : TypedAttr();
  if (auto generate = value.getDefiningOp<tensor::GenerateOp>())
    return yieldedConstant(generate.getBody().front());
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (op && op->getNumResults() == 1 &&
      op.getNumLoops() == op.getNumParallelLoops())
    return yieldedConstant(*op.getBlock());
  return {};
}

/// `constant` converted to `type`; integers are signed.
static TypedAttr castConstant(TypedAttr constant, Type type) {
  constexpr APFloat::roundingMode kNearest = APFloat::rmNearestTiesToEven;
  auto floating = dyn_cast<FloatType>(type);
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    APFloat value = number.getValue();
    bool losesInfo;
    value.convert(floating.getFloatSemantics(), kNearest, &losesInfo);
    return FloatAttr::get(type, value);
  }
  APInt whole = cast<IntegerAttr>(constant).getValue();
  if (!floating)
    return IntegerAttr::get(type, whole.sext(type.getIntOrFloatBitWidth()));
  APFloat value(floating.getFloatSemantics());
  value.convertFromAPInt(whole, /*IsSigned=*/true, kNearest);
  return FloatAttr::get(type, value);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Marks the dimensions of size one.
static void dropUnitDims(Source &source) {
  if (auto type = dyn_cast<RankedTensorType>(source.value.getType()))
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size == 1)
        source.dims[dim] = kOne;
}

FailureOr<Source>
match::resolveSource(Value value, AffineMap map,
                     llvm::function_ref<bool(const Source &)> accepts) {
  Source source;
  source.value = value;
  auto identity = llvm::to_vector(llvm::seq<int64_t>(map.getNumDims()));
  std::optional<SmallVector<int64_t>> dims = applyMap(map, identity);
  if (!dims)
    return failure();
  source.dims = *dims;
  std::optional<Source> accepted;
  do {
    source.constant = constantElement(source.value);
    if (source.constant)
      break;
    Source reduced = source;
    dropUnitDims(reduced);
    if (!accepts || accepts(reduced))
      accepted = reduced;
  } while (lookThrough(source));
  if (source.constant) {
    for (Type type : source.casts)
      source.constant = castConstant(source.constant, type);
    source.casts.clear();
    return source;
  }
  dropUnitDims(source);
  return accepted.value_or(source);
}

FailureOr<View> match::viewOf(const Source &source, StringRef letters) {
  // A scalar is a tensor without dimensions.
  View scalar;
  scalar.value = source.value;
  if (!isa<ShapedType>(source.value.getType()))
    return scalar;
  std::string own;
  for (int64_t dim : source.dims)
    own += dim == kOne ? kUnit : letters[dim];
  FailureOr<View> view = makeView(source.value, own);
  if (failed(view))
    return failure();
  // A letter needs all of its dimensions, in their order.
  for (auto [letter, group] : llvm::zip(view->letters, view->groups)) {
    SmallVector<int64_t> has, all;
    for (int64_t dim : group)
      if (source.dims[dim] != kOne)
        has.push_back(source.dims[dim]);
    for (auto [dim, other] : llvm::enumerate(letters))
      if (other == letter)
        all.push_back(dim);
    if (has != all)
      return failure();
  }
  return view;
}
