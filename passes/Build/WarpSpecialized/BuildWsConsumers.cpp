//===- BuildWsConsumers.cpp - Consumer role of the ws kernel --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The consumers of the kernels for sm_90a; see BuildWsKernel.h.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

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
  // The ends of ragged rows are read before the first slot is awaited.
  if (problem.groups)
    DependWaitOp::create(builder, loc);
  takeTiles();
  if (knobs.streams)
    finishCutTiles();
  // The block must not end while the engine still reads its memory.
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
    // Of two teams the second takes the block's second tile. The first team's
    // first turn needs no handover.
    first = add(worker, arith::MulIOp::create(builder, loc, group, workers));
    every = mul(workers, knobs.teams);
    start = skip(start, arith::MulIOp::create(builder, loc, group, steps));
    orderPhase = arith::XOrIOp::create(builder, loc, group, i32(1));
  }
  Values initial = {start.slot, start.phase, orderPhase};
  if (residual)
    initial.push_back(i32(0));
  forEachTile(first, every, initial, [&](const Part &given, ValueRange state) {
    Turn turn = {state[0], state[1]};
    Value order = state[2], residualPhase = residual ? state[3] : Value();
    if (problem.groups) {
      turn = takeSegment(given, turn);
      return Values{turn.slot, turn.phase, order};
    }
    // A residual needs the tile's place before its sums are complete.
    Place place;
    if (residual)
      place = placeOf(given);
    Values accs = multiplyTile(turn, given.steps, order, [&](Value step) {
      if (residual)
        bringFirst(given, place, step);
    });
    if (!residual)
      place = placeOf(given);
    finishPart(given, place, accs, residualPhase);
    if (knobs.teams > 1) {
      turn = skip(turn, steps);
      order = arith::XOrIOp::create(builder, loc, order, i32(1));
    }
    Values after = {turn.slot, turn.phase, order};
    if (residual)
      after.push_back(phaseAfter(given, residualPhase));
    return after;
  });
}

/// A tile of ragged rows, which one team takes.
WsKernel::Turn WsKernel::takeSegment(const Part &given, Turn turn) {
  Place place = placeOf(given);
  Part part = partOf(given, place);
  auto take = [&] {
    Turn after = turn;
    Values accs =
        multiplyTile(after, part.steps, /*orderPhase=*/Value(), [](Value) {});
    finishPart(part, place, accs, /*residualPhase=*/Value());
    return Values{after.slot, after.phase};
  };
  bool isPart = knobs.consumers[0] * knobs.cluster[0] > 1;
  if (knobs.persistent && !isPart) {
    Values after = take();
    return {after[0], after[1]};
  }
  // A group whose part of the tile has no rows gives the slots back as they
  // come, which leaves the tensor cores to the others.
  Value hasRows = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        add(place.row, groupRow), place.end);
  Type type = builder.getI32Type();
  auto branch = scf::IfOp::create(builder, loc, TypeRange{type, type}, hasRows,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, take());
  builder.setInsertionPointToStart(branch.elseBlock());
  // A tile that has no rows at all is beyond the last one, and has one step.
  Values after = {turn.slot, turn.phase};
  after = isPart ? forEach(part.steps, after,
                           [&](Value, ValueRange state) {
                             return passSlot({state[0], state[1]});
                           })
                 : passSlot(turn);
  scf::YieldOp::create(builder, loc, after);
  return {branch.getResult(0), branch.getResult(1)};
}

/// Gives a slot back without its products.
WsKernel::Values WsKernel::passSlot(Turn turn) {
  AwaitOp::create(builder, loc, full, turn.slot, turn.phase);
  // No thread still waits for the slot when it is filled again.
  GroupBarrierOp::create(builder, loc);
  release(turn.slot);
  Turn following = next(turn);
  return {following.slot, following.phase};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

AccType WsKernel::accType(int64_t cols) {
  return AccType::get(builder.getContext(), kBandRows, cols,
                      hone::accumulatorOf(elementA), /*warpsM=*/4,
                      /*warpsN=*/1);
}

/// Multiplies `steps` steps of a tile, from `turn` on, and advances `turn`.
WsKernel::Values WsKernel::multiplyTile(Turn &turn, Value steps,
                                        Value orderPhase,
                                        function_ref<void(Value)> inLoop) {
  size_t bands = knobs.bands();
  if (knobs.teams > 1)
    AwaitOp::create(builder, loc, order, group, orderPhase);
  if (blockOf(problem) || knobs.fetchesRows(problem))
    return multiplyAlone(turn, steps, inLoop);
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
    inLoop(loop.getInductionVar());
    Turn following = next(now);
    sums.append({now.slot, following.slot, following.phase});
    scf::YieldOp::create(builder, loc, sums);
  }
  ValueRange results = loop.getResults();
  turn = {results[bands + 1], results[bands + 2]};
  handOver();
  Values sums = waitFor(0, results.take_front(bands));
  release(results[bands]);
  return sums;
}

/// The other team's products follow these without a gap. By then all threads of
/// this team have taken their turn. If a tile is one step, only this keeps a
/// thread from still waiting when the turn comes back.
void WsKernel::handOver() {
  if (knobs.teams == 1)
    return;
  GroupBarrierOp::create(builder, loc);
  ArriveOp::create(builder, loc, order,
                   arith::XOrIOp::create(builder, loc, group, i32(1)),
                   /*blocks=*/Value());
}

/// The same for a group that must wait for its products before it goes on: it
/// adds their sums to its own, or reads the next rows into the same registers.
/// The other consumers keep the tensor cores busy meanwhile.
WsKernel::Values WsKernel::multiplyAlone(Turn &turn, Value steps,
                                         function_ref<void(Value)> inLoop) {
  size_t bands = knobs.bands();
  AccType type = accType(knobs.groupCols());
  Values state(bands, ZeroOp::create(builder, loc, type));
  state.append({turn.slot, turn.phase});
  auto loop = scf::ForOp::create(builder, loc, i32(0), steps, i32(1), state);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange args = loop.getRegionIterArgs();
    Turn now = {args[bands], args[bands + 1]};
    AwaitOp::create(builder, loc, full, now.slot, now.phase);
    Values sums = addSlot(now, args.take_front(bands));
    release(now.slot);
    inLoop(loop.getInductionVar());
    Turn following = next(now);
    sums.append({following.slot, following.phase});
    scf::YieldOp::create(builder, loc, sums);
  }
  ValueRange results = loop.getResults();
  turn = {results[bands], results[bands + 1]};
  handOver();
  return Values(results.take_front(bands));
}

/// `given` plus the products of a slot that is full.
WsKernel::Values WsKernel::addSlot(Turn turn, ValueRange given) {
  int64_t ofStep = stepOf(sizeOf(problem.a.type));
  int64_t steps = knobs.tile[2] / ofStep;
  Values sums(given);
  if (int64_t ofBlock = blockOf(problem) / ofStep) {
    for (int64_t first = 0; first < steps; first += ofBlock)
      for (auto [band, sum] : llvm::enumerate(sums))
        sum = addBlock(turn, band, first, ofBlock, sum);
    return sums;
  }
  for (auto [band, sum] : llvm::enumerate(sums))
    sum = multiplyFenced(turn, band, 0, steps, sum, /*keep=*/Value());
  MmaCommitOp::create(builder, loc);
  return waitFor(0, sums);
}

/// Where sums of the tensor cores must be short, those of a block of `steps`
/// steps start at zero, and threads add them to sums of their own. One band is
/// in flight at a time, which leaves registers for larger tiles.
Value WsKernel::addBlock(Turn turn, int64_t band, int64_t first, int64_t steps,
                         Value sum) {
  Value never =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value none = AccUndefinedOp::create(builder, loc, sum.getType());
  Value block = multiplyFenced(turn, band, first, steps, none, never);
  MmaCommitOp::create(builder, loc);
  return AccAddOp::create(builder, loc, sum.getType(), sum,
                          waitFor(0, block).front());
}

/// The products of one slot, for each band. Where `keep` is false the sums
/// start at zero.
WsKernel::Values WsKernel::multiplySlot(Turn turn, ValueRange accs,
                                        Value keep) {
  AwaitOp::create(builder, loc, full, turn.slot, turn.phase);
  MmaFenceOp::create(builder, loc);
  Values sums;
  int64_t steps = knobs.tile[2] / stepOf(sizeOf(problem.a.type));
  for (auto [band, acc] : llvm::enumerate(accs))
    sums.push_back(multiplyBand(turn, band, 0, steps, acc, keep));
  MmaCommitOp::create(builder, loc);
  return sums;
}

/// Starts the products of `count` steps of a band, which follow one another.
/// Where `keep` is false the first one's sum starts at zero.
Value WsKernel::multiplyBand(Turn turn, int64_t band, int64_t first,
                             int64_t count, Value acc, Value keep) {
  Value row = add(groupRow, i32(band * kBandRows));
  for (int64_t step = first; step < first + count; ++step)
    acc = MmaAsyncOp::create(builder, loc, acc.getType(), ringA, turn.slot, row,
                             ringB, turn.slot, groupCol, step, acc,
                             step == first ? keep : Value(), !left.alongK,
                             !right.alongK);
  return acc;
}

/// The same after a fence, which the registers of fetched rows need, too.
Value WsKernel::multiplyFenced(Turn turn, int64_t band, int64_t first,
                               int64_t count, Value acc, Value keep) {
  bool fetches = knobs.fetchesRows(problem);
  SmallVector<Fetched, 3> products;
  if (fetches)
    products = fetchRows(turn, band, first, count);
  MmaFenceOp::create(builder, loc);
  if (!fetches)
    return multiplyBand(turn, band, first, count, acc, keep);
  for (const Fetched &product : products)
    for (auto [i, rows] : llvm::enumerate(product.rows)) {
      acc = MmaFetchedOp::create(builder, loc, acc.getType(), rows,
                                 product.cols, turn.slot, groupCol, first + i,
                                 acc, keep, !right.alongK);
      keep = Value();
    }
  return acc;
}

/// Reads the rows of `count` steps of a band. For split rows, the products of
/// the low part of A come first, then those of B's, whichever is fetched.
SmallVector<WsKernel::Fetched, 3>
WsKernel::fetchRows(Turn turn, int64_t band, int64_t first, int64_t count) {
  Value row = add(groupRow, i32(band * kBandRows));
  // A converted operand has A's type; floats of 8 bits are not converted.
  bool isB = knobs.transposes && !problem.convertsB();
  Type element = isB ? hone::elementOf(op.getB()) : elementA;
  auto type = FragmentType::get(builder.getContext(), "a", kBandRows, element,
                                /*warpsM=*/4, /*warpsN=*/1, /*depth=*/0);
  Fetched whole = {{}, ringB}, low = {{}, ringB}, crossed = {{}, ringLow};
  for (int64_t step = first; step < first + count; ++step) {
    Value rows = ReadOp::create(builder, loc, type, ringA, turn.slot, row, step,
                                !left.alongK);
    if (ringLow) {
      auto parts = SplitOp::create(builder, loc, type, type, rows);
      low.rows.push_back(parts.getLow());
      crossed.rows.push_back(rows = parts.getHigh());
    }
    whole.rows.push_back(rows);
  }
  if (!ringLow)
    return {whole};
  if (knobs.transposes)
    std::swap(low, crossed);
  return {low, crossed, whole};
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
