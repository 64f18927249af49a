//===- LineOps.cpp - Verifiers of ops on lines that start anywhere --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a single op of LineOps.td can know.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/LineMap.h"
#include "dialects/Kernel/Verifiers.h"

using namespace mlir;
using namespace hone::kernel;

LogicalResult StoreLinesOp::verify() {
  constexpr int64_t kLeastBytes = 2 * kWordBytes;
  if (failed(verifyGroup(*this)))
    return failure();
  RingType ring = getRing().getType();
  MatrixType matrix = getMatrix().getType();
  if (ring.getElement() != matrix.getElement())
    return emitOpError("expected slots and a matrix of the same elements, but "
                       "got ")
           << ring << " and " << matrix;
  if (ring.getLineBytes() < kLeastBytes)
    return emitOpError("expected slots with lines of at least ")
           << kLeastBytes << " bytes, but got " << ring.getLineBytes();
  if (int64_t(getLines()) > ring.getLines())
    return emitOpError("expected slots of at least ")
           << getLines() << " lines, but got " << ring.getLines();
  return success();
}

LogicalResult CopyLinesOp::verify() {
  MatrixType source = getSource().getType(), target = getTarget().getType();
  if (source.getElement() != target.getElement())
    return emitOpError("expected matrices of the same elements, but got ")
           << source << " and " << target;
  if (source.getElement().getIntOrFloatBitWidth() != 16)
    return emitOpError("expected elements of 2 bytes, but got ")
           << source.getElement();
  if (target.getAlign() % kChunkBytes)
    return emitOpError("expected a target whose lines start at multiples of ")
           << kChunkBytes << " bytes, but got " << target;
  return success();
}
