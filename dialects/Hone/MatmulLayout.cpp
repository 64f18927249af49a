//===- MatmulLayout.cpp - How the matrices of a matmul lie in memory ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a matrix is stored and the alignment of its rows come from
// the strides of its memref; a tensor is taken to be stored contiguously, as
// bufferization with identity layouts does.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

namespace {
/// Strides and offset in elements, `ShapedType::kDynamic` where unknown, and
/// for each stride a number that is known to divide it.
struct Strides {
  SmallVector<int64_t> strides, divisors;
  int64_t offset = 0;
};
} // namespace

/// Strides of a contiguous value. One that is unknown is the product of extents
/// some of which are known.
static Strides contiguousStrides(ShapedType type) {
  Strides result;
  result.strides.assign(type.getRank(), 1);
  result.divisors.assign(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 1; dim > 0; --dim) {
    int64_t stride = result.strides[dim], size = type.getDimSize(dim);
    bool known = !type.isDynamicDim(dim);
    result.strides[dim - 1] = known && !ShapedType::isDynamic(stride)
                                  ? stride * size
                                  : ShapedType::kDynamic;
    result.divisors[dim - 1] = result.divisors[dim] * (known ? size : 1);
  }
  return result;
}

static Strides stridesOf(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return contiguousStrides(type);
  Strides result;
  std::tie(result.strides, result.offset) = memref.getStridesAndOffset();
  result.divisors = llvm::map_to_vector(result.strides, [](int64_t stride) {
    return ShapedType::isDynamic(stride) ? 1 : stride;
  });
  return result;
}

/// True if elements along `dim` are neighbours in memory; one element is.
static bool isContiguous(ShapedType type, const Strides &strides,
                         unsigned dim) {
  return strides.strides[dim] == 1 || type.getDimSize(dim) == 1;
}

/// Alignment of every row start when rows run along `inner`.
static int64_t alignmentOf(ShapedType type, const Strides &strides,
                           unsigned inner) {
  constexpr int64_t kLargest = 16;
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  int64_t align = kLargest;
  // Only the last bits count, and what a type says may be any number.
  auto meet = [&](int64_t elements) {
    if (int64_t rest = elements % kLargest)
      align = llvm::MinAlign(align, rest * elementBytes);
  };
  // An unknown offset belongs to the base address, which the launch checks.
  if (!ShapedType::isDynamic(strides.offset))
    meet(strides.offset);
  for (auto [dim, divisor] : llvm::enumerate(strides.divisors))
    if (dim != inner && type.getDimSize(dim) != 1)
      meet(divisor);
  return align;
}

/// The dimension of `letters` that is the other one of a matrix.
static unsigned otherDim(StringRef letters, unsigned inner) {
  for (auto [dim, letter] : llvm::enumerate(letters))
    if (dim != inner && !kBatchLetters.contains(letter))
      return dim;
  llvm_unreachable("a matrix has two dimensions");
}

/// The layout of a matrix whose rows run along `inner`.
static MatrixLayout layoutAlong(ShapedType type, StringRef letters,
                                const Strides &strides, unsigned inner) {
  return {inner, otherDim(letters, inner), alignmentOf(type, strides, inner)};
}

std::optional<MatrixLayout> hone::layoutOf(ShapedType type, StringRef letters) {
  Strides strides = stridesOf(type);
  std::optional<MatrixLayout> best;
  for (unsigned inner = type.getRank(); inner-- > 0;) {
    if (kBatchLetters.contains(letters[inner]) ||
        !isContiguous(type, strides, inner))
      continue;
    MatrixLayout layout = layoutAlong(type, letters, strides, inner);
    if (!best || layout.align > best->align)
      best = layout;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of several lines.
struct Steps {
  int64_t count, stride;
};
} // namespace

/// True if two lines of `width` elements overlap, of those that lie at
/// multiples of both strides.
static bool overlap(Steps outer, Steps inner, int64_t width) {
  // Distances count, so the strides' signs do not. Numbers of a type have up to
  // 64 bits, and their products more.
  using Wide = __int128;
  auto magnitude = [](int64_t value) {
    return value < 0 ? -Wide(value) : value;
  };
  Wide step = magnitude(inner.stride);
  // So many steps of the outer dimension are looked at one by one. Nobody
  // interleaves more.
  constexpr int64_t kMax = 4096;
  for (int64_t i = 1; i < std::min(outer.count, kMax); ++i) {
    Wide distance = i * magnitude(outer.stride);
    if (distance - (inner.count - 1) * step >= width)
      return false;
    Wide lower = std::min<Wide>(distance / step, inner.count - 1);
    Wide upper = std::min<Wide>(lower + 1, inner.count - 1);
    if (distance - lower * step < width ||
        (upper * step >= distance && upper * step - distance < width))
      return true;
  }
  return false;
}

/// True if each dimension steps over all that the ones with smaller steps
/// reach.
static bool areNested(ArrayRef<Steps> dims, int64_t width) {
  using Wide = __int128;
  auto magnitude = [](const Steps &dim) {
    return dim.stride < 0 ? -Wide(dim.stride) : Wide(dim.stride);
  };
  SmallVector<Steps> sorted(dims);
  llvm::sort(sorted, [&](const Steps &left, const Steps &right) {
    return magnitude(left) < magnitude(right);
  });
  Wide reached = width;
  for (const Steps &dim : sorted) {
    if (magnitude(dim) < reached)
      return false;
    Wide further = dim.count - 1;
    // More than this no address can be, and the next would be no number.
    if (further > std::numeric_limits<int64_t>::max() / magnitude(dim))
      return false;
    reached += further * magnitude(dim);
  }
  return true;
}

std::optional<bool> hone::hasDistinctElements(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides = memref.getStridesAndOffset().first;
  int64_t width = memref.getShape().back();
  if (width == 0)
    return true;
  bool isKnown = true;
  SmallVector<Steps> outer;
  for (auto [size, stride] : llvm::zip(memref.getShape().drop_back(),
                                       ArrayRef(strides).drop_back())) {
    if (size == 1)
      continue;
    outer.push_back({size, stride});
    bool isOpen = ShapedType::isDynamic(size) ||
                  ShapedType::isDynamic(stride) || ShapedType::isDynamic(width);
    isKnown &= !isOpen;
    if (!isOpen && stride > -width && stride < width)
      return false;
  }
  if (!isKnown)
    return std::nullopt;
  if (outer.size() < 2 || areNested(outer, width))
    return true;
  // What several dimensions interleave is asked at run time.
  if (outer.size() > 2)
    return std::nullopt;
  return !overlap(outer[0], outer[1], width);
}

//===----------------------------------------------------------------------===//
// The op's matrices
//===----------------------------------------------------------------------===//

/// `type` with its dimensions `from` in the order `to`.
static ShapedType reorder(ShapedType type, StringRef from, StringRef to) {
  auto shape = llvm::map_to_vector(
      to, [&](char letter) { return type.getDimSize(from.find(letter)); });
  return type.clone(shape);
}

/// A tensor that has no contiguous rows is copied, batches first.
static MatrixLayout layoutOrCopy(ShapedType type, StringRef letters) {
  if (std::optional<MatrixLayout> layout = layoutOf(type, letters))
    return *layout;
  std::string ordered = batchesFirst(letters);
  return *layoutOf(reorder(type, letters, ordered), ordered);
}

MatrixLayout MatmulOp::getLayoutA() {
  return layoutOrCopy(getA().getType(), getLettersA());
}
MatrixLayout MatmulOp::getLayoutB() {
  return layoutOrCopy(getB().getType(), getLettersB());
}
MatrixLayout MatmulOp::getLayoutC() {
  std::string letters = getLettersC(), stored = (getBatches() + "mn").str();
  ShapedType type = getC().getType();
  if (letters.back() != 'n') {
    type = reorder(type, letters, stored);
    letters = stored;
  }
  return layoutAlong(type, letters, stridesOf(type), type.getRank() - 1);
}
