//===- MatchSide.cpp - Dimensions of one letter each ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is reshaped later may have dimensions of several letters, such
// as the columns of all heads in one dimension, where the heads are a batch.
// Such dimensions are cut where the letter changes. Where a matmul cannot read
// their order, they are reordered, which costs a copy.
//
//===----------------------------------------------------------------------===//

#include "passes/Match/MatchContraction.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

/// Number of indices that `pieces` run over.
static int64_t extentOf(const Pieces &pieces) {
  int64_t extent = 1;
  for (const Piece &piece : pieces)
    extent = ShapedType::isDynamic(extent) || ShapedType::isDynamic(piece.size)
                 ? ShapedType::kDynamic
                 : extent * piece.size;
  return extent;
}

/// Cuts the dimensions of `access` before the pieces for which `isCut` is true.
static AccessSide
cut(const Access &access,
    llvm::function_ref<bool(const Piece &, const Piece &)> isCut) {
  AccessSide side;
  side.view.value = access.value;
  for (const Pieces &pieces : access.dims) {
    ReassociationIndices parts = {static_cast<int64_t>(side.dims.size())};
    side.dims.emplace_back();
    for (const Piece &piece : pieces) {
      if (!side.dims.back().empty() && isCut(side.dims.back().back(), piece)) {
        parts.push_back(side.dims.size());
        side.dims.emplace_back();
      }
      side.dims.back().push_back(piece);
    }
    side.view.cuts.push_back(parts);
  }
  if (side.view.cuts.size() == side.dims.size())
    side.view.cuts.clear();
  else
    llvm::append_range(side.view.partExtents,
                       llvm::map_range(side.dims, extentOf));
  return side;
}

AccessSide match::sideOf(const Access &access,
                         llvm::function_ref<char(const Piece &)> letterOf) {
  return cut(access, [&](const Piece &left, const Piece &right) {
    return letterOf(left) != letterOf(right);
  });
}

/// True if all indices of `part` are in `whole`.
static bool contains(const Piece &whole, const Piece &part) {
  if (whole.loop != part.loop)
    return false;
  bool startsInside = whole.high == part.high ||
                      ShapedType::isDynamic(whole.high) ||
                      (part.high > 0 && part.high <= whole.high);
  bool endsInside = whole.low == part.low || whole.low == 1 ||
                    (whole.low > 0 && part.low >= whole.low);
  return startsInside && endsInside;
}

AccessSide match::sideInOrderOf(const Access &access, const Access &order) {
  AccessSide side =
      cut(access, [](const Piece &, const Piece &) { return true; });
  SmallVector<Piece> wanted;
  for (const Pieces &pieces : order.dims)
    llvm::append_range(wanted, pieces);
  // Dimensions of one element go last.
  auto place = [&](int64_t dim) -> size_t {
    if (side.dims[dim].empty())
      return wanted.size();
    auto *found = llvm::find_if(wanted, [&](const Piece &piece) {
      return contains(piece, side.dims[dim].front());
    });
    return found - wanted.begin();
  };
  auto permutation = llvm::to_vector(
      llvm::seq<int64_t>(static_cast<int64_t>(side.dims.size())));
  llvm::sort(permutation, [&](int64_t left, int64_t right) {
    if (place(left) != place(right) || side.dims[left].empty())
      return std::pair(place(left), left) < std::pair(place(right), right);
    // Both are parts of one piece; the outer part comes first.
    return side.dims[left].front().low > side.dims[right].front().low;
  });
  if (llvm::is_sorted(permutation))
    return side;
  side.view.permutation = permutation;
  side.dims = llvm::map_to_vector(permutation,
                                  [&](int64_t dim) { return side.dims[dim]; });
  return side;
}
