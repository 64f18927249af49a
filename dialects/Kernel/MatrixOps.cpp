//===- MatrixOps.cpp - Ops on matrices and fragments ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and verifiers. The verifiers check properties of a single op: its types fit
// each other and the instructions that they represent. The simulator checks
// sequences of events.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Verifiers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Names of results, so that a printed kernel can be read
//===----------------------------------------------------------------------===//

void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getFragment(), getFragment().getType().getSide());
}
void SplitOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getHigh(), "high");
  setName(getLow(), "low");
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult verifyElement(OpT op, Type element) {
  Type ofBuffer = op.getBuffer().getType().getElement();
  if (element == ofBuffer)
    return success();
  return op.emitOpError("expected the buffer's element type ")
         << ofBuffer << ", but got " << element;
}

LogicalResult MatrixOp::verify() {
  return verifyElement(*this, getMatrix().getType().getElement());
}

LogicalResult OperandOp::verify() {
  return verifyElement(*this, getOperand().getType().getElement());
}

template <typename OpT>
static LogicalResult verifyEnds(OpT op) {
  Type element = op.getEnds().getType().getElement();
  if (element.isSignlessInteger(32))
    return success();
  return op.emitOpError("expected ends of segments in i32, but got ")
         << element;
}

LogicalResult SegmentOp::verify() {
  if (!getAfter().empty() && getAfter().size() != 3)
    return emitOpError("expected a segment, a row and a number of tiles after "
                       "'after', but got ")
           << getAfter().size() << " values";
  return verifyEnds(*this);
}
LogicalResult SegmentBoundsOp::verify() { return verifyEnds(*this); }

LogicalResult RingOp::verify() {
  return verifyOffset(*this, getOffsetAttr().getInt(), /*align=*/1024);
}

LogicalResult CopyOp::verify() {
  if (getMatrix().getType().getElement() != getRing().getType().getElement())
    return emitOpError("expected a ring of ")
           << getMatrix().getType().getElement() << ", but got one of "
           << getRing().getType().getElement();
  if (bool(getIndex()) != bool(getCount()))
    return emitOpError("expected an index and its count, but got only one");
  if (getIndex()) {
    Type element = getIndex().getType().getElement();
    if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
      return emitOpError("expected an index of i32 or i64, but got ")
             << element;
    if (getTransposed())
      return emitOpError("expected an index of lines, but got transposed; "
                         "leave out one");
  }
  if (!getTransposed())
    return success();
  RingType ring = getRing().getType();
  if (ring.getElement().getIntOrFloatBitWidth() != 32)
    return emitOpError("expected elements of 32 bits to transpose, but got ")
           << ring.getElement();
  if (ring.getLines() % 8 || ring.getWidth() % 4)
    return emitOpError("expected a multiple of 8 lines of a multiple of 4 "
                       "elements to transpose to, but got ")
           << ring.getLines() << " of " << ring.getWidth();
  return success();
}

LogicalResult ReadOp::verify() {
  RingType ring = getRing().getType();
  FragmentType fragment = getFragment().getType();
  if (isWidened() && !mayWiden(ring.getElement(), fragment.getElement()))
    return emitOpError("expected a fragment of ")
           << ring.getElement()
           << (isByte(ring.getElement()) ? " or of 16 bits" : "")
           << ", but got one of " << fragment.getElement();
  int64_t rows = getTransposed() ? ring.getWidth() : ring.getLines();
  int64_t depth = getTransposed() ? ring.getLines() : ring.getWidth();
  if (getRows() ? rows < fragment.getRows() : rows != fragment.getRows())
    return emitOpError("expected a fragment of ")
           << (getRows() ? "at most " : "") << rows
           << " rows, as a slot has, but got " << fragment.getRows();
  int64_t step = getStepAttr().getInt();
  int64_t ofStep = fragment.getStep();
  if (fragment.getDepth() && getTransposed())
    return emitOpError(
        "expected lines along k for a fragment with a depth, but "
        "got transposed; transpose the copy");
  if (step < 0 || (step + 1) * ofStep > depth)
    return emitOpError("expected a step below ")
           << depth / ofStep << ", the k" << ofStep
           << " steps of a slot, but got " << step;
  return success();
}

LogicalResult SplitOp::verify() {
  FragmentType type = getFragment().getType();
  if (type.getElement().isF32() && !type.getDepth())
    return success();
  return emitOpError("expected a fragment of f32 for tensor cores, but got ")
         << type;
}

/// Checks of a product, for any instruction. `op` is an MmaOp or FmaOp.
template <typename Op>
static LogicalResult verifyProduct(Op op) {
  FragmentType a = op.getA().getType(), b = op.getB().getType();
  AccType acc = op.getAcc().getType();
  if (!a.isA() || b.isA())
    return op.emitOpError("expected fragments \"a\" and \"b\", but got \"")
           << a.getSide() << "\" and \"" << b.getSide() << "\"";
  if (!multiplyEachOther(a.getElement(), b.getElement()))
    return op.emitOpError(
               "expected both fragments of one element type, or of floats of 8 "
               "bits, but got ")
           << a.getElement() << " and " << b.getElement();
  Type sum = hone::accumulatorOf(a.getElement());
  if (acc.getElement() != sum || acc.getRun())
    return op.emitOpError("expected an accumulator of ")
           << nameOfSum(sum) << " without runs, but got " << acc;
  if (a.getRows() != acc.getRows() || b.getRows() != acc.getCols())
    return op.emitOpError("expected an accumulator of ")
           << a.getRows() << " x " << b.getRows() << ", but got "
           << acc.getRows() << " x " << acc.getCols();
  auto warps = [](auto type) {
    return std::pair(type.getWarpsM(), type.getWarpsN());
  };
  if (warps(a) != warps(acc) || warps(b) != warps(acc))
    return op.emitOpError("expected one grid of warps for a, b and acc");
  return success();
}

LogicalResult MmaOp::verify() {
  FragmentType a = getA().getType(), b = getB().getType();
  if (getSplit() && !a.getElement().isF32())
    return emitOpError("expected fragments of f32 to split, but got ")
           << a.getElement();
  if (getApart() && a.getElement().isInteger())
    return emitOpError("expected fragments of floats to add steps apart, "
                       "because sums of integers are exact, but got ")
           << a.getElement();
  if (a.getDepth() || b.getDepth())
    return emitOpError("expected fragments without a depth, but got one of ")
           << std::max(a.getDepth(), b.getDepth()) << "; use kernel.fma";
  return verifyProduct(*this);
}

LogicalResult FmaOp::verify() {
  if (!getA().getType().getDepth() || !getB().getType().getDepth())
    return emitOpError("expected fragments with a depth, but got one without; "
                       "use kernel.mma");
  return verifyProduct(*this);
}

LogicalResult EpilogueOp::verify() {
  if (getOrigin().size() != 2 || getExtents().size() != 2)
    return emitOpError("expected two coordinates and two extents, but got ")
           << getOrigin().size() << " and " << getExtents().size();
  AccType from = getAcc().getType(), to = getResult().getType();
  auto isLike = [&](AccType other) {
    return other == AccType::get(getContext(), from.getRows(), from.getCols(),
                                 other.getElement(), from.getWarpsM(),
                                 from.getWarpsN(), from.getRun());
  };
  if (!isLike(to))
    return emitOpError("expected a result of the accumulator's shape, but got ")
           << to;
  SmallVector<Type> expected{from.getElement()};
  for (Value input : getInputs()) {
    auto tile = dyn_cast<AccType>(input.getType());
    if (tile && !isLike(tile))
      return emitOpError("expected tiles of the accumulator's shape, but got ")
             << tile;
    expected.push_back(tile ? tile.getElement()
                            : cast<OperandType>(input.getType()).getElement());
  }
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError("expected region arguments ")
           << TypeRange(expected) << ", but got "
           << getBody().getArgumentTypes();
  Block &body = getBody().front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValue().getType() != to.getElement())
    return emitOpError("expected the region to yield ") << to.getElement();
  return success();
}

LogicalResult StoreOp::verify() {
  if (getAcc().getType().getElement() != getMatrix().getType().getElement())
    return emitOpError("expected a matrix of ")
           << getAcc().getType().getElement() << ", but got one of "
           << getMatrix().getType().getElement();
  return success();
}
