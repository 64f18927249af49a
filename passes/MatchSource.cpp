//===- MatchSource.cpp - The values behind broadcasts ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An elementwise op rarely reads a bias as it is: frontends broadcast,
// transpose, fill and add dimensions of one element first. An epilogue reads a
// value by the dimensions that it has, so all of that can be looked through.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "passes/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Looking through one op
//===----------------------------------------------------------------------===//

std::optional<std::pair<Value, AffineMap>> match::copiedInput(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumLoops() != op.getNumParallelLoops() ||
      op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  if (!isa<RankedTensorType>(input->get().getType()) ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getBlock()->getArgument(0))
    return std::nullopt;
  return std::pair(input->get(), op.getMatchingIndexingMap(input));
}

/// What each result of `map` is, where its dimensions are `dims`.
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

/// Moves `source` one op up. Returns false where there is nothing to look
/// through.
static bool lookThrough(Source &source) {
  std::optional<SmallVector<int64_t>> dims;
  Value behind;
  if (auto copy = copiedInput(source.value)) {
    behind = copy->first;
    dims = applyMap(copy->second, source.dims);
  } else if (auto expand =
                 source.value.getDefiningOp<tensor::ExpandShapeOp>()) {
    behind = expand.getSrc();
    dims = throughExpand(expand, source.dims);
  } else if (auto collapse =
                 source.value.getDefiningOp<tensor::CollapseShapeOp>()) {
    behind = collapse.getSrc();
    dims = throughCollapse(collapse, source.dims);
  }
  if (!dims)
    return false;
  source.value = behind;
  source.dims = *dims;
  return true;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The constant that every element of `value` is.
static TypedAttr constantElement(Value value) {
  TypedAttr result;
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    matchPattern(fill.getInputs().front(), m_Constant(&result));
    return result;
  }
  // What a fill is generalized to.
  if (auto op = value.getDefiningOp<linalg::GenericOp>();
      op && op.getNumReductionLoops() == 0) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    matchPattern(op.getBlock()->getTerminator()->getOperand(index),
                 m_Constant(&result));
    return result;
  }
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  return {};
}

bool match::isZeroFill(Value value, Value &destination) {
  auto element = dyn_cast_if_present<FloatAttr>(constantElement(value));
  if (!element || !element.getValue().isPosZero())
    return false;
  auto fill = value.getDefiningOp<linalg::LinalgOp>();
  destination =
      fill ? fill.getTiedOpOperand(cast<OpResult>(value))->get() : value;
  return true;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

FailureOr<Source> match::resolveSource(Value value, AffineMap map) {
  Source source;
  source.value = value;
  // A scalar operand is a constant or nothing that can be read from memory.
  if (!isa<RankedTensorType>(value.getType())) {
    if (!matchPattern(value, m_Constant(&source.constant)))
      return failure();
    return source;
  }
  auto identity = llvm::to_vector(llvm::seq<int64_t>(map.getNumDims()));
  std::optional<SmallVector<int64_t>> dims = applyMap(map, identity);
  if (!dims)
    return failure();
  source.dims = *dims;
  do {
    source.constant = constantElement(source.value);
  } while (!source.constant && lookThrough(source));
  auto type = cast<RankedTensorType>(source.value.getType());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size == 1)
      source.dims[dim] = kOne;
  return source;
}

FailureOr<View> match::viewOf(const Source &source, StringRef letters) {
  std::string own;
  for (int64_t dim : source.dims)
    own += dim == kOne ? kUnit : letters[dim];
  FailureOr<View> view = makeView(source.value, own);
  if (failed(view))
    return failure();
  // A letter must be there with all of its dimensions, in their order.
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
