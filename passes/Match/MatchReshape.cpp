//===- MatchReshape.cpp - Conversion to canonical shape and back ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view becomes canonical in up to four steps: a cut of dimensions with
// several letters, a transpose (on tensors a copy, and the only one), a
// collapse of each letter's dimensions into one, and an expansion by the
// dimensions of one element that the value lacks.
// The way back is the same in reverse.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "passes/Match/Match.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

FailureOr<View> match::makeView(Value value, StringRef letters) {
  View view;
  view.value = value;
  ReassociationIndices leadingUnits;
  for (auto [dim, letter] : llvm::enumerate(letters)) {
    if (letter == kUnit) {
      (view.groups.empty() ? leadingUnits : view.groups.back()).push_back(dim);
      continue;
    }
    if (view.letters.empty() || view.letters.back() != letter) {
      if (StringRef(view.letters).contains(letter))
        return failure();
      view.letters += letter;
      view.groups.push_back(std::exchange(leadingUnits, {}));
    }
    view.groups.back().push_back(dim);
  }
  return view;
}

/// Names a dimension of one element `letter`, if the dimensions of every letter
/// then stay adjacent and the letters stay in `order`.
static void nameUnit(std::string &letters, char letter, Value value,
                     StringRef order) {
  auto inOrder = [&](char left, char right) {
    return order.find(left) < order.find(right);
  };
  for (size_t dim = letters.size(); dim-- > 0;) {
    if (letters[dim] != kUnit)
      continue;
    std::string named = letters;
    named[dim] = letter;
    FailureOr<View> view = makeView(value, named);
    if (failed(view) || !llvm::is_sorted(view->letters, inOrder))
      continue;
    letters = named;
    return;
  }
}

/// Inserts `letter` after the letters that precede it in `order`.
static void insertLetter(View &view, char letter, StringRef order) {
  size_t place = 0;
  for (auto [index, present] : llvm::enumerate(view.letters))
    if (order.find(present) < order.find(letter))
      place = index + 1;
  view.letters.insert(place, 1, letter);
  view.groups.insert(view.groups.begin() + place, ReassociationIndices());
}

FailureOr<View> match::makeMatrix(Value value, StringRef letters,
                                  StringRef order) {
  std::string named = letters.str();
  for (char letter : llvm::reverse(order))
    if (!letters.contains(letter))
      nameUnit(named, letter, value, order);
  FailureOr<View> view = makeView(value, named);
  if (succeeded(view))
    for (char letter : order)
      if (!StringRef(view->letters).contains(letter))
        insertLetter(*view, letter, order);
  return view;
}

/// The dimensions that the collapse merges into one each: the groups that are
/// not empty.
static SmallVector<ReassociationIndices> collapseOf(const View &view) {
  SmallVector<ReassociationIndices> result;
  for (const ReassociationIndices &group : view.groups)
    if (!group.empty())
      result.push_back(group);
  return result;
}

/// The canonical dimensions that each collapsed dimension expands to. A missing
/// letter goes with its successor, the last with its predecessor.
static SmallVector<ReassociationIndices> expansionOf(const View &view) {
  SmallVector<ReassociationIndices> result;
  ReassociationIndices pending;
  for (auto [dim, group] : llvm::enumerate(view.groups)) {
    pending.push_back(dim);
    if (!group.empty())
      result.push_back(std::exchange(pending, {}));
  }
  if (!result.empty())
    llvm::append_range(result.back(), pending);
  return result;
}

/// Extents of the canonical value.
static SmallVector<int64_t> canonicalShape(const View &view) {
  auto type = cast<ShapedType>(view.value.getType());
  ArrayRef<int64_t> extents =
      view.cuts.empty() ? type.getShape() : ArrayRef(view.partExtents);
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : view.groups) {
    int64_t extent = 1;
    for (int64_t dim : group) {
      int64_t size =
          extents[view.permutation.empty() ? dim : view.permutation[dim]];
      extent = ShapedType::isDynamic(size) || ShapedType::isDynamic(extent)
                   ? ShapedType::kDynamic
                   : extent * size;
    }
    shape.push_back(extent);
  }
  return shape;
}

static bool isIdentity(const View &view) {
  auto type = cast<ShapedType>(view.value.getType());
  return view.cuts.empty() && view.permutation.empty() && type.hasRank() &&
         type.getShape() == ArrayRef(canonicalShape(view));
}

//===----------------------------------------------------------------------===//
// To canonical shape
//===----------------------------------------------------------------------===//

/// The tensor of a view whose dimensions are cut, in the view's order.
static Value cutAndTranspose(OpBuilder &builder, Location loc,
                             const View &view) {
  Value value = view.value;
  if (!view.cuts.empty())
    value = tensor::ExpandShapeOp::create(
        builder, loc,
        RankedTensorType::get(view.partExtents, getElementTypeOrSelf(value)),
        value, view.cuts);
  if (view.permutation.empty())
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  applyPermutationToVector(sizes, view.permutation);
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, getElementTypeOrSelf(value));
  return linalg::TransposeOp::create(builder, loc, value, empty,
                                     view.permutation)
      ->getResult(0);
}

static Value tensorToCanonical(OpBuilder &builder, Location loc,
                               const View &view) {
  Value value = cutAndTranspose(builder, loc, view);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<ReassociationIndices> collapse = collapseOf(view);
  if (static_cast<int64_t>(collapse.size()) != type.getRank())
    value = tensor::CollapseShapeOp::create(builder, loc, value, collapse);
  if (collapse.size() == view.groups.size())
    return value;
  auto canonical =
      RankedTensorType::get(canonicalShape(view), type.getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, canonical, value,
                                       expansionOf(view));
}

static FailureOr<Value> memrefToCanonical(OpBuilder &builder, Location loc,
                                          const View &view, std::string &why) {
  Value value = view.value;
  if (!view.permutation.empty())
    value = memref::TransposeOp::create(
        builder, loc, value,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(view.permutation, loc.getContext())));
  auto type = cast<MemRefType>(value.getType());
  SmallVector<ReassociationIndices> collapse = collapseOf(view);
  if (static_cast<int64_t>(collapse.size()) != type.getRank()) {
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, collapse)) {
      why = "dimensions of one kind are not contiguous in memory";
      return failure();
    }
    value = memref::CollapseShapeOp::create(builder, loc, value, collapse);
  }
  if (collapse.size() == view.groups.size())
    return value;
  FailureOr<MemRefType> canonical = memref::ExpandShapeOp::computeExpandedType(
      cast<MemRefType>(value.getType()), canonicalShape(view),
      expansionOf(view));
  if (failed(canonical)) {
    why = "a memref's layout has no strides";
    return failure();
  }
  return memref::ExpandShapeOp::create(builder, loc, *canonical, value,
                                       expansionOf(view))
      .getResult();
}

FailureOr<Value> match::toCanonical(OpBuilder &builder, Location loc,
                                    const View &view, std::string &why) {
  if (!isa<ShapedType>(view.value.getType())) {
    auto type = RankedTensorType::get({}, view.value.getType());
    return tensor::FromElementsOp::create(builder, loc, type, view.value)
        .getResult();
  }
  for (int64_t extent : canonicalShape(view))
    if (extent > INT32_MAX) {
      why = "an extent does not fit in 32 bits";
      return failure();
    }
  if (isIdentity(view))
    return view.value;
  if (isa<RankedTensorType>(view.value.getType()))
    return tensorToCanonical(builder, loc, view);
  return memrefToCanonical(builder, loc, view, why);
}

//===----------------------------------------------------------------------===//
// From canonical shape
//===----------------------------------------------------------------------===//

Value match::fromCanonical(OpBuilder &builder, Location loc, Value canonical,
                           const View &view) {
  if (isIdentity(view))
    return canonical;
  auto type = cast<RankedTensorType>(view.value.getType());
  SmallVector<ReassociationIndices> collapse = collapseOf(view);
  if (collapse.size() != view.groups.size())
    canonical = tensor::CollapseShapeOp::create(builder, loc, canonical,
                                                expansionOf(view));
  if (static_cast<int64_t>(collapse.size()) == type.getRank())
    return canonical;
  return tensor::ExpandShapeOp::create(
      builder, loc, type, canonical, collapse,
      tensor::getMixedSizes(builder, loc, view.value));
}
