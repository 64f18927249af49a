//===- BuildWsTiles.cpp - Tiles, steps and turns of the ws kernel ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of a block and its place in a cluster, the steps of a tile, and the
// slots of the rings; see BuildWsKernel.h.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Tiles and steps
//===----------------------------------------------------------------------===//

void WsKernel::countTiles() {
  tilesM = ceilDiv(params[left.extent], knobs.tile[0] * knobs.cluster[0]);
  tilesN = ceilDiv(params[right.extent], knobs.tile[1] * knobs.cluster[1]);
  if (problem.groups)
    tilesM = add(tilesM, params["groups"]);
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

/// Finds the last start of a tile: the one at which it ends with the matrix, or
/// the first row or column. In C, columns start at multiples of 16 bytes, as
/// threads store that many at once.
void WsKernel::findLastStarts() {
  int64_t columns = knobs.columnUnit(sizeOf(problem.c));
  auto lastOf = [&](const WsSide &side, int64_t tile) -> Value {
    bool isColumn = (&side == &left) == knobs.transposes;
    if (!side.alongK || (isColumn && tile <= columns))
      return Value();
    Value room = sub(params[side.extent], i32(tile));
    Value last = arith::MaxSIOp::create(builder, loc, room, i32(0));
    return isColumn ? mul(ceilDiv(last, columns), columns) : last;
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

/// The blocks with the same columns are adjacent; the distance between those
/// with the same rows is the number of blocks along M.
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
  // There is at least one step, so the loops need no test. They compare signed
  // numbers, and a product of extents may have any sign. A step of a
  // convolution has one tap.
  auto atLeastOne = [&](Value count) -> Value {
    if (operands.hasWindows)
      return arith::MaxSIOp::create(builder, loc, count, i32(1));
    return arith::MaxUIOp::create(builder, loc, count, i32(1));
  };
  Value depth = params[operands.hasWindows ? "channels" : "k"];
  steps = ceilDiv(depth, knobs.tile[2]);
  if (operands.hasWindows)
    steps = mul(steps, params["taps"]);
  steps = atLeastOne(steps);
  if (knobs.passes(problem) > 1)
    steps = mul(steps, knobs.passes(problem));
  firstStep = i32(0);
  if (knobs.splits == 1)
    return;
  // The same number for each block. The last ones have fewer, or one that is
  // outside of the matrices and adds zeros.
  Value each = ceilDiv(steps, knobs.splits);
  firstStep = arith::MulIOp::create(builder, loc, shareOfK, each);
  Value reached = arith::MinUIOp::create(builder, loc, firstStep, steps);
  Value left = arith::SubIOp::create(builder, loc, steps, reached);
  steps = atLeastOne(arith::MinUIOp::create(builder, loc, left, each));
}

WsKernel::Place WsKernel::placeOf(const Part &part) {
  Type type = builder.getI32Type();
  // Bands are along the tensor cores' rows, or along their columns.
  bool alongCols = knobs.bandsAlongN != knobs.transposes;
  Place place;
  Value tile = part.tile, rowsOfTiles = tilesM;
  if (SegmentOp segment = part.segment) {
    tile = segment.getNumber();
    rowsOfTiles = segment.getRowsOfTiles();
    place.row = segment.getFirst();
    place.batch = groupOf(builder, segment);
    place.end = segment.getEnd();
    place.depth = segment.getDepthOfTile();
  }
  auto at = TileOp::create(builder, loc, type, type, type, tile,
                           alongCols ? tilesN : rowsOfTiles,
                           alongCols ? rowsOfTiles : tilesN, params["group"]);
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
  Value row = start(tileM, 0);
  place.row = place.row ? add(place.row, row) : row;
  place.col = start(tileN, 1);
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

SegmentOp WsKernel::segmentOf(Value tile, ValueRange after) {
  return createSegment(builder, loc, tile, params,
                       knobs.tile[0] * knobs.cluster[0], tilesN, after);
}

WsKernel::Part WsKernel::wholeTile(Value tile, ValueRange after) {
  Part part = {tile, firstStep, steps, Value(), {}};
  if (problem.groups)
    part.segment = segmentOf(tile, after);
  return part;
}

WsKernel::Part WsKernel::partOf(Part part, const Place &place) {
  if (!place.depth)
    return part;
  Value isOfGroup = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, place.depth, i32(0));
  part.firstStep = select(isOfGroup, part.firstStep, steps);
  part.steps = select(isOfGroup, part.steps, i32(1));
  return part;
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
    body(wholeTile(first, {}), initial);
    return;
  }
  // Of ragged rows, only the tiles that have rows. Tile `total` is beyond them.
  Value end = total;
  Values state(initial);
  if (problem.groups) {
    end = sub(total, segmentOf(total, {}).getNumber());
    state.append(3, i32(0));
  }
  auto loop = scf::ForOp::create(builder, loc, first, end, every, state);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange args = loop.getRegionIterArgs();
  Part part =
      wholeTile(loop.getInductionVar(), args.drop_front(initial.size()));
  Values after = body(part, args.take_front(initial.size()));
  // The next tile's search begins at this tile's segment.
  if (SegmentOp segment = part.segment)
    after.append({segment.getSegment(), segment.getFirst(),
                  sub(part.tile, segment.getNumber())});
  scf::YieldOp::create(builder, loc, after);
}

WsKernel::Values
WsKernel::forEach(Value count, ValueRange initial,
                  function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc, i32(0), count, i32(1), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values results = body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop without iteration arguments has its terminator already.
  if (!initial.empty())
    scf::YieldOp::create(builder, loc, results);
  return Values(loop.getResults());
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
  // Whole rounds end in the slot in which they started.
  bool isWhole = knobs.passes(problem) % knobs.stages == 0;
  Value there = isWhole ? count : add(turn.slot, count);
  Value stages = i32(knobs.stages);
  Value rounds = arith::DivUIOp::create(builder, loc, there, stages);
  Value flips = arith::AndIOp::create(builder, loc, rounds, i32(1));
  Value slot =
      isWhole ? turn.slot
              : arith::RemUIOp::create(builder, loc, there, stages).getResult();
  return {slot, arith::XOrIOp::create(builder, loc, turn.phase, flips)};
}
