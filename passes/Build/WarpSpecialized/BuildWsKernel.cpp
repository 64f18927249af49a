//===- BuildWsKernel.cpp - Rings and producer of the ws kernel ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that both roles of a kernel share, and the role that loads; see
// BuildWsKernel.h. Tiles, steps and turns are in BuildWsTiles.cpp, the
// consumers in BuildWsConsumers.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/WarpSpecialized/BuildWsKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

WsKernel::WsKernel(gpu::GPUFuncOp func, MatmulOp op,
                   const GemmOperands &operands, const WarpSpecialized &knobs)
    : op(op), operands(operands), problem(operands.problem), knobs(knobs),
      builder(OpBuilder::atBlockBegin(&func.getBody().front())),
      loc(op.getLoc()), elementA(elementOf(op.getA())),
      elementC(elementOf(op.getC())), left(leftOf(operands, knobs)),
      right(rightOf(operands, knobs)), chunks(knobs.chunks(sizeOf(problem.c))),
      residual(residualOf(op, operands, knobs)),
      epilogue(builder, op, problem, params) {
  for (auto [param, value] :
       llvm::zip_equal(wsParams(op, operands, knobs), func.getArguments()))
    if (param.kind == LaunchParam::tensorMap)
      maps[param.name().str()] = value;
    else
      params[param.name().str()] = value;
}

void WsKernel::build() {
  // The next kernel may set itself up while this one runs.
  DependReleaseOp::create(builder, loc);
  prefetchMaps();
  placeRings();
  placeBarriers();
  countTiles();
  countSteps();
  if (knobs.streams)
    countStream();
  // A group can only start at a multiple of four warps.
  bool producerFirst = knobs.producerWarps() % 4 == 0;
  if (producerFirst)
    producer();
  consumers();
  if (!producerFirst)
    producer();
  // A block's memory and barriers must exist while any block of the cluster
  // uses them. Where sums are exchanged, that exchange ensures it.
  if (knobs.sharesLoads() && !knobs.meets())
    ClusterSyncOp::create(builder, loc);
  gpu::ReturnOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void WsKernel::prefetchMaps() {
  for (const auto &[name, map] : maps)
    MapPrefetchOp::create(builder, loc, map);
}

void WsKernel::placeRings() {
  auto ring = [&](int64_t slots, int64_t lines, int64_t width, Type element) {
    auto type =
        RingType::get(builder.getContext(), slots, lines, width, element);
    Value placed = RingOp::create(builder, loc, type, sharedOffset);
    sharedOffset += type.getBytes();
    return placed;
  };
  // Each side may have either type of 8-bit float.
  Type ofRows = elementA;
  bool isWidened = knobs.slotType(problem, /*isA=*/false) != problem.b.type;
  Type ofCols = isWidened ? elementA : elementOf(op.getB());
  if (knobs.transposes)
    std::swap(ofRows, ofCols);
  ringA = ring(knobs.stages, left.lines(), left.width(), ofRows);
  ringB = ring(knobs.stages, right.lines(), right.width(), ofCols);
  if (knobs.splitsRows(problem))
    ringLow = ring(knobs.stages, right.lines(), right.width(), ofCols);
  int64_t bytes = elementC.getIntOrFloatBitWidth() / 8;
  // A load fills a whole slot, so each group needs its own slot for loads.
  int64_t slots =
      residual ? knobs.chunkSlots(bytes) : knobs.storeSlots(&problem);
  int64_t groups = residual ? 1 : knobs.groups();
  if (!knobs.meets())
    ringC = ring(slots * knobs.groups() / groups, groups * chunkLines(),
                 knobs.transposes ? kBandRows : chunks.widest, elementC);
  if (knobs.streams) {
    counters = CountersOp::create(
        builder, loc, CountersType::get(builder.getContext()), params["ws"]);
    auto type =
        SumsType::get(builder.getContext(), knobs.tileRows(), knobs.tileCols());
    sums = SumsOp::create(builder, loc, type, params["ws"], kCounterBytes);
  }
  // Sums are exchanged in the memory of the slots; they may need more room.
  sharedOffset = knobs.sharedBytes(&problem) - knobs.barrierBytes();
}

void WsKernel::placeBarriers() {
  auto barriers = [&](int64_t slots, int64_t arrivals) {
    auto type = BarriersType::get(builder.getContext(), slots, arrivals);
    Value placed = BarriersOp::create(builder, loc, type, sharedOffset);
    sharedOffset += type.getBytes();
    return placed;
  };
  // The producer announces the bytes of its loads. The readers of a slot give
  // it back: the consumers of a team, in every block whose memory a shared load
  // writes.
  full = barriers(knobs.stages, 1);
  empty = barriers(knobs.stages, knobs.groups() / knobs.teams * knobs.peers());
  Values all = {full, empty};
  // One barrier per team: it may multiply.
  if (knobs.teams > 1)
    all.push_back(order = barriers(knobs.teams, 1));
  // One for each chunk that is loaded.
  if (residual)
    all.push_back(arrived =
                      barriers(cast<RingType>(ringC.getType()).getSlots(), 1));
  BarriersInitOp::create(builder, loc, all);
  if (knobs.sharesLoads())
    ClusterSyncOp::create(builder, loc);
  else
    BarrierOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

Block *WsKernel::openRole(StringRef name, int64_t warps,
                          std::optional<int64_t> registers, bool oneThread) {
  auto role = RoleOp::create(builder, loc, name, warps,
                             registers ? builder.getI32IntegerAttr(*registers)
                                       : IntegerAttr(),
                             oneThread);
  Block *body = &role.getBody().emplaceBlock();
  if (!oneThread)
    body->addArgument(builder.getI32Type(), loc);
  builder.setInsertionPointToStart(body);
  return body;
}

void WsKernel::producer() {
  OpBuilder::InsertionGuard guard(builder);
  std::optional<int64_t> registers;
  if (auto budget = knobs.budget())
    registers = budget->producer;
  openRole("producer", knobs.producerWarps(), registers, /*oneThread=*/true);
  // From here on global memory is read. A thread that stores has by then
  // synchronized with the producer at the barriers of slots.
  DependWaitOp::create(builder, loc);
  // A slot that has never been filled is free: the phase before a barrier's
  // first counts as complete.
  Value ready = i32(1);
  forEachTile(worker, workers, {i32(0), ready},
              [&](const Part &given, ValueRange state) {
                Place place = placeOf(given);
                Part part = partOf(given, place);
                Corner corner = cornerOf(place);
                Values initial(state);
                llvm::append_range(initial, firstTap(part));
                auto loop = scf::ForOp::create(builder, loc, i32(0), part.steps,
                                               i32(1), initial);
                OpBuilder::InsertionGuard guard(builder);
                builder.setInsertionPointToStart(loop.getBody());
                ValueRange turns = loop.getRegionIterArgs();
                Turn turn = {turns[0], turns[1]};
                ValueRange tap = turns.drop_front(2);
                Value step = add(part.firstStep, loop.getInductionVar());
                fillSlot(place, corner, tap, step, turn);
                Turn following = next(turn);
                Values after = {following.slot, following.phase};
                llvm::append_range(after, nextTap(tap));
                scf::YieldOp::create(builder, loc, after);
                return Values(loop.getResults().take_front(2));
              });
}

void WsKernel::fillSlot(const Place &place, const Corner &corner,
                        ValueRange tap, Value step, Turn turn) {
  auto bytes = [](Value ring) {
    return cast<RingType>(ring.getType()).getSlotBytes();
  };
  Value pass, number = step;
  if (knobs.passes(problem) > 1) {
    Value passes = i32(knobs.passes(problem));
    number = arith::DivUIOp::create(builder, loc, step, passes);
    pass = arith::RemUIOp::create(builder, loc, step, passes);
  }
  Values offsets;
  if (operands.hasWindows)
    offsets = {mul(tap[0], params["dilw"]), mul(tap[1], params["dilh"])};
  Value k = operands.hasWindows ? tap[3] : mul(number, knobs.tile[2]);
  AwaitOp::create(builder, loc, empty, turn.slot, turn.phase);
  ExpectOp::create(builder, loc, full, turn.slot,
                   bytes(ringA) + bytes(ringB) +
                       (ringLow ? bytes(ringLow) : 0));
  // Blocks along N have the same rows, those along M the same columns.
  auto load = [&](const WsSide &side, Value at, Value ring, int sharedAlong,
                  Value part) {
    Values batches = batchesOf(place, side.batches);
    if (side.hasWindows)
      at = corner.column, batches = {corner.row, corner.image};
    if (side.hasTaps)
      batches.push_back(tap[2]);
    if (part)
      batches.push_back(part);
    LoadOp::create(builder, loc, maps[side.name], side.alongK ? at : k,
                   side.alongK ? k : at, batches,
                   side.hasWindows ? offsets : Values(), ring, turn.slot, full,
                   inCluster[sharedAlong], side.sharing, along[sharedAlong]);
  };
  // For a factor in parts, one pass multiplies the low one.
  auto partOf = [&](int64_t lowPass) -> Value {
    if (!pass)
      return Value();
    Value isLow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        pass, i32(lowPass));
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isLow);
  };
  load(left, place.row, ringA, 1, partOf(0));
  load(right, place.col, ringB, 0, ringLow ? i32(0) : partOf(1));
  if (ringLow)
    load(right, place.col, ringLow, 0, i32(1));
}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value WsKernel::i32(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

Value WsKernel::add(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

Value WsKernel::sub(Value a, Value b) {
  return arith::SubIOp::create(builder, loc, a, b);
}

Value WsKernel::mul(Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b);
}

Value WsKernel::mul(Value a, int64_t b) { return mul(a, i32(b)); }

Value WsKernel::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(builder, loc, condition, yes, no);
}

Value WsKernel::ceilDiv(Value a, int64_t b) {
  return arith::CeilDivUIOp::create(builder, loc, a, i32(b));
}

void hone::buildWsKernel(KernelModule &module, StringRef name, MatmulOp op,
                         const GemmOperands &operands,
                         const WarpSpecialized &knobs) {
  auto func = createKernel(module, op, name, wsParams(op, operands, knobs),
                           knobs.threads(), knobs.clusterBlocks());
  if (knobs.standsBack)
    func->setAttr(kStandsBackAttr, UnitAttr::get(op.getContext()));
  WsKernel(func, op, operands, knobs).build();
}
