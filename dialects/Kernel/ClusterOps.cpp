//===- ClusterOps.cpp - Verifiers of what crosses a block's border --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a single op of ClusterOps.td can know: accumulators fit the partial sums
// they are written to, or are read from.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/PartialMap.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone::kernel;

int64_t PartialType::getBytes() const {
  return partialBytes(getRows(), getCols());
}

LogicalResult PartialType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rows, int64_t cols) {
  constexpr int64_t kMost = 1024, kPiece = 16;
  for (int64_t extent : {rows, cols})
    if (extent < kPiece || extent > kMost || extent % kPiece)
      return emitError() << "expected extents that are multiples of " << kPiece
                         << " up to " << kMost << ", but got " << rows << " x "
                         << cols;
  return success();
}

void PartialOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getPartial(), "partial");
}
void PartialSumOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getAcc(), "share");
}

LogicalResult PartialOp::verify() {
  int64_t offset = getOffsetAttr().getInt();
  if (offset < 0 || offset % kPanelBytes)
    return emitOpError("expected an offset that is a multiple of ")
           << kPanelBytes << " bytes, but got " << offset;
  return success();
}

LogicalResult PartialPutOp::verify() {
  AccType acc = getAcc().getType();
  PartialType partial = getPartial().getType();
  if (!acc.getElement().isF32() || acc.getRun())
    return emitOpError("expected an accumulator of f32 without runs, but got ")
           << acc;
  int64_t rows = acc.getRows(), cols = acc.getCols();
  if (getTransposed())
    std::swap(rows, cols);
  if (rows > partial.getRows() || cols > partial.getCols())
    return emitOpError("expected partial sums of at least ")
           << rows << " x " << cols << ", but got " << partial;
  return success();
}

LogicalResult PartialSumOp::verify() {
  constexpr int64_t kMostBlocks = 16;
  AccType acc = getAcc().getType();
  PartialType partial = getPartial().getType();
  int64_t blocks = getBlocksAttr().getInt();
  if (blocks < 1 || blocks > kMostBlocks)
    return emitOpError("expected 1 to ")
           << kMostBlocks << " blocks, but got " << blocks;
  int64_t parts = getPartsAttr().getInt();
  if (parts < 1 || partial.getRows() % parts)
    return emitOpError("expected a number of parts that divides ")
           << partial.getRows() << " lines, but got " << parts;
  if (!acc.getElement().isF32() || !acc.getRun())
    return emitOpError("expected a result of f32 in runs, but got ") << acc;
  int64_t rows = partial.getRows() / parts;
  if (acc.getRows() > rows || acc.getCols() != partial.getCols())
    return emitOpError("expected a result of at most ")
           << rows << " lines of " << partial.getCols() << ", but got " << acc;
  return success();
}
