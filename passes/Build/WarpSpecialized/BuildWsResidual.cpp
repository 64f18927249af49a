//===- BuildWsResidual.cpp - Residuals that the copy engine loads ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loads of a residual into the slots from which C is stored, and the chunks
// of a tile that it is added to; see BuildWsKernel.h. Number `i` of a tile's
// chunks has slot i % slots of its group, in round i / slots.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Build/WarpSpecialized/BuildWsKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// The slots of a group are adjacent.
Value WsKernel::slotOfGroup(int64_t number) {
  int64_t slots = knobs.chunkSlots(sizeOf(problem.c));
  return add(mul(group, slots), i32(number % slots));
}

/// Loads chunk `number` into its slot, which has no readers any more.
void WsKernel::bring(int64_t number, const Place &place) {
  Place at = placeOf(chunksOfTile()[number], place);
  Value slot = slotOfGroup(number), row = at.row, col = at.col;
  if (knobs.transposes)
    std::swap(row, col);
  ExpectOp::create(builder, loc, arrived, slot,
                   cast<RingType>(ringC.getType()).getSlotBytes());
  LoadOp::create(builder, loc, maps[residual->name()], row, col,
                 batchesOf(at, residual->batches), /*offsets=*/ValueRange(),
                 ringC, slot, arrived, /*part=*/Value(), /*parts=*/1,
                 /*blocks=*/Value());
}

/// Loads in the second step, or in the only one. Sums of a part of K get no
/// residual.
void WsKernel::bringFirst(const Part &part, const Place &place, Value step) {
  Value when =
      arith::MinUIOp::create(builder, loc, i32(1), sub(part.steps, i32(1)));
  Value isNow =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, step, when);
  if (part.isWhole)
    isNow = arith::AndIOp::create(builder, loc, isNow, part.isWhole);
  auto branch = scf::IfOp::create(builder, loc, isNow);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  // The stores of the previous tile have read their slots.
  if (knobs.persistent)
    StoreWaitOp::create(builder, loc, 0, /*written=*/false);
  for (int64_t i = 0; i < knobs.chunkSlots(sizeOf(problem.c)); ++i)
    bring(i, place);
}

Value WsKernel::phaseAfter(const Part &part, Value phase) {
  int64_t rounds = chunksOfTile().size() / knobs.chunkSlots(sizeOf(problem.c));
  if (rounds % 2 == 0)
    return phase;
  Value flip = i32(1);
  if (part.isWhole)
    flip = arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                  part.isWhole);
  return arith::XOrIOp::create(builder, loc, phase, flip);
}

void WsKernel::storeWithResidual(const Place &place, ArrayRef<Value> accs,
                                 Value phase) {
  SmallVector<Chunk> all = chunksOfTile();
  int64_t slots = knobs.chunkSlots(sizeOf(problem.c));
  Values tiles(epilogue.numOperands());
  for (auto [number, chunk] : llvm::enumerate(all)) {
    Place at = placeOf(chunk, place);
    Value part = SliceOp::create(builder, loc, accType(chunk.cols),
                                 accs[chunk.band], chunk.from);
    Value slot = slotOfGroup(number), first = i32(0);
    Value round = int64_t(number) / slots % 2
                      ? arith::XOrIOp::create(builder, loc, phase, i32(1))
                      : phase;
    AwaitOp::create(builder, loc, arrived, slot, round);
    auto type = AccType::get(builder.getContext(), kBandRows, chunk.cols,
                             elementC, /*warpsM=*/4, /*warpsN=*/1);
    tiles[epilogue.operandAt(residual->index)] = UnstageOp::create(
        builder, loc, type, ringC, slot, first, knobs.transposes);
    Value tile = epilogue.apply(part, at.row, at.col, tiles);
    // All threads have read the slot.
    GroupBarrierOp::create(builder, loc);
    StageOp::create(builder, loc, tile, ringC, slot, first, knobs.transposes);
    ProxyFenceOp::create(builder, loc);
    GroupBarrierOp::create(builder, loc);
    storeByEngine(at, chunk.cols, slot, first);
    if (number + slots >= all.size())
      continue;
    StoreWaitOp::create(builder, loc, 0, /*written=*/false);
    bring(number + slots, place);
  }
}
