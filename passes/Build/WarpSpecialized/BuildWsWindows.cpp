//===- BuildWsWindows.cpp - Windows of the ws kernel ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coordinates of a convolution's loads: the corner of a tile's first window,
// and the taps of the filter; see BuildWsKernel.h.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

using namespace mlir;
using namespace hone;

Value WsKernel::div(Value a, Value b) {
  return arith::DivUIOp::create(builder, loc, a, b);
}

Value WsKernel::rem(Value a, Value b) {
  return arith::RemUIOp::create(builder, loc, a, b);
}

WsKernel::Corner WsKernel::cornerOf(const Place &place) {
  if (!operands.hasWindows)
    return {};
  bool isLeft = left.hasWindows;
  const WsSide &side = isLeft ? left : right;
  Value window = isLeft ? place.row : place.col;
  if (Value part = inCluster[isLeft])
    window = add(window, mul(part, side.tile / side.sharing));
  Value ofImage = mul(params["outh"], params["outw"]);
  Value inImage = rem(window, ofImage);
  Value row = mul(div(inImage, params["outw"]), params["steph"]);
  Value column = mul(rem(inImage, params["outw"]), params["stepw"]);
  return {div(window, ofImage), sub(row, params["padh"]),
          sub(column, params["padw"])};
}

/// The tap of a part's first step: its column and row in the filter, its
/// number, and the first channel. Empty without windows.
WsKernel::Values WsKernel::firstTap(const Part &part) {
  if (!operands.hasWindows)
    return {};
  Value zero = i32(0);
  if (knobs.splits == 1 && !knobs.streams)
    return {zero, zero, zero, zero};
  Value number = rem(part.firstStep, params["taps"]);
  Value channel = mul(div(part.firstStep, params["taps"]), knobs.tile[2]);
  return {rem(number, params["filterw"]), div(number, params["filterw"]),
          number, channel};
}

/// Counts, because a division at each step would take longer than the products
/// of a small tile.
WsKernel::Values WsKernel::nextTap(ValueRange tap) {
  if (tap.empty())
    return {};
  auto isAt = [&](Value number, const char *end) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                                 params[end]);
  };
  Value zero = i32(0), one = i32(1);
  Value column = add(tap[0], one), inNextRow = isAt(column, "filterw");
  Value row = add(
      tap[1], arith::ExtUIOp::create(builder, loc, one.getType(), inNextRow));
  Value isPast = isAt(row, "filterh");
  return {select(inNextRow, zero, column), select(isPast, zero, row),
          select(isPast, zero, add(tap[2], one)),
          add(tap[3], select(isPast, i32(knobs.tile[2]), zero))};
}
