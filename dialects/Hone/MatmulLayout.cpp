//===- MatmulLayout.cpp - Layout of a matmul's matrices in memory ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a matrix and the alignment of its rows come from the strides of
// its memref. A tensor is assumed to be stored contiguously, as in
// bufferization with identity layouts.
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

/// Strides of a contiguous value. An unknown one is the product of extents of
/// which some are known.
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

/// True if elements along `dim` are adjacent in memory; a single element is.
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
  // Only the lowest bits count, and a type may have any number.
  auto meet = [&](int64_t elements) {
    if (int64_t rest = elements % kLargest)
      align = llvm::MinAlign(align, rest * elementBytes);
  };
  // An unknown offset is part of the base address, which the launch checks.
  if (!ShapedType::isDynamic(strides.offset))
    meet(strides.offset);
  for (auto [dim, divisor] : llvm::enumerate(strides.divisors))
    if (dim != inner && type.getDimSize(dim) != 1)
      meet(divisor);
  return align;
}

/// The other dimension of a matrix, next to `inner`, in `letters`.
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

/// True if any two of the lines of `width` elements at multiples of both
/// strides overlap.
static bool overlap(Steps outer, Steps inner, int64_t width) {
  // Only distances count, so the strides' signs do not. Numbers of a type have
  // up to 64 bits, and their products more.
  using Wide = __int128;
  auto magnitude = [](int64_t value) {
    return value < 0 ? -Wide(value) : value;
  };
  Wide step = magnitude(inner.stride);
  // The maximum number of steps of the outer dimension that are tested one by
  // one; larger interleavings do not occur in practice.
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

/// True if the step of each dimension exceeds the reach of the dimensions with
/// smaller steps.
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
    // No address can exceed this, and the next sum would overflow.
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
  // Interleavings of several dimensions are checked at run time.
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

/// A tensor without contiguous rows is copied, batches first.
static MatrixLayout layoutOrCopy(ShapedType type, StringRef letters) {
  if (std::optional<MatrixLayout> layout = layoutOf(type, letters))
    return *layout;
  std::string ordered = batchesFirst(letters);
  return *layoutOf(reorder(type, letters, ordered), ordered);
}

OperandAccess hone::imageAccess(ShapedType type, WindowAttr window) {
  Strides strides = stridesOf(type);
  auto known = [](int64_t number) {
    return ShapedType::isDynamic(number) ? kDynamic : number;
  };
  OperandAccess::Digits lines = {
      {known(type.getDimSize(0)), known(strides.strides[0])}};
  OperandAccess::Digits sum;
  std::vector<OperandAccess::Axis> axes;
  for (int side = 0; side < int(window.getSize().size()); ++side) {
    int64_t extent = type.getDimSize(side + 1);
    lines.push_back(
        {known(window.countAlong(side, extent)), window.getStep()[side], side});
    sum.push_back({window.getSize()[side], window.getDilation()[side], side});
    axes.push_back({known(extent), known(strides.strides[side + 1]),
                    window.getLow()[side]});
  }
  sum.push_back({known(type.getShape().back()), 1});
  return OperandAccess({}, lines, sum, axes);
}

int64_t hone::pixelAlignment(ShapedType type) {
  return alignmentOf(type, stridesOf(type), type.getRank() - 1);
}

std::optional<OperandAccess> MatmulOp::getImageAccess() {
  WindowAttr window = getWindowAttr();
  return window ? std::optional(imageAccess(getA().getType(), window))
                : std::nullopt;
}

MatrixLayout MatmulOp::getLayoutA() {
  if (getWindowAttr() || getGather()) {
    // Each pixel of an image is a line of channels; rows are gathered as lines.
    ShapedType type = getA().getType();
    unsigned inner = type.getRank() - 1;
    return {inner, inner - 1, pixelAlignment(type)};
  }
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
