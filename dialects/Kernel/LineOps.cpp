//===- LineOps.cpp - Verifiers of ops on lines of any alignment -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that need a single op of LineOps.td.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/LineMap.h"
#include "dialects/Kernel/Verifiers.h"

using namespace mlir;
using namespace hone::kernel;

LogicalResult StoreLinesOp::verify() {
  constexpr int64_t kMinBytes = 2 * kWordBytes;
  if (failed(verifyGroup(*this)))
    return failure();
  RingType ring = getRing().getType();
  MatrixType matrix = getMatrix().getType();
  if (ring.getElement() != matrix.getElement())
    return emitOpError("expected slots and a matrix of the same elements, but "
                       "got ")
           << ring << " and " << matrix;
  if (ring.getLineBytes() < kMinBytes)
    return emitOpError("expected slots with lines of at least ")
           << kMinBytes << " bytes, but got " << ring.getLineBytes();
  if (int64_t(getLines()) > ring.getLines())
    return emitOpError("expected slots of at least ")
           << getLines() << " lines, but got " << ring.getLines();
  return success();
}

/// Checks the operands of a copy, for both directions of lines.
template <typename Op>
static LogicalResult verifyCopy(Op op) {
  MatrixType source = op.getSource().getType(),
             target = op.getTarget().getType();
  Type element = source.getElement();
  bool widens = std::is_same_v<Op, CopyLinesOp> && !op.getLow() &&
                mayWiden(element, target.getElement());
  if (element != target.getElement() && !widens)
    return op.emitOpError("expected matrices of the same elements, but got ")
           << source << " and " << target;
  int64_t bits = element.getIntOrFloatBitWidth();
  if (bits != 8 && bits != 16 && bits != 32)
    return op.emitOpError("expected elements of 1, 2 or 4 bytes, but got ")
           << element;
  if (target.getAlign() % kChunkBytes)
    return op.emitOpError(
               "expected a target whose lines start at multiples of ")
           << kChunkBytes << " bytes, but got " << target;
  if (!op.getLow())
    return success();
  if (!element.isF32())
    return op.emitOpError("expected f32 to split, but got ") << element;
  if (op.getLow().getType() != target)
    return op.emitOpError("expected both parts in matrices of the same type, "
                          "but got ")
           << target << " and " << op.getLow().getType();
  return success();
}

LogicalResult CopyLinesOp::verify() { return verifyCopy(*this); }

LogicalResult TransposeLinesOp::verify() { return verifyCopy(*this); }
