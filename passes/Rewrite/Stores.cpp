//===- Stores.cpp - Rewrites of the epilogue ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's chunks go to C through slots, each between two barriers of the
// group. These rewrites share or omit some of the barriers.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "passes/Rewrite/Menu.h"
#include "passes/Rewrite/Parts.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

namespace {
/// The ops around a chunk that is staged. A missing op is null.
struct Staging {
  StageOp stage;
  int64_t slot = 0;
  /// Waits until the slot has been read; then a barrier for all threads.
  StoreWaitOp wait;
  GroupBarrierOp known;
  /// Makes writes visible to the engine; then a barrier for all threads.
  ProxyFenceOp fence;
  GroupBarrierOp written;
  SmallVector<StoreAsyncOp, 4> stores;
  StoreCommitOp commit;

  bool isGuarded() const { return wait && known; }
  /// True with a complete guard or with none.
  bool isWhole() const {
    return isGuarded() == bool(known) && fence && written && !stores.empty() &&
           commit;
  }
};
} // namespace

/// The ops before the chunk, back to the previous chunk, and those after it, up
/// to the commit of its stores.
static Staging stagingOf(StageOp stage) {
  Staging all;
  all.stage = stage;
  for (Operation *op = stage->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<StageOp, StoreCommitOp, ProxyFenceOp, UnstageOp, LoadOp>(op))
      break;
    if (auto barrier = dyn_cast<GroupBarrierOp>(op); barrier && !all.known)
      all.known = barrier;
    if (auto wait = dyn_cast<StoreWaitOp>(op); wait && all.known) {
      all.wait = wait;
      break;
    }
  }
  for (Operation *op = stage->getNextNode(); op; op = op->getNextNode()) {
    if (isa<StageOp, StoreWaitOp>(op))
      break;
    if (auto fence = dyn_cast<ProxyFenceOp>(op))
      all.fence = fence;
    if (auto barrier = dyn_cast<GroupBarrierOp>(op))
      all.written = barrier;
    if (auto store = dyn_cast<StoreAsyncOp>(op))
      all.stores.push_back(store);
    if (auto commit = dyn_cast<StoreCommitOp>(op)) {
      all.commit = commit;
      break;
    }
  }
  return all;
}

/// The chunks of a tile in order. They are in one block, in slots whose numbers
/// are constants.
static Outcome findStagings(gpu::GPUFuncOp kernel,
                            SmallVectorImpl<Staging> &all) {
  Operation *odd = nullptr;
  kernel.walk([&](StageOp stage) {
    APInt slot;
    bool isKnown = matchPattern(stage.getSlot(), m_ConstantInt(&slot));
    if (!isKnown ||
        (!all.empty() && all.front().stage->getBlock() != stage->getBlock()))
      odd = stage;
    all.push_back(stagingOf(stage));
    all.back().slot = isKnown ? slot.getSExtValue() : -1;
  });
  if (odd)
    return Refusal{odd, "expected chunks in slots that are known, one after "
                        "the other, but got another one"};
  if (all.empty())
    return Refusal{kernel, "expected a tile that is staged, but got none"};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// stores(joined)
//===----------------------------------------------------------------------===//

/// Puts the chunks of `run`, which have slots of their own, between two
/// barriers.
static void join(MutableArrayRef<Staging> run) {
  Staging &first = run.front(), &last = run.back();
  // All earlier stores are one group, and in these slots. Slots that are unused
  // before have no guards.
  if (first.isGuarded())
    first.wait.setPending(0);
  for (Staging &one : run.drop_front())
    if (one.isGuarded()) {
      one.wait.erase();
      one.known.erase();
    }
  for (Staging &one : run.drop_back()) {
    for (StoreAsyncOp store : one.stores)
      store->moveBefore(last.stores.front());
    one.fence.erase();
    one.written.erase();
    one.commit.erase();
  }
}

Outcome hone::rewrite::joinStores(gpu::GPUFuncOp kernel, StringRef) {
  SmallVector<Staging> all;
  if (Outcome refused = findStagings(kernel, all))
    return refused;
  for (Staging &one : all)
    if (!one.isWhole())
      return Refusal{
          one.stage,
          "expected a wait and a barrier before each staged chunk, or neither, "
          "and a fence, a barrier and stores after it, but got others"};
  SmallVector<MutableArrayRef<Staging>> runs;
  MutableArrayRef<Staging> rest = all;
  while (!rest.empty()) {
    SmallVector<int64_t> slots;
    for (Staging &one : rest) {
      if (llvm::is_contained(slots, one.slot))
        break;
      slots.push_back(one.slot);
    }
    runs.push_back(rest.take_front(slots.size()));
    rest = rest.drop_front(slots.size());
  }
  if (runs.size() == all.size())
    return Refusal{all.front().stage, "expected chunks that have slots at the "
                                      "same time, but got one slot or chunk"};
  for (MutableArrayRef<Staging> run : runs)
    join(run);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// staging(guarded)
//===----------------------------------------------------------------------===//

Outcome hone::rewrite::guardStaging(gpu::GPUFuncOp kernel, StringRef) {
  SmallVector<Staging> all;
  if (Outcome refused = findStagings(kernel, all))
    return refused;
  SmallVector<Staging> fresh;
  for (Staging &one : all)
    if (!one.known)
      fresh.push_back(one);
  if (fresh.empty())
    return Refusal{all.front().stage, "expected a slot that is written without "
                                      "a wait and a barrier, but got none"};
  for (Staging &one : fresh) {
    OpBuilder builder(one.stage);
    auto ring = cast<RingType>(one.stage.getRing().getType());
    StoreWaitOp::create(builder, one.stage.getLoc(), ring.getSlots() - 1,
                        /*written=*/false);
    GroupBarrierOp::create(builder, one.stage.getLoc());
  }
  return std::nullopt;
}
