//===- Consumers.cpp - Rewrites of the role that multiplies ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products in flight, their order, and the handover between teams.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Rewrite/Menu.h"
#include "passes/Rewrite/Parts.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

namespace {
/// The return of slots while one group of products is in flight: the loop gives
/// back the slot of the step before, if there was one, and the last slot is
/// given back after the loop.
struct GivingBack {
  scf::IfOp ifLater;
  ArriveOp before, last;
  /// The loop-carried value: the slot of the step before.
  BlockArgument slotBefore;
};
} // namespace

static Outcome findGivingBack(Multiplying &multiplying, Value empty,
                              GivingBack &giving) {
  scf::ForOp loop = multiplying.loop;
  if (multiplying.wait.getPending() != 1)
    return Refusal{multiplying.wait,
                   "expected one group of products in flight, but got " +
                       std::to_string(multiplying.wait.getPending())};
  for (auto branch : loop.getBody()->getOps<scf::IfOp>())
    if (auto arrive = onlyOf<ArriveOp>(*branch.thenBlock());
        arrive && arrive.getBarriers() == empty) {
      giving.ifLater = branch;
      giving.before = arrive;
    }
  if (!giving.before)
    return Refusal{loop, "expected a slot to be given back where there was a "
                         "step before, but got none"};
  giving.slotBefore = dyn_cast<BlockArgument>(giving.before.getSlot());
  if (!giving.slotBefore || giving.slotBefore.getOwner() != loop.getBody())
    return Refusal{giving.before,
                   "expected the slot of the step before, as the loop carries "
                   "it, but got another one"};
  Value carried = loop.getTiedLoopResult(giving.slotBefore);
  for (Operation *user : carried.getUsers())
    if (auto arrive = dyn_cast<ArriveOp>(user);
        arrive && arrive.getBarriers() == empty &&
        arrive->getBlock() == loop->getBlock())
      giving.last = arrive;
  if (!giving.last)
    return Refusal{
        loop,
        "expected the last slot to be given back after the loop, but got none"};
  return std::nullopt;
}

/// Each step waits for its own products and gives its own slot back.
static void giveBackAtOnce(Multiplying &multiplying, GivingBack &giving) {
  multiplying.wait.setPending(0);
  giving.before->moveBefore(giving.ifLater);
  giving.before.getSlotMutable().assign(multiplying.await.getSlot());
  if (llvm::hasSingleElement(*giving.ifLater.thenBlock()))
    giving.ifLater.erase();
  giving.last.erase();
}

/// Each step gives back the slot of two steps before. After the loop two slots
/// are left, or one if there was one step.
static void giveBackLater(Multiplying &multiplying, GivingBack &giving) {
  IRRewriter rewriter(multiplying.loop.getContext());
  Location loc = giving.before.getLoc();
  multiplying.wait.setPending(2);
  unsigned number = giving.slotBefore.getArgNumber() - 1;
  Value initial = multiplying.loop.getInitArgs()[number];
  auto carryOn = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>{giving.slotBefore};
  };
  auto loop = cast<scf::ForOp>(*multiplying.loop.replaceWithAdditionalYields(
      rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, carryOn));
  auto isAfterFirst = [&](Value count) -> Value {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt,
                                 count, i32(rewriter, loc, 1));
  };
  rewriter.setInsertionPoint(giving.ifLater);
  giving.ifLater.getConditionMutable().assign(
      isAfterFirst(loop.getInductionVar()));
  giving.before.getSlotMutable().assign(loop.getRegionIterArgs().back());
  rewriter.setInsertionPoint(giving.last);
  auto branch =
      scf::IfOp::create(rewriter, loc, isAfterFirst(loop.getUpperBound()));
  rewriter.setInsertionPointToStart(branch.thenBlock());
  auto before = cast<ArriveOp>(rewriter.clone(*giving.last));
  before.getSlotMutable().assign(loop.getResults().back());
}

/// flight(0), flight(2).
Outcome hone::rewrite::keepInFlight(gpu::GPUFuncOp kernel, StringRef value) {
  Loading loading;
  Multiplying multiplying;
  GivingBack giving;
  if (Outcome refused = find(kernel, loading))
    return refused;
  if (Outcome refused = find(kernel, multiplying))
    return refused;
  if (Outcome refused = findGivingBack(multiplying, loading.empty(), giving))
    return refused;
  if (llvm::range_size(giving.ifLater.thenBlock()->without_terminator()) != 1 ||
      giving.ifLater.elseBlock())
    return Refusal{giving.ifLater,
                   "expected nothing else where a slot is given "
                   "back, but got more"};
  if (value == "0")
    giveBackAtOnce(multiplying, giving);
  else
    giveBackLater(multiplying, giving);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The order of products
//===----------------------------------------------------------------------===//

/// products(by_step): all bands' products of one k16, then those of the next
/// one. Neighbouring products then add to different sums, and share their
/// columns.
Outcome hone::rewrite::orderProducts(gpu::GPUFuncOp kernel, StringRef) {
  Multiplying multiplying;
  if (Outcome refused = find(kernel, multiplying))
    return refused;
  SmallVector<MmaAsyncOp, 16> &all = multiplying.products;
  // The products of one step stay in the order of their bands.
  auto ascends = [](MmaAsyncOp one, MmaAsyncOp other) {
    if (one.getStep() != other.getStep())
      return one.getStep() < other.getStep();
    return one != other && one->isBeforeInBlock(other);
  };
  if (llvm::is_sorted(all, ascends))
    return Refusal{all.front(),
                   "expected the products of several bands, one band after the "
                   "other, but got them in the order of their steps"};
  // The operands of all products are computed before the first one.
  Operation *first = all.front();
  for (Operation &op : llvm::make_range(first->getIterator(),
                                        multiplying.commit->getIterator()))
    if (!isa<MmaAsyncOp>(op) && !isPure(&op))
      return Refusal{&op, "expected nothing but products and their places "
                          "before they are committed, but got another op"};
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           first->getIterator(), multiplying.commit->getIterator())))
    if (!isa<MmaAsyncOp>(op))
      op.moveBefore(first);
  llvm::sort(all, ascends);
  for (MmaAsyncOp product : all)
    product->moveBefore(multiplying.commit);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

/// handover(early): a team's threads synchronize when they receive their turn,
/// not before they hand it over.
Outcome hone::rewrite::handOver(gpu::GPUFuncOp kernel, StringRef) {
  Multiplying multiplying;
  if (Outcome refused = find(kernel, multiplying))
    return refused;
  scf::ForOp loop = multiplying.loop;
  GroupBarrierOp meeting;
  ArriveOp handsOver;
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    if (auto barrier = dyn_cast<GroupBarrierOp>(op); barrier && !meeting)
      meeting = barrier;
    if (auto arrive = dyn_cast<ArriveOp>(op); arrive && meeting) {
      handsOver = arrive;
      break;
    }
    if (isa<MmaWaitOp>(op))
      break;
  }
  if (!handsOver)
    return Refusal{loop, "expected threads that meet after the loop and hand "
                         "over to another team, but got none"};
  AwaitOp turn;
  for (auto await : loop->getBlock()->getOps<AwaitOp>())
    if (await.getBarriers() == handsOver.getBarriers() &&
        await->isBeforeInBlock(loop))
      turn = await;
  if (!turn)
    return Refusal{handsOver, "expected a wait for the same barriers before "
                              "the loop, but got none"};
  meeting->moveAfter(turn);
  return std::nullopt;
}
