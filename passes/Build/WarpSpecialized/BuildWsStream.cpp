//===- BuildWsStream.cpp - Workers with equal runs of steps ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of tiles that a worker computes, and the completion of tiles that
// are cut between workers; see BuildWsKernel.h. A worker is a cluster: its
// blocks have a tile each, and slots and counters of their own.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Assignment of steps
//===----------------------------------------------------------------------===//

void WsKernel::countStream() {
  auto create = [&](auto tag, Value a, Value b) -> Value {
    return decltype(tag)::create(builder, loc, a, b);
  };
  auto div = [&](Value a, Value b) { return create(arith::DivUIOp(), a, b); };
  auto rem = [&](Value a, Value b) { return create(arith::RemUIOp(), a, b); };
  auto min = [&](Value a, Value b) { return create(arith::MinUIOp(), a, b); };
  auto isZero = [&](Value a) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a,
                                 i32(0));
  };
  // Tiles that fill the workers evenly are not cut.
  Value odd = rem(total, workers);
  streamed =
      select(isZero(odd), i32(0), add(odd, min(sub(total, odd), workers)));
  wholeTiles = div(sub(total, streamed), workers);

  // If the workers divide evenly among the tiles, each worker has steps of only
  // one tile. Otherwise it would leave sums twice. In the other case all
  // workers share all cut tiles.
  Value some = arith::MaxUIOp::create(builder, loc, streamed, i32(1));
  Value isEven = isZero(rem(workers, some));
  spanWorkers = select(isEven, div(workers, some), workers);
  spanSteps =
      select(isEven, mul(steps, min(streamed, i32(1))), mul(streamed, steps));
  // The first workers have one step more than the others.
  runSteps = div(spanSteps, spanWorkers);
  longer = rem(spanSteps, spanWorkers);
  auto startOf = [&](Value number) {
    Value inSpan = rem(number, spanWorkers);
    return add(mul(div(number, spanWorkers), spanSteps),
               add(mul(inSpan, runSteps), min(inSpan, longer)));
  };
  runStart = startOf(worker);
  runEnd = startOf(add(worker, i32(1)));
  firstTile = div(runStart, steps);
  Value afterLast = arith::CeilDivUIOp::create(builder, loc, runEnd, steps);
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        runStart, runEnd);
  cutTiles = select(isEmpty, i32(0), sub(afterLast, firstTile));
}

Value WsKernel::workerOf(Value step) {
  // Only workers with a part of a tile get here, so there are steps.
  Value span = arith::DivUIOp::create(builder, loc, step, spanSteps);
  Value inSpan = arith::RemUIOp::create(builder, loc, step, spanSteps);
  Value one = i32(1), ofLonger = mul(longer, add(runSteps, one));
  Value isEarly = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        inSpan, ofLonger);
  Value early =
      arith::DivUIOp::create(builder, loc, inSpan, add(runSteps, one));
  // If all runs have one step or none, the result for a later run is unused.
  Value atLeastOne = arith::MaxUIOp::create(builder, loc, runSteps, one);
  Value late = arith::DivUIOp::create(
      builder, loc, select(isEarly, i32(0), sub(inSpan, ofLonger)), atLeastOne);
  return add(mul(span, spanWorkers), select(isEarly, early, add(longer, late)));
}

WsKernel::Part WsKernel::partAt(Value number) {
  Value isCut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      number, cutTiles);
  Value later = sub(number, cutTiles);
  Value whole = add(add(streamed, worker), mul(later, workers));
  Part part;
  part.tile = select(isCut, add(firstTile, number), whole);
  Value start = mul(part.tile, steps), end = add(start, steps);
  Value from = arith::MaxUIOp::create(builder, loc, start, runStart);
  Value to = arith::MinUIOp::create(builder, loc, end, runEnd);
  part.firstStep = select(isCut, sub(from, start), i32(0));
  part.steps = select(isCut, sub(to, from), steps);
  part.isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       part.steps, steps);
  return part;
}

void WsKernel::forEachPart(ValueRange initial, Body body) {
  forEach(add(cutTiles, wholeTiles), initial,
          [&](Value number, ValueRange state) {
            return body(partAt(number), state);
          });
}

//===----------------------------------------------------------------------===//
// Tiles that are cut
//===----------------------------------------------------------------------===//

/// The slots of one block of the worker are consecutive.
Value WsKernel::slotOf(Value tile, Value number) {
  Value slot = add(tile, number);
  return rank ? add(mul(rank, add(streamed, workers)), slot) : slot;
}

Value WsKernel::counterOf(Value tile) {
  return rank ? add(mul(rank, streamed), tile) : tile;
}

/// Writes this group's sums to memory and counts.
void WsKernel::leaveSums(const Part &part, ArrayRef<Value> accs) {
  Value slot = slotOf(part.tile, worker);
  for (auto [band, acc] : llvm::enumerate(accs))
    SumsPutOp::create(builder, loc, acc, sums, slot,
                      add(groupRow, i32(band * kBandRows)), groupCol);
  GroupBarrierOp::create(builder, loc);
  CountArriveOp::create(builder, loc, counters, counterOf(part.tile));
}

void WsKernel::finishCutTiles() {
  forEach(cutTiles, {}, [&](Value number, ValueRange) {
    Part part = partAt(number);
    Value isCut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        part.steps, steps);
    auto branch = scf::IfOp::create(builder, loc, isCut);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    finishShare(part);
    return Values();
  });
}

/// The groups of the workers that have a part of the tile take pieces of some
/// lines in turn.
void WsKernel::finishShare(const Part &part) {
  Value start = mul(part.tile, steps);
  Value first = workerOf(start);
  Value last = workerOf(sub(add(start, steps), i32(1)));
  Value sharing = add(sub(last, first), i32(1));
  Value groups = mul(sharing, knobs.groups());
  Value counter = counterOf(part.tile);
  CountAwaitOp::create(builder, loc, counters, counter, groups);
  GroupBarrierOp::create(builder, loc);

  Place place = placeOf(part);
  placeEpilogue(place);
  Value matrix = placeMatrixC(place);
  AccType piece = runType(pieceRows());
  int64_t pieces = knobs.tileRows() / piece.getRows();
  Value number = add(mul(sub(worker, first), knobs.groups()), group);
  auto loop = scf::ForOp::create(builder, loc, number, i32(pieces), groups);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value line = mul(loop.getInductionVar(), piece.getRows());
    Value total =
        SumsTotalOp::create(builder, loc, piece, sums, slotOf(part.tile, first),
                            add(slotOf(part.tile, last), i32(1)), line);
    Value row = add(place.row, line);
    StoreOp::create(builder, loc, epilogue.apply(total, row, place.col), matrix,
                    row, place.col);
  }
  // All threads have read before the last one clears the counter.
  GroupBarrierOp::create(builder, loc);
  CountLeaveOp::create(builder, loc, counters, counter, groups);
}

/// The lines of a piece: the minimum that gives every thread a run, so that all
/// workers of a tile get pieces. A thread has the sums of several parts at
/// once, so runs are shorter if it would have too many elements.
int64_t WsKernel::pieceRows() const {
  constexpr int64_t kThreads = 128, kRuns[] = {8, 4, 2}, kMax = 16;
  int64_t cols = knobs.tileCols(), rows = 1;
  for (int64_t run : kRuns) {
    for (rows = 1; rows < kBandRows && rows * cols % (run * kThreads);)
      rows *= 2;
    if (rows * cols <= kMax * kThreads)
      break;
  }
  return rows;
}
