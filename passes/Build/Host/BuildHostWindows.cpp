//===- BuildHostWindows.cpp - Panels of windows of an image ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The A of a convolution is packed from the image itself: no matrix of windows
// is made. Each element is read by its own index; zeros stand for elements
// outside of the image.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/Host/BuildHostParts.h"

using namespace mlir;
using namespace hone;
using namespace hone::host;

namespace {
/// Writes index arithmetic.
class Arithmetic {
public:
  explicit Arithmetic(ImplicitLocOpBuilder &b) : b(b) {}

  Value add(Value left, Value right) {
    return arith::AddIOp::create(b, left, right);
  }
  Value add(Value left, int64_t right) { return add(left, index(b, right)); }
  Value times(Value left, Value right) {
    return arith::MulIOp::create(b, left, right);
  }
  Value times(Value left, int64_t right) {
    return times(left, index(b, right));
  }
  /// Takes the innermost digit, of `extent` values, from `number`.
  Value takeDigit(Value &number, Value extent) {
    Value digit = arith::RemUIOp::create(b, number, extent);
    number = arith::DivUIOp::create(b, number, extent);
    return digit;
  }
  /// As unsigned numbers, so that one below 0 is above.
  Value isBelow(Value left, Value right) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, left, right);
  }
  Value both(Value left, Value right) {
    return arith::AndIOp::create(b, left, right);
  }

private:
  ImplicitLocOpBuilder &b;
};

/// An image of the function under construction.
struct ImageParts {
  Value image;
  WindowAttr window;
  SmallVector<Value> extents; ///< of the image's dimensions
  SmallVector<Value> counts;  ///< of windows along each side
};
} // namespace

/// The number of windows along a side of `extent` positions.
static Value countOf(ImplicitLocOpBuilder &b, WindowAttr window, unsigned side,
                     Value extent) {
  int64_t room = window.getLow()[side] + window.getHigh()[side] -
                 (window.getSize()[side] - 1) * window.getDilation()[side] - 1;
  Value last = arith::DivUIOp::create(b, Arithmetic(b).add(extent, room),
                                      index(b, window.getStep()[side]));
  return Arithmetic(b).add(last, 1);
}

/// The indices of element `k` of window `m`, and whether it is in the image.
static Value indexOf(ImplicitLocOpBuilder &b, const ImageParts &parts, Value m,
                     Value k, Value isInside, SmallVectorImpl<Value> &indices) {
  Arithmetic math(b);
  WindowAttr window = parts.window;
  Value channel = math.takeDigit(k, parts.extents.back());
  SmallVector<Value> positions;
  for (unsigned side = window.getSize().size(); side-- > 0;) {
    Value start = math.takeDigit(m, parts.counts[side]);
    Value element = math.takeDigit(k, index(b, window.getSize()[side]));
    Value position = math.add(math.times(start, window.getStep()[side]),
                              math.times(element, window.getDilation()[side]));
    position = math.add(position, -window.getLow()[side]);
    isInside =
        math.both(isInside, math.isBelow(position, parts.extents[side + 1]));
    positions.insert(positions.begin(), position);
  }
  indices.push_back(m);
  indices.append(positions.begin(), positions.end());
  indices.push_back(channel);
  return isInside;
}

func::FuncOp host::buildWindowPack(ImplicitLocOpBuilder &b,
                                   const Kernel &kernel, StringRef suffix,
                                   const Packing &packing) {
  OpBuilder::InsertionGuard guard(b);
  Type number = b.getIndexType();
  Type types[] = {packing.source, panelsType(b.getContext(), packing.width),
                  number,         number,
                  number,         number,
                  number};
  auto function = startFunction(b, kernel.name + suffix.str(), types);
  ImageParts parts = {function.getArgument(0), packing.window, {}, {}};
  Value panels = function.getArgument(1), depth = function.getArgument(2);
  Value firstLine = function.getArgument(3), lines = function.getArgument(4);
  Value firstStep = function.getArgument(5), steps = function.getArgument(6);
  for (int64_t dim = 0; dim < packing.source.getRank(); ++dim)
    parts.extents.push_back(memref::DimOp::create(b, parts.image, dim));
  for (unsigned side = 0; side < packing.window.getSize().size(); ++side)
    parts.counts.push_back(
        countOf(b, packing.window, side, parts.extents[side + 1]));

  Arithmetic math(b);
  Value panel = enterLoop(b, index(b, 0), ceilDiv(b, lines, packing.width), 1);
  Value row = enterLoop(b, index(b, 0), depth, 1);
  Value column = enterLoop(b, index(b, 0), index(b, packing.width), 1);
  Value line = math.add(math.times(panel, packing.width), column);
  Value isThere =
      math.both(math.isBelow(line, lines), math.isBelow(row, steps));
  SmallVector<Value> indices;
  Value isInside = indexOf(b, parts, math.add(firstLine, line),
                           math.add(firstStep, row), isThere, indices);
  auto choice = scf::IfOp::create(b, TypeRange{b.getF32Type()}, isInside,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value element = memref::LoadOp::create(b, parts.image, indices);
    scf::YieldOp::create(b, convertFloat(b, element, b.getF32Type()));
    b.setInsertionPointToStart(choice.elseBlock());
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    scf::YieldOp::create(b, zero);
  }
  memref::StoreOp::create(b, choice.getResult(0), panels,
                          ValueRange{panel, row, column});
  return function;
}
