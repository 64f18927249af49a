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

/// True if the last dimension of an image is contiguous, and no stride is known
/// to be below 1.
static bool hasPixels(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return true;
  SmallVector<int64_t> strides = memref.getStridesAndOffset().first;
  bool isContiguous = strides.back() == 1 || type.getShape().back() == 1;
  return isContiguous && llvm::all_of(strides, [](int64_t stride) {
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

// matmul_c18
LogicalResult matmul::verifyRagged(MatmulOp op) {
  if (!op.getRagged())
    return success();
  if (op.getFurther().empty())
    return broken(op, 18)
           << "ends of ragged rows, but got no operand for them; "
              "use a tensor of i32";
  if (op.isBatched() || op.getWindowAttr())
    return broken(op, 18) << "ragged rows without "
                          << (op.isBatched() ? "batches" : "a window")
                          << ", but got both; use a matmul for each group";
  ShapedType ends = op.getEnds().getType();
  if (ends.getRank() != 1 || !ends.getElementType().isSignlessInteger(32))
    return broken(op, 18) << "the ends of groups in one dimension of i32, but "
                             "got "
                          << ends << "; use a conversion before the matmul";
  int64_t groups =
      op.getB().getType().getDimSize(op.getLettersB().find(kBatchLetters[0]));
  if (failed(verifyCompatibleShape({ends.getDimSize(0)}, {groups})))
    return broken(op, 18) << "an end for each of the " << groups
                          << " matrices of B, but got " << ends.getDimSize(0)
                          << "; use the number of groups for both";
  auto memref = dyn_cast<MemRefType>(ends);
  if (memref && memref.getStridesAndOffset().first.back() != 1)
    return broken(op, 18) << "adjacent ends in memory, but got " << memref
                          << "; use a copy";
  return success();
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
