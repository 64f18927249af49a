//===- ExplorerTouches.cpp - Shared memory that a step accesses -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that the next step of an agent reads and writes, in each block.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

SlotPlace Explorer::slotOf(const ExploreState &state, int agent, Value ring,
                           Value slot) const {
  auto type = cast<RingType>(ring.getType());
  return {type, number(state, agent, ring) +
                    number(state, agent, slot) * type.getSlotBytes()};
}

SmallVector<int64_t, 4> Explorer::blocksOf(const ExploreState &state, int agent,
                                           Value mask, int64_t count) const {
  auto ranks = ranksOf(
      mask ? std::optional(number(state, agent, mask)) : std::nullopt, count);
  llvm::erase_if(ranks, [&](int64_t rank) { return rank >= launch.cluster; });
  return ranks;
}

SmallVector<int64_t, 4> Explorer::receiversOf(const ExploreState &state,
                                              int agent, LoadOp op) const {
  if (op.getParts() == 1)
    return {roster[agent].block};
  return blocksOf(state, agent, op.getBlocks(), op.getParts());
}

Touches Explorer::touchesOfLoad(const ExploreState &state, int agent,
                                LoadOp op) const {
  SlotPlace slot = slotOf(state, agent, op.getRing(), op.getSlot());
  int64_t bytes = op.getMap().getType().getLines() * slot.ring.getPanelWidth();
  int64_t part = op.getPart() ? number(state, agent, op.getPart()) : 0;
  Touches touches;
  for (int64_t block : receiversOf(state, agent, op))
    for (const LoadBox &box : boxesOf(op, slot.base, part))
      touches.push_back({int(block), {box.shared, box.shared + bytes}, true});
  return touches;
}

Touches Explorer::touchesOfSum(const ExploreState &state, int agent,
                               PartialSumOp op) const {
  auto in = [&](Value value) { return number(state, agent, value); };
  PartialType type = op.getPartial().getType();
  int64_t lines = type.getRows() / op.getParts();
  int64_t first = op.getFirst() ? in(op.getFirst()) : 0;
  Touches touches;
  for (int64_t i = 0; i < int64_t(op.getBlocks()); ++i)
    for (int64_t part = 0; part < int64_t(op.getParts()); ++part) {
      int64_t block = op.getBlocks() == 1 ? roster[agent].block
                                          : first + i * int64_t(op.getStride());
      for (ByteRange range : partialRanges(
               type, in(op.getPartial()), in(op.getLine()) + part * lines,
               op.getAcc().getType().getRows(), /*first=*/0, type.getCols()))
        touches.push_back({int(block), range, false});
    }
  return touches;
}

/// The bytes of its own block that an op reads.
Ranges Explorer::readsOf(const ExploreState &state, int agent,
                         Operation *op) const {
  auto in = [&](Value value) { return number(state, agent, value); };
  auto slot = [&](Value ring, Value slot) {
    return slotOf(state, agent, ring, slot);
  };
  auto columnsOf = [&](auto op) {
    return stepRanges(slot(op.getRingB(), op.getSlotB()), op.getStep(),
                      op.getTransposedB(), in(op.getCols()),
                      op.getAcc().getType().getCols());
  };
  constexpr int64_t kRows = 64;
  return llvm::TypeSwitch<Operation *, Ranges>(op)
      .Case([&](ReadOp op) {
        return readRanges(op, slot(op.getRing(), op.getSlot()),
                          op.getRows() ? in(op.getRows()) : 0);
      })
      .Case([&](MmaAsyncOp op) {
        Ranges ranges =
            stepRanges(slot(op.getRingA(), op.getSlotA()), op.getStep(),
                       op.getTransposedA(), in(op.getRows()), kRows);
        llvm::append_range(ranges, columnsOf(op));
        return ranges;
      })
      .Case([&](MmaFetchedOp op) { return columnsOf(op); })
      .Case([&](StoreAsyncOp op) {
        return slot(op.getRing(), op.getSlot())
            .lines(in(op.getFrom()), op.getMap().getType().getLines());
      })
      .Case([&](StoreLinesOp op) {
        return slot(op.getRing(), op.getSlot())
            .lines(in(op.getFrom()), op.getLines());
      })
      .Case([&](UnstageOp op) {
        return stagedRanges(op, slot(op.getRing(), op.getSlot()),
                            in(op.getLine()));
      })
      .Default([](Operation *) { return Ranges(); });
}

/// The bytes of its own block that an op writes.
Ranges Explorer::writesOf(const ExploreState &state, int agent,
                          Operation *op) const {
  auto in = [&](Value value) { return number(state, agent, value); };
  return llvm::TypeSwitch<Operation *, Ranges>(op)
      .Case([&](CopyOp op) {
        SlotPlace slot = slotOf(state, agent, op.getRing(), op.getSlot());
        return slot.lines(0, slot.ring.getLines());
      })
      .Case([&](StageOp op) {
        return stagedRanges(op,
                            slotOf(state, agent, op.getRing(), op.getSlot()),
                            in(op.getLine()));
      })
      .Case([&](PartialPutOp op) {
        return putRanges(op, in(op.getPartial()), in(op.getLine()),
                         in(op.getColumn()));
      })
      .Default([](Operation *) { return Ranges(); });
}

Touches Explorer::touchesOf(const ExploreState &state, int agent) const {
  const Step &step = program.steps[state.agents[agent].at];
  const Member &member = roster[agent];
  bool isByLeader = isa_and_nonnull<LoadOp, StoreAsyncOp>(step.op);
  if (step.kind != Step::event || (isByLeader && !member.leads(step)))
    return {};
  if (auto load = dyn_cast<LoadOp>(step.op))
    return touchesOfLoad(state, agent, load);
  if (auto sum = dyn_cast<PartialSumOp>(step.op))
    return touchesOfSum(state, agent, sum);
  Touches touches;
  for (ByteRange range : readsOf(state, agent, step.op))
    touches.push_back({member.block, range, false});
  for (ByteRange range : writesOf(state, agent, step.op))
    touches.push_back({member.block, range, true});
  return touches;
}
