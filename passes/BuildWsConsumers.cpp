//===- BuildWsConsumers.cpp - The role that multiplies and stores ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The consumers of the kernels for sm_90a; see BuildWsKernel.h.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/BuildWsKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

void WsKernel::consumers() {
  OpBuilder::InsertionGuard guard(builder);
  std::optional<int64_t> registers;
  if (auto budget = knobs.budget())
    registers = budget->consumer;
  Block *body = openRole("consumer", knobs.groups() * 4, registers,
                         /*oneThread=*/false);
  placeGroup(body->getArgument(0));
  takeTiles();
  if (knobs.streams)
    finishCutTiles();
  // What the engine still reads must not go away with the block.
  if (knobs.storesByEngine())
    StoreWaitOp::create(builder, loc, 0, /*written=*/false);
}

void WsKernel::placeGroup(Value number) {
  group = number;
  // Groups are numbered along M first. A team's only group has the whole tile.
  Value alongM = knobs.teams > 1 ? i32(0) : group, alongN = i32(0);
  if (knobs.consumers[1] > 1) {
    Value consumersM = i32(knobs.consumers[0]);
    alongM = arith::RemUIOp::create(builder, loc, group, consumersM);
    alongN = arith::DivUIOp::create(builder, loc, group, consumersM);
  }
  groupRow = mul(alongM, knobs.groupRows());
  groupCol = mul(alongN, knobs.groupCols());
}

void WsKernel::takeTiles() {
  Turn start = {i32(0), i32(0)};
  Value first = worker, every = workers, orderPhase = i32(0);
  if (knobs.teams > 1) {
    // Of two teams the second takes the block's second tile. The first one's
    // turn comes without anybody giving it.
    first = add(worker, arith::MulIOp::create(builder, loc, group, workers));
    every = mul(workers, knobs.teams);
    start = skip(start, arith::MulIOp::create(builder, loc, group, steps));
    orderPhase = arith::XOrIOp::create(builder, loc, group, i32(1));
  }
  forEachTile(first, every, {start.slot, start.phase, orderPhase},
              [&](const Part &part, ValueRange state) {
                Turn turn = {state[0], state[1]};
                Values accs = multiplyTile(turn, part.steps, state[2]);
                finishPart(part, placeOf(part.tile), accs);
                Value following = state[2];
                if (knobs.teams > 1) {
                  turn = skip(turn, steps);
                  following =
                      arith::XOrIOp::create(builder, loc, following, i32(1));
                }
                return Values{turn.slot, turn.phase, following};
              });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

AccType WsKernel::accType(int64_t cols) {
  return AccType::get(builder.getContext(), kBandRows, cols,
                      builder.getF32Type(), /*warpsM=*/4, /*warpsN=*/1);
}

/// `steps` steps of a tile, from `turn` on, which moves behind them.
WsKernel::Values WsKernel::multiplyTile(Turn &turn, Value steps,
                                        Value orderPhase) {
  size_t bands = knobs.bands();
  if (knobs.teams > 1)
    AwaitOp::create(builder, loc, order, group, orderPhase);
  Value undefined =
      AccUndefinedOp::create(builder, loc, accType(knobs.groupCols()));
  Values state(bands, undefined);
  state.append({turn.slot, turn.slot, turn.phase});
  auto loop = scf::ForOp::create(builder, loc, i32(0), steps, i32(1), state);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange args = loop.getRegionIterArgs();
    Turn now = {args[bands + 1], args[bands + 2]};
    Value isLater = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, loop.getInductionVar(), i32(0));
    Values sums =
        waitFor(1, multiplySlot(now, args.take_front(bands), isLater));
    releaseBefore(args[bands], isLater);
    Turn following = next(now);
    sums.append({now.slot, following.slot, following.phase});
    scf::YieldOp::create(builder, loc, sums);
  }
  ValueRange results = loop.getResults();
  turn = {results[bands + 1], results[bands + 2]};
  // The other team's products follow these without a gap. All of this team's
  // threads have taken their turn then: where a tile is one step, nothing else
  // keeps one of them from waiting still when the turn comes back.
  if (knobs.teams > 1) {
    GroupBarrierOp::create(builder, loc);
    ArriveOp::create(builder, loc, order,
                     arith::XOrIOp::create(builder, loc, group, i32(1)),
                     /*blocks=*/Value());
  }
  Values sums = waitFor(0, results.take_front(bands));
  release(results[bands]);
  return sums;
}

/// The products of one slot, for each band. Where `keep` is false the sums
/// start at zero.
WsKernel::Values WsKernel::multiplySlot(Turn turn, ValueRange accs,
                                        Value keep) {
  AwaitOp::create(builder, loc, full, turn.slot, turn.phase);
  MmaFenceOp::create(builder, loc);
  Values sums;
  for (auto [band, acc] : llvm::enumerate(accs)) {
    Value sum = acc, row = add(groupRow, i32(band * kBandRows));
    for (int64_t step = 0; step < knobs.tile[2] / 16; ++step)
      sum = MmaAsyncOp::create(builder, loc, sum.getType(), ringA, turn.slot,
                               row, ringB, turn.slot, groupCol, step, sum,
                               step ? Value() : keep, !left.alongK,
                               !right.alongK);
    sums.push_back(sum);
  }
  MmaCommitOp::create(builder, loc);
  return sums;
}

WsKernel::Values WsKernel::waitFor(int64_t pending, ValueRange accs) {
  return Values(MmaWaitOp::create(builder, loc, pending, accs).getResults());
}

void WsKernel::release(Value slot) {
  ArriveOp::create(builder, loc, empty, slot, peers, peers ? 1 : knobs.peers());
}

/// Gives the slot of the step before this one back, if there was one.
void WsKernel::releaseBefore(Value slot, Value isLater) {
  auto branch = scf::IfOp::create(builder, loc, isLater);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  release(slot);
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

BatchPlace WsKernel::batchOf(const Place &place) {
  auto extend = [&](Value number) -> Value {
    if (!number)
      return Value();
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
  };
  Value batch = extend(place.batch);
  return {batch, extend(place.head)};
}

void WsKernel::placeEpilogue(const Place &place) {
  // Sums that meet are turned on the way.
  epilogue.placeOperands(batchOf(place), knobs.transposes && !knobs.meets());
}

void WsKernel::storeTile(const Place &place, ArrayRef<Value> accs) {
  placeEpilogue(place);
  Value matrix = knobs.storesByEngine() ? Value() : placeMatrixC(place);
  int64_t slots = cast<RingType>(ringC.getType()).getSlots(), number = 0;
  for (auto [band, acc] : llvm::enumerate(accs)) {
    int64_t from = 0;
    for (int64_t cols : chunks.cols) {
      Place at = place;
      at.row = add(add(place.row, groupRow), i32(band * kBandRows));
      at.col = add(add(place.col, groupCol), i32(from));
      Value part = SliceOp::create(builder, loc, accType(cols), acc, from);
      storeChunk(at, part, number++ % slots, matrix);
      from += cols;
    }
  }
}

void WsKernel::storeChunk(const Place &at, Value sums, int64_t slot,
                          Value matrix) {
  auto ring = cast<RingType>(ringC.getType());
  Value tile = epilogue.apply(sums, at.row, at.col);
  // The slot has been read: by the engine, or by threads that have since met at
  // the barrier of a chunk in another slot.
  if (!matrix)
    StoreWaitOp::create(builder, loc, ring.getSlots() - 1, /*written=*/false);
  if (!matrix || ring.getSlots() == 1)
    GroupBarrierOp::create(builder, loc);
  Value line = mul(group, chunkLines());
  StageOp::create(builder, loc, tile, ringC, i32(slot), line, knobs.transposes);
  if (!matrix)
    ProxyFenceOp::create(builder, loc);
  GroupBarrierOp::create(builder, loc);
  Value row = at.row, col = at.col;
  int64_t lines = kBandRows;
  if (knobs.transposes) {
    std::swap(row, col);
    lines = cast<AccType>(sums.getType()).getCols();
  }
  if (matrix) {
    StoreLinesOp::create(builder, loc, lines, ringC, i32(slot), line, matrix,
                         row, col);
    return;
  }
  for (int64_t from = 0; from < lines; from += chunks.boxLines)
    StoreAsyncOp::create(builder, loc, ringC, i32(slot), add(line, i32(from)),
                         maps["c"], add(row, i32(from)), col,
                         batchesOf(at, operands.c.batches));
  StoreCommitOp::create(builder, loc);
}
