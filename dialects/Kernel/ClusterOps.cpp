//===- ClusterOps.cpp - Verifiers of cluster ops --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that need a single op of ClusterOps.td: accumulators fit the partial
// sums that they are written to, or read from.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/PartialMap.h"
#include "dialects/Kernel/Verifiers.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone::kernel;

int64_t PartialType::getBytes() const {
  return partialBytes(getRows(), getCols());
}

LogicalResult PartialType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rows, int64_t cols) {
  return verifySumTile(emitError, rows, cols);
}

LogicalResult PartialOp::verify() {
  return verifyOffset(*this, getOffsetAttr().getInt(), kPanelBytes);
}

LogicalResult PartialPutOp::verify() {
  AccType acc = getAcc().getType();
  PartialType partial = getPartial().getType();
  if (failed(verifyPutSums(*this, acc)))
    return failure();
  int64_t rows = acc.getRows(), cols = acc.getCols();
  if (getTransposed())
    std::swap(rows, cols);
  if (rows > partial.getRows() || cols > partial.getCols())
    return emitOpError("expected partial sums of at least ")
           << rows << " x " << cols << ", but got " << partial;
  return success();
}

LogicalResult PartialSumOp::verify() {
  constexpr int64_t kMaxBlocks = 16;
  PartialType partial = getPartial().getType();
  int64_t blocks = getBlocksAttr().getInt();
  if (blocks < 1 || blocks > kMaxBlocks)
    return emitOpError("expected 1 to ")
           << kMaxBlocks << " blocks, but got " << blocks;
  int64_t stride = getStride();
  if (stride < 1 || (blocks - 1) * stride >= kMaxBlocks)
    return emitOpError("expected ")
           << blocks << " blocks of a cluster of at most " << kMaxBlocks
           << ", but got every " << stride << "-th";
  int64_t parts = getPartsAttr().getInt();
  if (parts < 1 || partial.getRows() % parts)
    return emitOpError("expected a number of parts that divides ")
           << partial.getRows() << " lines, but got " << parts;
  return verifyReadSums(*this, getAcc().getType(), partial.getRows() / parts,
                        partial.getCols());
}
