//===- MatchWindows.cpp - Inputs indexed by sums of loops -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index of a convolution is a sum of loops: the start of a window, and a
// place in it. Where windows are adjacent, as in a patch embedding, the sum
// takes each value once and in order. Such a dimension becomes one for each
// loop:
//
//   x[n, 8 * i + r, 8 * j + s, c]  -- expand -->  x[n, i, r, j, s, c]
//
// Elements that the loops skip at the end, or in between, are sliced off first.
// Windows that overlap, or leave gaps, are those of an image (MatchImage.cpp).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Match/MatchContraction.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// `expr` with loops of one element replaced by zero, unless it is one of them.
static AffineExpr withoutUnits(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (isa<AffineDimExpr>(expr))
    return expr;
  SmallVector<AffineExpr> loops;
  for (auto [loop, extent] : llvm::enumerate(extents))
    loops.push_back(extent == 1 ? getAffineConstantExpr(0, expr.getContext())
                                : getAffineDimExpr(loop, expr.getContext()));
  return simplifyAffineExpr(expr.replaceDims(loops), extents.size(),
                            /*numSymbols=*/0);
}

/// Adds the terms of a sum. Fails on one that is not a loop times a constant.
static LogicalResult addTerms(AffineExpr expr, StridedLoops &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return success(succeeded(addTerms(binary.getLHS(), terms)) &&
                   succeeded(addTerms(binary.getRHS(), terms)));
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return success(constant.getValue() == 0);
  int64_t stride = 1;
  if (binary && binary.getKind() == AffineExprKind::Mul) {
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      stride = factor.getValue();
      expr = binary.getLHS();
    }
  }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim || stride < 1)
    return failure();
  terms.push_back({dim.getPosition(), stride});
  return success();
}

std::optional<StridedLoops> match::termsOf(linalg::LinalgOp op,
                                           AffineExpr expr) {
  StridedLoops terms;
  if (failed(addTerms(withoutUnits(expr, op.getStaticLoopRanges()), terms)))
    return std::nullopt;
  llvm::stable_sort(terms,
                    [](const StridedLoop &left, const StridedLoop &right) {
                      return left.stride > right.stride;
                    });
  return terms;
}

/// True if an index takes no element between two that it takes.
static bool skips(const std::optional<StridedLoops> &terms) {
  return terms && !terms->empty() && terms->back().stride > 1;
}

/// True if the operand, with a dimension for each loop, is not a matrix in place:
/// a loop of the result is inside of one that is summed.
static bool interleaves(linalg::LinalgOp op,
                        ArrayRef<std::optional<StridedLoops>> indices) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  bool isSummed = false;
  for (const std::optional<StridedLoops> &terms : indices)
    for (const StridedLoop &term : terms.value_or(StridedLoops())) {
      bool isResult = kinds[term.loop] == utils::IteratorType::parallel;
      if (isResult && isSummed)
        return true;
      isSummed |= !isResult && op.getStaticLoopRanges()[term.loop] != 1;
    }
  return false;
}

bool match::mayBeCopied(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    auto indices = llvm::map_to_vector(
        op.getMatchingIndexingMap(input).getResults(),
        [&](AffineExpr index) { return termsOf(op, index); });
    bool hasWindows = llvm::any_of(
        indices, [](const auto &terms) { return terms && terms->size() > 1; });
    return llvm::any_of(indices, skips) ||
           (hasWindows && interleaves(op, indices));
  });
}

//===----------------------------------------------------------------------===//
// Windows that are not supported
//===----------------------------------------------------------------------===//

namespace {
/// The layout of the elements that an index takes.
struct Layout {
  bool overlaps = false, hasGaps = false;
  bool isKnown = true; ///< number and size of windows

  bool isTiling() const { return isKnown && !overlaps && !hasGaps; }
};
} // namespace

static Layout layoutOf(ArrayRef<StridedLoop> terms, ArrayRef<int64_t> extents) {
  Layout layout;
  if (terms.size() < 2)
    return layout;
  for (auto [outer, inner] : llvm::zip(terms.drop_back(), terms.drop_front())) {
    int64_t extent = extents[inner.loop];
    if (ShapedType::isDynamic(extent)) {
      layout.isKnown = false;
      continue;
    }
    bool overlaps = outer.stride <= inner.stride * (extent - 1);
    layout.overlaps |= overlaps;
    layout.hasGaps |= !overlaps && outer.stride != inner.stride * extent;
  }
  // An expansion of a slice of unknown extents crashes upstream's
  // expand-strided-metadata (MLIR 22).
  if (ShapedType::isDynamic(extents[terms.front().loop]))
    layout.isKnown = layout.overlaps || layout.hasGaps;
  // Skipped elements are a gap, but a slice can omit them, so they do
  // not matter alone.
  layout.hasGaps |= layout.overlaps && terms.back().stride > 1;
  return layout;
}

/// "windows of 3 dilated by 2 at stride 1 overlap".
static std::string describe(linalg::LinalgOp op, ArrayRef<StridedLoop> terms,
                            const Layout &layout) {
  if (!layout.isKnown)
    return "the number or the size of its windows is unknown";
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isSummed = [&](const StridedLoop &term) {
    return kinds[term.loop] == utils::IteratorType::reduction;
  };
  std::string text = "windows";
  if (terms.size() == 2 && llvm::count_if(terms, isSummed) == 1) {
    const StridedLoop &window = *llvm::find_if(terms, isSummed);
    const StridedLoop &start = terms[&window == terms.begin() ? 1 : 0];
    text += " of " + std::to_string(op.getStaticLoopRanges()[window.loop]);
    if (window.stride != 1)
      text += " dilated by " + std::to_string(window.stride);
    text += " at stride " + std::to_string(start.stride);
  }
  if (layout.overlaps)
    text += " overlap";
  if (layout.hasGaps)
    text += layout.overlaps ? " and leave gaps" : " leave gaps";
  return text;
}

/// True if the img2col op of the Transform dialect makes a product of `op`.
static bool hasImg2col(linalg::LinalgOp op) {
  if (!isa<linalg::Conv2DNhwcHwcfOp, linalg::Conv2DNhwcFhwcOp,
           linalg::Conv2DNchwFchwOp>(op) ||
      !op.hasPureTensorSemantics() || op.hasDynamicShape())
    return false;
  auto dilations = op->getAttrOfType<DenseIntElementsAttr>("dilations");
  return !dilations || llvm::all_of(dilations.getValues<int64_t>(),
                                    [](int64_t factor) { return factor == 1; });
}

/// The reason why single loops cannot read an operand whose indices are
/// `indices`; empty if they can.
static std::string
refuseIndices(linalg::LinalgOp op,
              ArrayRef<std::optional<StridedLoops>> indices) {
  SmallVector<std::string> reasons;
  for (auto [dim, terms] : llvm::enumerate(indices)) {
    if (!terms)
      return "an indexing map is not a projected permutation";
    Layout layout = layoutOf(*terms, op.getStaticLoopRanges());
    if (!layout.isTiling())
      reasons.push_back("in dimension " + std::to_string(dim) + " " +
                        describe(op, *terms, layout));
  }
  if (reasons.empty())
    return "";
  return llvm::join(reasons, "; ") + ", and no matmul reads such windows" +
         (hasImg2col(op)
              ? "; use transform.structured.convert_conv2d_to_img2col before"
              : "");
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The number of iterations of a loop, from an operand that has a dimension for
/// it, C first.
static OpFoldResult sizeOfLoop(OpBuilder &builder, linalg::LinalgOp op,
                               int64_t loop) {
  if (int64_t extent = op.getStaticLoopRanges()[loop];
      ShapedType::isStatic(extent))
    return builder.getIndexAttr(extent);
  for (OpOperand &operand : llvm::reverse(op->getOpOperands()))
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == builder.getAffineDimExpr(loop))
        return isa<MemRefType>(operand.get().getType())
                   ? memref::getMixedSize(builder, op.getLoc(), operand.get(),
                                          dim)
                   : tensor::getMixedSize(builder, op.getLoc(), operand.get(),
                                          dim);
  llvm_unreachable("a loop has an operand with a dimension for it");
}

static OpFoldResult productOf(OpBuilder &builder, Location loc,
                              ArrayRef<OpFoldResult> sizes) {
  int64_t known = 1;
  Value unknown;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      known *= *constant;
    else if (unknown)
      unknown = arith::MulIOp::create(builder, loc, unknown, cast<Value>(size));
    else
      unknown = cast<Value>(size);
  }
  if (!unknown)
    return builder.getIndexAttr(known);
  if (known == 1)
    return unknown;
  Value factor = arith::ConstantIndexOp::create(builder, loc, known);
  return arith::MulIOp::create(builder, loc, unknown, factor).getResult();
}

//===----------------------------------------------------------------------===//
// The input for single loops
//===----------------------------------------------------------------------===//

namespace {
/// Slices and expands one operand.
class Tiler {
public:
  Tiler(OpBuilder &builder, linalg::LinalgOp op, OpOperand &operand,
        ArrayRef<std::optional<StridedLoops>> indices)
      : builder(builder), op(op), operand(operand), indices(indices) {}

  PlainFactor write();

private:
  bool readsWhole(unsigned dim);
  Value slice(ArrayRef<SmallVector<OpFoldResult>> sizes);
  Value expand(Value value, ArrayRef<SmallVector<OpFoldResult>> sizes);

  OpBuilder &builder;
  linalg::LinalgOp op;
  OpOperand &operand;
  ArrayRef<std::optional<StridedLoops>> indices;
};
} // namespace

/// True if the index of a dimension provably runs from its first element to its
/// last.
bool Tiler::readsWhole(unsigned dim) {
  if (isa<AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(dim)))
    return true;
  int64_t count = 1;
  for (const StridedLoop &term : *indices[dim]) {
    int64_t extent = op.getStaticLoopRanges()[term.loop];
    if (ShapedType::isDynamic(extent))
      return false;
    count *= extent;
  }
  return count == op.getShape(&operand)[dim] &&
         (indices[dim]->empty() || indices[dim]->back().stride == 1);
}

Value Tiler::slice(ArrayRef<SmallVector<OpFoldResult>> sizes) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> counts, strides;
  bool isWhole = true;
  for (auto [dim, terms] : llvm::enumerate(indices)) {
    isWhole &= readsWhole(dim);
    counts.push_back(productOf(builder, loc, sizes[dim]));
    strides.push_back(
        builder.getIndexAttr(terms->empty() ? 1 : terms->back().stride));
  }
  if (isWhole)
    return operand.get();
  if (isa<MemRefType>(operand.get().getType()))
    return memref::SubViewOp::create(builder, loc, operand.get(), offsets,
                                     counts, strides);
  return tensor::ExtractSliceOp::create(builder, loc, operand.get(), offsets,
                                        counts, strides);
}

Value Tiler::expand(Value value, ArrayRef<SmallVector<OpFoldResult>> sizes) {
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> all;
  for (const SmallVector<OpFoldResult> &parts : sizes) {
    ReassociationIndices &group = groups.emplace_back();
    for (OpFoldResult size : parts) {
      group.push_back(all.size());
      all.push_back(size);
    }
  }
  if (all.size() == sizes.size())
    return value;
  SmallVector<int64_t> shape;
  SmallVector<Value> unknown;
  dispatchIndexOpFoldResults(all, unknown, shape);
  Location loc = op.getLoc();
  auto memref = dyn_cast<MemRefType>(value.getType());
  if (!memref) {
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value));
    return tensor::ExpandShapeOp::create(builder, loc, type, value, groups,
                                         all);
  }
  FailureOr<MemRefType> type =
      memref::ExpandShapeOp::computeExpandedType(memref, shape, groups);
  if (failed(type))
    return {};
  return memref::ExpandShapeOp::create(builder, loc, *type, value, groups, all);
}

PlainFactor Tiler::write() {
  SmallVector<SmallVector<OpFoldResult>> sizes;
  SmallVector<AffineExpr> read;
  for (const std::optional<StridedLoops> &terms : indices) {
    SmallVector<OpFoldResult> &parts = sizes.emplace_back();
    for (const StridedLoop &term : *terms) {
      parts.push_back(sizeOfLoop(builder, op, term.loop));
      read.push_back(builder.getAffineDimExpr(term.loop));
    }
    if (!parts.empty())
      continue;
    parts.push_back(builder.getIndexAttr(1));
    read.push_back(builder.getAffineConstantExpr(0));
  }
  return {expand(slice(sizes), sizes),
          AffineMap::get(op.getNumLoops(), 0, read, op.getContext())};
}

FailureOr<PlainFactor> match::readByLoops(OpBuilder &builder,
                                          linalg::LinalgOp op, unsigned index,
                                          bool prefersWindows,
                                          std::string &why) {
  OpOperand &operand = op->getOpOperand(index);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (succeeded(accessOf(op, index)))
    return PlainFactor{operand.get(), map};
  auto indices = llvm::map_to_vector(
      map.getResults(), [&](AffineExpr expr) { return termsOf(op, expr); });
  why = refuseIndices(op, indices);
  if (!why.empty())
    return readWindows(builder, op, index, why);
  bool isSkipping = llvm::any_of(indices, skips);
  if (prefersWindows && (isSkipping || interleaves(op, indices)))
    if (auto windows =
            readWindows(builder, op, index,
                        isSkipping ? "it skips elements"
                                   : "its windows are not a matrix in place");
        succeeded(windows))
      return windows;
  PlainFactor factor = Tiler(builder, op, operand, indices).write();
  if (factor.value)
    return factor;
  why = "a memref's layout has no strides";
  return failure();
}
