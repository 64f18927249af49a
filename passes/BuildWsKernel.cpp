//===- BuildWsKernel.cpp - Rings, tiles and the producer ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both roles of a kernel share, and the role that loads; see
// BuildWsKernel.h. The consumers are in BuildWsConsumers.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/BuildWsKernel.h"
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
      maps[param.name] = value;
    else
      params[param.name] = value;
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
  // A block's memory and barriers are there until nobody in the cluster uses
  // them any more; where sums have met, everybody knows.
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
  // Floats of 8 bits may be of either kind on either side.
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
  // A load fills a whole slot, so each group needs its own where it loads.
  int64_t slots = knobs.chunkSlots(bytes);
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
  // Sums meet where the slots were; they may need more room.
  sharedOffset = knobs.sharedBytes(&problem) - knobs.barrierBytes();
}

void WsKernel::placeBarriers() {
  auto barriers = [&](int64_t slots, int64_t arrivals) {
    auto type = BarriersType::get(builder.getContext(), slots, arrivals);
    Value placed = BarriersOp::create(builder, loc, type, sharedOffset);
    sharedOffset += type.getBytes();
    return placed;
  };
  // The producer announces what lands. Whoever reads a slot gives it back: the
  // consumers of a team, in every block whose memory a shared load writes.
  full = barriers(knobs.stages, 1);
  empty = barriers(knobs.stages, knobs.groups() / knobs.teams * knobs.peers());
  Values all = {full, empty};
  // One barrier a team: it may multiply.
  if (knobs.teams > 1)
    all.push_back(order = barriers(knobs.teams, 1));
  // One for each chunk that lands.
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
// Tiles and steps
//===----------------------------------------------------------------------===//

void WsKernel::countTiles() {
  tilesM = ceilDiv(params[left.extent], knobs.tile[0] * knobs.cluster[0]);
  tilesN = ceilDiv(params[right.extent], knobs.tile[1] * knobs.cluster[1]);
  if (knobs.standsBack)
    findLastStarts();
  total = arith::MulIOp::create(builder, loc, tilesM, tilesN);
  if (problem.batch)
    total = arith::MulIOp::create(builder, loc, total, params["batch"]);
  Type type = builder.getI32Type();
  auto place =
      WorkerOp::create(builder, loc, type, type, knobs.clusterBlocks());
  worker = place.getWorker();
  workers = place.getWorkers();
  if (knobs.clusterBlocks() > 1)
    placeInCluster();
}

/// A tile starts where it ends with the matrix, at the latest, or at its first
/// row or column. Columns of C start where 16 bytes of it do, as threads store so
/// many at once.
void WsKernel::findLastStarts() {
  auto lastOf = [&](const WsSide &side, int64_t tile) -> Value {
    if (!side.alongK)
      return Value();
    Value room = sub(params[side.extent], i32(tile));
    Value last = arith::MaxSIOp::create(builder, loc, room, i32(0));
    bool isColumn = (&side == &left) == knobs.transposes;
    int64_t unit = 16 * 8 / elementC.getIntOrFloatBitWidth();
    return isColumn ? mul(ceilDiv(last, unit), unit) : last;
  };
  lastStart = {lastOf(left, knobs.tile[0]), lastOf(right, knobs.tile[1])};
}

/// Blocks are numbered along M first, then along N, then along K.
void WsKernel::placeInCluster() {
  rank = ClusterRankOp::create(builder, loc, builder.getI32Type());
  Value number = rank;
  int64_t blocks = knobs.clusterBlocks();
  auto take = [&](int64_t count) -> Value {
    if (count == 1)
      return Value();
    blocks /= count;
    if (blocks == 1)
      return number;
    Value place = arith::RemUIOp::create(builder, loc, number, i32(count));
    number = arith::DivUIOp::create(builder, loc, number, i32(count));
    return place;
  };
  inCluster = {take(knobs.cluster[0]), take(knobs.cluster[1])};
  shareOfK = take(knobs.splits);
  if (knobs.sharesLoads() && knobs.peers() < knobs.clusterBlocks())
    maskPeers();
}

/// The blocks that have the same columns are neighbours; those that have the
/// same rows are as far apart as there are blocks along M.
void WsKernel::maskPeers() {
  int64_t stride = 1;
  for (int dim : {0, 1}) {
    int64_t count = knobs.cluster[dim], bits = 0;
    for (int64_t i = 0; i < count; ++i)
      bits |= int64_t(1) << i * stride;
    if (count > 1)
      along[dim] = arith::ShLIOp::create(
          builder, loc, i32(bits), sub(rank, mul(inCluster[dim], stride)));
    stride *= count;
  }
  peers = along[0];
  if (along[1])
    peers =
        peers ? arith::OrIOp::create(builder, loc, peers, along[1]) : along[1];
}

void WsKernel::countSteps() {
  auto atLeastOne = [&](Value count) -> Value {
    return arith::MaxUIOp::create(builder, loc, count, i32(1));
  };
  // There is at least one step, which spares the loops a test.
  steps = atLeastOne(ceilDiv(params["k"], knobs.tile[2]));
  if (knobs.passes(problem) > 1)
    steps = mul(steps, knobs.passes(problem));
  firstStep = i32(0);
  if (knobs.splits == 1)
    return;
  // The same number for each block; for the last ones fewer, or one that is
  // outside of the matrices and adds zeros.
  Value each = ceilDiv(steps, knobs.splits);
  firstStep = arith::MulIOp::create(builder, loc, shareOfK, each);
  Value reached = arith::MinUIOp::create(builder, loc, firstStep, steps);
  Value left = arith::SubIOp::create(builder, loc, steps, reached);
  steps = atLeastOne(arith::MinUIOp::create(builder, loc, left, each));
}

WsKernel::Place WsKernel::placeOf(Value tile) {
  Type type = builder.getI32Type();
  // Bands lie along the tensor cores' rows, or along their columns.
  bool alongCols = knobs.bandsAlongN != knobs.transposes;
  auto at = TileOp::create(builder, loc, type, type, type, tile,
                           alongCols ? tilesN : tilesM,
                           alongCols ? tilesM : tilesN, params["group"]);
  Value tileM = at.getTileM(), tileN = at.getTileN();
  if (alongCols)
    std::swap(tileM, tileN);
  // The blocks of a cluster have neighbouring tiles.
  auto start = [&](Value number, int dim) {
    Value first = mul(number, knobs.tile[dim] * knobs.cluster[dim]);
    if (knobs.cluster[dim] > 1)
      first = add(first, mul(inCluster[dim], knobs.tile[dim]));
    return lastStart[dim]
               ? arith::MinUIOp::create(builder, loc, first, lastStart[dim])
               : first;
  };
  Place place = {start(tileM, 0), start(tileN, 1), Value(), Value()};
  if (!problem.batch)
    return place;
  place.batch = at.getBatch();
  if (!operands.hasHeads())
    return place;
  Value heads = params["heads"];
  place.batch = arith::DivUIOp::create(builder, loc, at.getBatch(), heads);
  place.head = arith::RemUIOp::create(builder, loc, at.getBatch(), heads);
  return place;
}

WsKernel::Values WsKernel::batchesOf(const Place &place, StringRef batches) {
  return llvm::map_to_vector(llvm::reverse(batches), [&](char batch) {
    return batch == 'h' ? place.head : place.batch;
  });
}

void WsKernel::forEachTile(Value first, Value every, ValueRange initial,
                           Body body) {
  if (knobs.streams)
    return forEachPart(initial, body);
  if (!knobs.persistent) {
    body({first, firstStep, steps, Value()}, initial);
    return;
  }
  auto loop = scf::ForOp::create(builder, loc, first, total, every, initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder, loc,
                       body({loop.getInductionVar(), firstStep, steps, Value()},
                            loop.getRegionIterArgs()));
}

void WsKernel::forEach(Value count, ValueRange initial,
                       function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc, i32(0), count, i32(1), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values results = body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop that carries nothing has its terminator already.
  if (!initial.empty())
    scf::YieldOp::create(builder, loc, results);
}

WsKernel::Turn WsKernel::next(Turn turn) {
  Value following = add(turn.slot, i32(1));
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      following, i32(knobs.stages));
  Value slot = arith::SelectOp::create(builder, loc, wraps, i32(0), following);
  Value flip =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), wraps);
  return {slot, arith::XOrIOp::create(builder, loc, turn.phase, flip)};
}

WsKernel::Turn WsKernel::skip(Turn turn, Value count) {
  Value there = add(turn.slot, count), stages = i32(knobs.stages);
  Value rounds = arith::DivUIOp::create(builder, loc, there, stages);
  Value flips = arith::AndIOp::create(builder, loc, rounds, i32(1));
  return {arith::RemUIOp::create(builder, loc, there, stages),
          arith::XOrIOp::create(builder, loc, turn.phase, flips)};
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
  // From here on global memory is read. Who stores has met the producer at the
  // barriers of slots by then.
  DependWaitOp::create(builder, loc);
  // A slot that nobody has filled yet is free: the phase before a barrier's
  // first counts as over.
  Value ready = i32(1);
  forEachTile(worker, workers, {i32(0), ready},
              [&](const Part &part, ValueRange state) {
                Place place = placeOf(part.tile);
                auto loop = scf::ForOp::create(builder, loc, i32(0), part.steps,
                                               i32(1), state);
                OpBuilder::InsertionGuard guard(builder);
                builder.setInsertionPointToStart(loop.getBody());
                ValueRange turns = loop.getRegionIterArgs();
                Turn turn = {turns[0], turns[1]};
                Value step = add(part.firstStep, loop.getInductionVar());
                fillSlot(place, step, turn);
                Turn following = next(turn);
                scf::YieldOp::create(
                    builder, loc, ValueRange{following.slot, following.phase});
                return Values(loop.getResults());
              });
}

void WsKernel::fillSlot(const Place &place, Value step, Turn turn) {
  auto bytes = [](Value ring) {
    return cast<RingType>(ring.getType()).getSlotBytes();
  };
  Value pass, number = step;
  if (knobs.passes(problem) > 1) {
    Value passes = i32(knobs.passes(problem));
    number = arith::DivUIOp::create(builder, loc, step, passes);
    pass = arith::RemUIOp::create(builder, loc, step, passes);
  }
  Value k = mul(number, knobs.tile[2]);
  AwaitOp::create(builder, loc, empty, turn.slot, turn.phase);
  ExpectOp::create(builder, loc, full, turn.slot,
                   bytes(ringA) + bytes(ringB) +
                       (ringLow ? bytes(ringLow) : 0));
  // Blocks along N have the same rows, those along M the same columns.
  auto load = [&](const WsSide &side, Value at, Value ring, int sharedAlong,
                  Value part) {
    Values batches = batchesOf(place, side.batches);
    if (part)
      batches.push_back(part);
    LoadOp::create(builder, loc, maps[side.name], side.alongK ? at : k,
                   side.alongK ? k : at, batches, ring, turn.slot, full,
                   inCluster[sharedAlong], side.sharing, along[sharedAlong]);
  };
  // Of a factor in parts one pass multiplies the low one.
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
