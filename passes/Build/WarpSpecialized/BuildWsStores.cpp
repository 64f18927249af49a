//===- BuildWsStores.cpp - Stores of the ws kernel ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of a consumer's sums and their stores, chunk by chunk, by the
// copy engine or by threads; see BuildWsKernel.h.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

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
  // Sums in shared memory are transposed when they are written there.
  epilogue.placeOperands(batchOf(place), knobs.transposes && !knobs.meets());
}

SmallVector<WsKernel::Chunk> WsKernel::chunksOfTile() const {
  SmallVector<Chunk> all;
  for (int64_t band = 0; band < knobs.bands(); ++band) {
    int64_t from = 0;
    for (int64_t cols : chunks.cols) {
      all.push_back({band, from, cols});
      from += cols;
    }
  }
  return all;
}

WsKernel::Place WsKernel::placeOf(const Chunk &chunk, const Place &tile) {
  Place at = tile;
  at.row = add(add(tile.row, groupRow), i32(chunk.band * kBandRows));
  at.col = add(add(tile.col, groupCol), i32(chunk.from));
  return at;
}

void WsKernel::storeTile(const Place &place, ArrayRef<Value> accs,
                         Value residualPhase) {
  placeEpilogue(place);
  if (residual)
    return storeWithResidual(place, accs, residualPhase);
  // For this tile, C ends with the rows of its group.
  Value rows = params["m"];
  if (place.end)
    params["m"] = place.end;
  bool needsThreads = !knobs.storesByEngine() || problem.groups.has_value();
  Value matrix = needsThreads ? placeMatrixC(place) : Value();
  int64_t slots = cast<RingType>(ringC.getType()).getSlots(), number = 0;
  SmallVector<Chunk> all = chunksOfTile();
  // Only then does a slot follow itself from tile to tile as within a tile.
  const bool isEven = int64_t(all.size()) % slots == 0;
  for (const Chunk &chunk : all) {
    Place at = placeOf(chunk, place);
    Value part = SliceOp::create(builder, loc, accType(chunk.cols),
                                 accs[chunk.band], chunk.from);
    // A slot of a block's only tile is not read before it is written. Neither
    // is one of a later tile if all are read before its first chunk.
    std::optional<int64_t> unread;
    if (knobs.persistent && !isEven && number == 0)
      unread = 0;
    else if (number >= slots || (knobs.persistent && isEven))
      unread = slots - 1;
    storeChunk(at, part, number++ % slots, unread, matrix);
  }
  params["m"] = rows;
}

/// Waits until all but the last `unread` chunks have been read: by the engine,
/// or by threads that have since synchronized at the barrier of a chunk in
/// another slot.
void WsKernel::awaitSlots(int64_t unread) {
  bool isOfEngine = knobs.storesByEngine();
  if (isOfEngine)
    StoreWaitOp::create(builder, loc, unread, /*written=*/false);
  if (isOfEngine || unread == 0)
    GroupBarrierOp::create(builder, loc);
}

void WsKernel::storeChunk(const Place &at, Value sums, int64_t slot,
                          std::optional<int64_t> unread, Value matrix) {
  Value tile = epilogue.apply(sums, at.row, at.col);
  if (unread)
    awaitSlots(*unread);
  Value line = mul(group, chunkLines());
  StageOp::create(builder, loc, tile, ringC, i32(slot), line, knobs.transposes);
  bool isOfEngine = knobs.storesByEngine();
  if (isOfEngine)
    ProxyFenceOp::create(builder, loc);
  GroupBarrierOp::create(builder, loc);
  int64_t cols = cast<AccType>(sums.getType()).getCols();
  if (!isOfEngine)
    return storeByThreads(at, cols, i32(slot), line, matrix);
  if (!matrix)
    return storeByEngine(at, cols, i32(slot), line);
  // The engine would also store lines after the end.
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                        add(at.row, i32(kBandRows)), at.end);
  auto branch = scf::IfOp::create(builder, loc, isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  storeByThreads(at, cols, i32(slot), line, matrix);
  builder.setInsertionPointToStart(branch.thenBlock());
  startStores(at, cols, i32(slot), line);
  // An empty group where threads store, so that groups number the chunks.
  builder.setInsertionPointAfter(branch);
  StoreCommitOp::create(builder, loc);
}

void WsKernel::storeByThreads(const Place &at, int64_t cols, Value slot,
                              Value line, Value matrix) {
  Value row = at.row, col = at.col;
  if (knobs.transposes)
    std::swap(row, col);
  StoreLinesOp::create(builder, loc, knobs.transposes ? cols : kBandRows, ringC,
                       slot, line, matrix, row, col);
}

/// Stores `cols` columns of sums that are in a slot from `line` on.
void WsKernel::storeByEngine(const Place &at, int64_t cols, Value slot,
                             Value line) {
  startStores(at, cols, slot, line);
  StoreCommitOp::create(builder, loc);
}

void WsKernel::startStores(const Place &at, int64_t cols, Value slot,
                           Value line) {
  Value row = at.row, col = at.col;
  if (knobs.transposes)
    std::swap(row, col);
  int64_t lines = knobs.transposes ? cols : kBandRows;
  for (int64_t from = 0; from < lines; from += chunks.boxLines)
    StoreAsyncOp::create(builder, loc, ringC, slot, add(line, i32(from)),
                         maps["c"], add(row, i32(from)), col,
                         batchesOf(at, operands.c.batches));
}
