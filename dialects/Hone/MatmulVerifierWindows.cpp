//===- MatmulVerifierWindows.cpp - Laws of windows and ragged rows --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MatmulLaws.h.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/MatmulLaws.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hone;
using namespace hone::matmul;

/// True if the last dimension is contiguous.
static bool hasLines(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref || memref.getStridesAndOffset().first.back() == 1 ||
         type.getShape().back() == 1;
}

/// The same, and no stride is known to be below 1.
static bool hasPixels(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return true;
  return hasLines(type) &&
         llvm::all_of(memref.getStridesAndOffset().first, [](int64_t stride) {
           return ShapedType::isDynamic(stride) || stride > 0;
         });
}

// matmul_c16
LogicalResult matmul::verifyImage(MatmulOp op) {
  WindowAttr window = op.getWindowAttr();
  if (!window)
    return success();
  ShapedType type = op.getA().getType();
  int64_t rank = window.getSize().size() + 2;
  if (type.getRank() != rank)
    return broken(op, 16) << "A of a window to have rank " << rank
                          << ", images, " << rank - 2
                          << " for the window and channels, but got " << type
                          << "; use a number of the window for each dimension";
  if (op.getDimsA() || op.getOrderA() == Order::col)
    return broken(op, 16) << "A to have a window alone, but got 'col' or "
                             "dimensions, too; use the window alone";
  if (op.isBatched())
    return broken(op, 16) << "no batches with a window, but got "
                          << op.getC().getType()
                          << "; use a matmul for each batch";
  if (!hasPixels(type))
    return broken(op, 16)
           << "channels of A to be contiguous, and its strides above 0, but "
              "got "
           << type << "; use an identity layout, or a copy";
  return success();
}

/// Elements of a vector in memory are adjacent.
static LogicalResult verifyAdjacent(MatmulOp op, unsigned law, StringRef what,
                                    ShapedType vector) {
  if (hasLines(vector))
    return success();
  return broken(op, law) << "adjacent " << what << " in memory, but got "
                         << vector << "; use a copy";
}

// matmul_c18
LogicalResult matmul::verifyRagged(MatmulOp op) {
  if (!op.getRagged())
    return success();
  if (!op.getEnds())
    return broken(op, 18)
           << "ends of ragged rows, but got no operand for them; "
              "use a tensor of i32";
  // Only C has the batch of a ragged sum.
  bool isSum = op.isRaggedSum(), hasBatches = op.getBatches().size() > 1;
  for (StringRef letters : {op.getLettersA(), op.getLettersB()})
    hasBatches |=
        isSum && letters.find_first_of(kBatchLetters) != StringRef::npos;
  if (hasBatches || op.getWindowAttr())
    return broken(op, 18) << "ragged rows without "
                          << (hasBatches ? "batches" : "a window")
                          << ", but got both; use a matmul for each group";
  ShapedType ends = op.getEnds().getType();
  if (ends.getRank() != 1 || !ends.getElementType().isSignlessInteger(32))
    return broken(op, 18) << "the ends of groups in one dimension of i32, but "
                             "got "
                          << ends << "; use a conversion before the matmul";
  int64_t groups = op.getExtent(kBatchLetters[0]);
  if (failed(verifyCompatibleShape({ends.getDimSize(0)}, {groups})))
    return broken(op, 18) << "an end for each of the " << groups
                          << " matrices of " << (isSum ? "C" : "B")
                          << ", but got " << ends.getDimSize(0)
                          << "; use the number of groups for both";
  return verifyAdjacent(op, 18, "ends", ends);
}

// matmul_c19
LogicalResult matmul::verifyGather(MatmulOp op) {
  if (!op.getGather())
    return success();
  if (!op.getIndex())
    return broken(op, 19) << "an index of the rows of A, but got no operand "
                             "for it; use a tensor of i32 or i64";
  if (op.isBatched() || op.getWindowAttr())
    return broken(op, 19) << "gathered rows without "
                          << (op.isBatched() ? "batches" : "a window")
                          << ", but got both; use a matmul for each batch, or "
                             "a copy of the rows";
  ShapedType index = op.getIndex().getType();
  if (index.getRank() != 1 || !(index.getElementType().isSignlessInteger(32) ||
                                index.getElementType().isSignlessInteger(64)))
    return broken(op, 19) << "an index of one dimension of i32 or i64, but got "
                          << index << "; use a conversion before the matmul";
  if (failed(verifyCompatibleShape({index.getDimSize(0)}, {op.getExtent('m')})))
    return broken(op, 19) << "an index for each of the " << op.getExtent('m')
                          << " rows of C, but got " << index.getDimSize(0)
                          << "; use the number of rows for both";
  if (op.getLettersA() != "mk")
    return broken(op, 19) << "A to have dimensions mk, whose rows are lines, "
                             "but got "
                          << op.getLettersA() << "; use a transpose before";
  if (!hasLines(op.getA().getType()))
    return broken(op, 19) << "rows of A to be contiguous in memory, but got "
                          << op.getA().getType() << "; use a copy";
  return verifyAdjacent(op, 19, "indices", index);
}

// matmul_c17
LogicalResult matmul::verifyWindows(MatmulOp op) {
  WindowAttr window = op.getWindowAttr();
  if (!window)
    return success();
  ArrayRef<int64_t> shape = op.getA().getType().getShape();
  SmallVector<int64_t> lines = {shape.front()}, elements = {shape.back()};
  for (unsigned side = 0; side < window.getSize().size(); ++side) {
    lines.push_back(window.countAlong(side, shape[side + 1]));
    elements.push_back(window.getSize()[side]);
    if (lines.back() == 0)
      return broken(op, 17)
             << "windows that fit dimension " << side + 1
             << " of A with its zeros, but got " << window << " on "
             << op.getA().getType() << "; use more zeros, or a smaller window";
  }
  for (auto [name, letter, parts, what] :
       {std::tuple("m", 'm', lines, "windows"),
        {"k", 'k', elements, "elements of a window"}}) {
    int64_t all = extentOfAll(parts), extent = op.getExtent(letter);
    if (all == kDynamic || ShapedType::isDynamic(extent) || all == extent)
      continue;
    return broken(op, 17) << name << " to be " << all << ", the number of "
                          << what << ", but got " << extent
                          << "; use that extent";
  }
  if (op.getImageAccess()->order())
    return broken(op, 17) << "windows that overlap, or reach zeros, but got "
                          << window << " on " << op.getA().getType()
                          << ", the rows of a matrix; use collapse_shape and "
                             "no window";
  return success();
}
