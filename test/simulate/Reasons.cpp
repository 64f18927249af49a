//===- Reasons.cpp - Changes that are not mistakes ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons why a mutant is right. They apply only to mutants that no size, seed
// or launch shows to be wrong.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::simulate;
using namespace hone::test;
using llvm::StringRef;

/// The launch of the subject's kernel.
static const KernelLaunch &launchOf(const Subject &subject) {
  return subject.plan.alternatives[subject.alternative]
      .launches[subject.launch];
}

/// True if blocks take tiles in turn, as many blocks as the device holds.
static bool takesTurns(const Subject &subject) {
  return StringRef(launchOf(subject).grid[0].str()).contains("resident(");
}

/// True for the first op of its kind in the kernel.
static bool isFirst(Operation *op) {
  bool seen = false, isFirst = false;
  op->getParentOfType<gpu::GPUFuncOp>().walk([&](Operation *each) {
    if (each->getName() == op->getName() && !seen) {
      seen = true;
      isFirst = each == op;
    }
  });
  return isFirst;
}

/// True if the next event uses other memory, or none, and waits for nothing
/// that this one starts.
static bool isApart(Operation *op) {
  Operation *next = op->getNextNode();
  while (next && !isa<KernelDialect>(next->getDialect()))
    next = next->getNextNode();
  if (isa<CopyCommitOp>(op))
    return isa_and_nonnull<DependReleaseOp>(next);
  return isa<StoreOp>(op) && isa_and_nonnull<ClusterWaitOp>(next);
}

/// True before a chunk that threads store.
static bool storesByThreads(Operation *op) {
  auto after =
      llvm::make_range(std::next(op->getIterator()), op->getBlock()->end());
  return llvm::any_of(after, llvm::IsaPred<StageOp>) &&
         llvm::any_of(after, llvm::IsaPred<StoreLinesOp>);
}

/// True if the stores before `op`, or `op` itself, are part of a group that
/// completes before the next wait for stores.
static bool isCommittedInTime(Operation *op) {
  Operation *next = op->getNextNode();
  if (isa<StoreAsyncOp>(op) && isa_and_nonnull<StoreCommitOp>(next))
    next = next->getNextNode();
  for (; next; next = next->getNextNode()) {
    if (isa<StoreCommitOp>(next))
      return true;
    bool waits = false;
    next->walk([&](StoreWaitOp) { waits = true; });
    if (waits)
      return false;
  }
  return false;
}

static bool isAfterLoops(Operation *op) {
  return !op->getParentOfType<scf::ForOp>();
}

/// True if a wait that is moved out of its branch completes no fewer stores.
/// Moved before the branch, it runs at the same place and in more cases. Moved
/// after it, a wait for everything runs at the end of the previous iteration.
static bool waitsMoreOften(Operation *op, bool before) {
  auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
  auto wait = dyn_cast<StoreWaitOp>(op);
  if (!branch || !wait)
    return false;
  if (!before)
    return !wait.getPending() && isa<scf::ForOp>(branch->getParentOp());
  auto ahead = llvm::make_range(op->getBlock()->begin(), op->getIterator());
  return llvm::none_of(ahead, llvm::IsaPred<StoreAsyncOp, StoreCommitOp>);
}

/// True for a fence after products of the same block, and in every step but the
/// first.
static bool isBetweenProducts(Operation *op) {
  auto ahead = llvm::make_range(op->getBlock()->begin(), op->getIterator());
  return isa<MmaFenceOp>(op) && llvm::any_of(ahead, llvm::IsaPred<MmaAsyncOp>);
}

/// True for the wait after a loop each step of which waits for its products.
static bool findsAllDone(Operation *op) {
  bool waitsInLoop = false;
  op->getParentOfType<gpu::GPUFuncOp>().walk([&](MmaWaitOp wait) {
    auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
    waitsInLoop |= !wait.getPending() && loop && loop != op->getParentOp();
  });
  return isa<MmaWaitOp>(op) && waitsInLoop;
}

/// True if no more groups of stores are in flight than the wait allows.
static bool waitsForNothing(Operation *op) {
  auto wait = dyn_cast<StoreWaitOp>(op);
  if (!wait || !isAfterLoops(op))
    return false;
  int64_t groups = 0;
  constexpr int64_t kMany = 1000;
  op->getParentOfType<gpu::GPUFuncOp>().walk([&](Operation *before) {
    if (isa<StoreCommitOp>(before))
      groups += isAfterLoops(before) ? 1 : kMany;
    return before == op ? WalkResult::interrupt() : WalkResult::advance();
  });
  return groups <= int64_t(wait.getPending());
}

/// True for the producer's wait in a step that fills slots for the first time.
static bool isOfFirstRound(Operation *op, const Mistake &mistake) {
  auto await = dyn_cast<AwaitOp>(op);
  auto role = op->getParentOfType<RoleOp>();
  int64_t step = 0;
  return mistake.kind == "step" && await && role && role.getOneThread() &&
         !StringRef(mistake.detail).consumeInteger(10, step) &&
         step < await.getBarriers().getType().getSlots();
}

/// The copy engine clips the operands at the edge of the matrix.
static bool usesMaps(const Subject &subject) {
  return llvm::any_of(launchOf(subject).params, [](const LaunchParam &param) {
    return param.kind == LaunchParam::tensorMap;
  });
}

/// Reasons for kernels of one tile per block.
static StringRef whyRightOnce(Operation *op, const Mistake &mistake,
                              StringRef text) {
  if (isOfFirstRound(op, mistake))
    return "a block of one tile: its slots are empty in the first round";
  if (waitsForNothing(op))
    return "a block of one tile: not as many stores are under way";
  if (isa<ArriveOp>(op) && isAfterLoops(op))
    return "a block of one tile: the last slot is not filled again";
  bool isOfStores = isa<StoreWaitOp, GroupBarrierOp>(op) && isFirst(op);
  if (isOfStores && isAfterLoops(op))
    return "a block of one tile: no store follows the first";
  bool isStaged = isa<RingOp>(op) && text.starts_with("merge") &&
                  llvm::any_of(op->getUsers(), llvm::IsaPred<StageOp>);
  if (isStaged)
    return "one group, one tile: its slots are done with when C is staged";
  return "";
}

static StringRef whyPlanIsRight(const Subject &good, size_t launch,
                                StringRef text) {
  std::string grid =
      good.plan.alternatives[good.alternative].launches[launch].grid[0].str();
  if (text == "programmatic plan no")
    return "waits for the kernel before: slower, not wrong";
  // Blocks that copy share their work as well.
  if (text.starts_with("grid") && StringRef(grid).starts_with("min("))
    return "blocks share all tiles: any number that fits the GPU will do";
  bool isLonger = text.starts_with("param plan") &&
                  (text.contains(" 1 'm'") || text.contains(" 1 'n'") ||
                   text.contains(" 1 'k'"));
  if (isLonger && usesMaps(good))
    return "tiles and steps after the end: the copy engine clips them";
  return "";
}

StringRef hone::test::whyRight(const Subject &good, Operation *op,
                               const Mistake &mistake) {
  std::string name = mistake.str();
  // An op that may be deleted may also be skipped once.
  if (mistake.kind == "step")
    name = "delete " + mistake.op;
  StringRef text = name;
  if (!op)
    return whyPlanIsRight(good, mistake.launch, text);
  if (isa<DependReleaseOp>(op))
    return "it only lets the next kernel start early";
  if (text == "move kernel.depend.wait into role producer")
    return "consumers touch global memory after its announcement";
  if (mistake.kind == "late" && isApart(op))
    return "late by an op that has nothing to do with it";
  if (mistake.kind == "replace" && !op->getParentOfType<RoleOp>())
    return "the group is the block";
  if (text.contains("-1 pending"))
    return "waits for more than it has to: slower, not wrong";
  if (text.starts_with("twice") &&
      isa<CopyCommitOp, MmaCommitOp, StoreCommitOp>(op))
    return "an empty group: waits for more than it has to";
  if (text == "late kernel.expect")
    return "bytes may land before they are announced: the arrival is missing";
  if (isa<GroupBarrierOp>(op) && mistake.cause == Cause::waits &&
      isa_and_nonnull<CountLeaveOp>(op->getNextNode()))
    return "sums that are read are not written again before the kernel ends";
  if (mistake.kind == "outside" && waitsMoreOften(op, text.ends_with("before")))
    return "waits where it does not have to: slower, not wrong";
  bool isOfGroup =
      text == "delete kernel.store.commit" ||
      text == "late kernel.store.async" ||
      (text.starts_with("only kernel.store.commit") && takesTurns(good));
  if (isOfGroup && isCommittedInTime(op))
    return "part of the next group, which is complete before the next wait";
  bool isNotThere = text == "delete kernel.group.barrier" ||
                    text == "late kernel.group.barrier" ||
                    text == "only kernel.group.barrier group 0";
  if (isNotThere && takesTurns(good) && storesByThreads(op))
    return "a chunk a tile: its threads have met to give the turn away";
  if (isa<PrefetchOp>(op))
    return "it only asks for memory early";
  if (text == "count kernel.mma.wait +1 pending" && findsAllDone(op))
    return "each step has waited for its products";
  bool isInLoop = op->getParentOfType<scf::ForOp>() != nullptr;
  if (isBetweenProducts(op) ||
      (isa<MmaFenceOp>(op) && ((mistake.kind == "step" && isInLoop) ||
                               text == "outside kernel.mma.fence before")))
    return "accumulators that products alone have touched need no fence";
  bool isFence = isa_and_nonnull<MmaFenceOp>(op->getNextNode());
  if (text == "late kernel.await" && isFence)
    return "the fence is of registers, and the wait of memory";
  return takesTurns(good) ? "" : whyRightOnce(op, mistake, text);
}
