//===- Producer.cpp - Rewrites of the role that loads ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of loads, and prefetches to the L2.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Rewrite/Menu.h"
#include "passes/Rewrite/Parts.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

/// loads(cols_first): the loads of a slot in reverse order.
Outcome hone::rewrite::orderLoads(gpu::GPUFuncOp kernel, StringRef) {
  Loading loading;
  if (Outcome refused = find(kernel, loading))
    return refused;
  size_t count = loading.loads.size();
  if (count < 2)
    return Refusal{loading.loop,
                   "expected two loads for a slot or more, but got " +
                       std::to_string(count)};
  for (size_t i = count - 1; i > 0; --i)
    loading.loads[i - 1]->moveAfter(loading.loads[i]);
  return std::nullopt;
}

/// The start of the tile that is `steps` steps after the load's tile. The
/// coordinate along K is the one that the loop computes.
static std::pair<Value, Value> placeAhead(OpBuilder &builder, LoadOp load,
                                          bool alongLines, int64_t steps) {
  RingType ring = load.getRing().getType();
  Value line = load.getLine(), column = load.getColumn();
  Value &moving = alongLines ? line : column;
  int64_t distance = steps * (alongLines ? ring.getLines() : ring.getWidth());
  moving = arith::AddIOp::create(builder, load.getLoc(), moving,
                                 i32(builder, load.getLoc(), distance));
  return {line, column};
}

/// prefetch(n): after the loads of a slot, the tiles of the slot n steps later
/// are fetched to the L2. Tiles after the end of K are outside of the matrix.
Outcome hone::rewrite::prefetchAhead(gpu::GPUFuncOp kernel, StringRef value) {
  Loading loading;
  if (Outcome refused = find(kernel, loading))
    return refused;
  int64_t steps;
  if (value.getAsInteger(10, steps))
    return Refusal{kernel,
                   "expected a number of steps, but got '" + value.str() + "'"};
  llvm::SmallVector<bool, 2> alongLines;
  for (LoadOp load : loading.loads) {
    if (load.getMap().getType().getWindow())
      return Refusal{load, "expected loads without a window, whose next step "
                           "is not a sum of coordinates, but got one"};
    bool line = !loading.loop.isDefinedOutsideOfLoop(load.getLine());
    bool column = !loading.loop.isDefinedOutsideOfLoop(load.getColumn());
    if (line == column)
      return Refusal{load, "expected one coordinate that the loop moves, but "
                           "got none or both"};
    alongLines.push_back(line);
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(loading.loads.back());
  for (auto [load, isLine] : llvm::zip_equal(loading.loads, alongLines)) {
    auto [line, column] = placeAhead(builder, load, isLine, steps);
    PrefetchOp::create(builder, load.getLoc(), load.getMap(), line, column,
                       load.getBatches(), load.getOffsets(), load.getRing(),
                       load.getPart(), load.getParts());
  }
  return std::nullopt;
}
