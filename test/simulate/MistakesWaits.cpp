//===- MistakesWaits.cpp - Mistakes in waits, counts and clears -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Ops that write memory, start work, or signal other threads.
static bool isSignal(Operation *op) {
  return hasKernelEffect(op, [](const Effect &effect) {
    if (effect.kind == EffectKind::write)
      return effect.memory != kernel::Memory::registers;
    return llvm::is_contained({EffectKind::init, EffectKind::arrive,
                               EffectKind::meetArrive, EffectKind::commit},
                              effect.kind);
  });
}

static bool isWait(Operation *op) {
  return !isSignal(op) && hasKernelEffect(op, [](const Effect &effect) {
    return llvm::is_contained({EffectKind::wait, EffectKind::meet,
                               EffectKind::meetWait, EffectKind::fence,
                               EffectKind::waitCommitted},
                              effect.kind);
  });
}

/// Deletes `op` and replaces its results by its accumulators.
static void erase(Operation *op) {
  if (auto wait = dyn_cast<MmaWaitOp>(op))
    op->replaceAllUsesWith(wait.getAccs());
  op->erase();
}

/// The next op of the dialect in the same region, or null.
static Operation *nextEvent(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (isa<KernelDialect>(next->getDialect()) && !isa<RoleOp>(next))
      return next;
  return nullptr;
}

/// The next event, if `op` may be moved after it, or null.
static Operation *oneLater(Operation *op) {
  Operation *next = nextEvent(op);
  if (!next || op->getNumResults() || next->getNumResults() ||
      next->getName() == op->getName())
    return nullptr;
  return next;
}

/// Moves the op after everything else in the kernel.
static void moveToEnd(Operation *op) {
  Block &body = op->getParentOfType<gpu::GPUFuncOp>().getBody().front();
  op->moveBefore(body.getTerminator());
}

/// Moves the op into one role: the other roles no longer execute it.
static void moveIntoRole(Operation *op, int64_t number) {
  gpu::GPUFuncOp kernel = op->getParentOfType<gpu::GPUFuncOp>();
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    if (number-- == 0)
      return op->moveBefore(&role.getBody().front(),
                            role.getBody().front().begin());
}

/// Only cluster 0 executes the op.
static void guardByWorker(Operation *op) {
  OpBuilder builder(op);
  Type type = builder.getI32Type();
  auto place =
      WorkerOp::create(builder, op->getLoc(), type, type,
                       clusterOf(op->getParentOfType<gpu::GPUFuncOp>()));
  guardByZero(op, place.getWorker());
}

/// Only the first block of each cluster executes the op.
static void guardByRank(Operation *op) {
  OpBuilder builder(op);
  guardByZero(
      op, ClusterRankOp::create(builder, op->getLoc(), builder.getI32Type()));
}

/// Only the first group of its role executes the op.
static void guardByGroup(Operation *op) {
  guardByZero(op, op->getParentOfType<RoleOp>().getBody().getArgument(0));
}

static bool isOneOfSeveralGroups(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  return role && role.getBody().getNumArguments() && role.getWarps() > 4;
}

/// Replaces the op by another without operands.
template <typename Other>
static void weakenTo(Operation *op) {
  OpBuilder builder(op);
  Other::create(builder, op->getLoc());
  op->erase();
}

static void listWeaker(MistakeList &list) {
  Operation *op = list.op;
  if (isa<ClusterSyncOp>(op))
    list.add(Cause::waits, "weaken", "to kernel.barrier", weakenTo<BarrierOp>);
  if (isa<RoleBarrierOp>(op))
    list.add(Cause::waits, "weaken", "to kernel.group.barrier",
             weakenTo<GroupBarrierOp>);
  if (isa<RoleBarrierOp, GroupBarrierOp>(op)) {
    list.add(Cause::waits, "replace", "by kernel.barrier", weakenTo<BarrierOp>);
    // The barrier waits for roles that never arrive.
    auto role = op->getParentOfType<RoleOp>();
    auto isOther = [&](RoleOp other) { return other != role; };
    list.list.back().cannotBeRight =
        role && llvm::any_of(role->getBlock()->getOps<RoleOp>(), isOther);
  }
  if (isa<BarrierOp>(op))
    list.add(Cause::waits, "replace", "by kernel.cluster.arrive",
             weakenTo<ClusterArriveOp>);
  if (auto wait = dyn_cast<StoreWaitOp>(op); wait && wait.getWritten())
    list.add(Cause::waits, "weaken", "to read",
             [](Operation *op) { cast<StoreWaitOp>(op).setWritten(false); });
}

static void listOrder(MistakeList &list) {
  Operation *op = list.op;
  if (oneLater(op))
    list.add(Cause::waits, "late", "",
             [](Operation *op) { op->moveAfter(oneLater(op)); });
  if (!isa<DependWaitOp>(op))
    return;
  list.add(Cause::waits, "move", "to the end", moveToEnd);
  list.add(Cause::waits, "move", "into one cluster", guardByWorker);
  if (op->getParentOfType<RoleOp>())
    return;
  auto roles = op->getBlock()->getOps<RoleOp>();
  for (auto [number, role] : llvm::enumerate(roles))
    list.add(Cause::waits, "move", "into role " + role.getName(),
             [number = number](Operation *op) { moveIntoRole(op, number); });
}

/// A phase that flips at the wrong time or never.
static void listPhases(MistakeList &list) {
  Operation *op = list.op;
  if (auto await = dyn_cast<AwaitOp>(op)) {
    list.add(Cause::waits, "phase", "", [](Operation *op) {
      OpBuilder builder(op);
      auto await = cast<AwaitOp>(op);
      await.getPhaseMutable().assign(
          arith::XOrIOp::create(builder, op->getLoc(), await.getPhase(),
                                constantLike(builder, await.getPhase(), 1)));
    });
    list.addWrong(Cause::waits, "phase", "+ 2", [](Operation *op) {
      addToOperand(op, op->getNumOperands() - 1, 2);
    });
  }
  auto turn = dyn_cast<arith::XOrIOp>(op);
  if (!turn)
    return;
  list.add(Cause::waits, "phase", "never turns", [](Operation *op) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  });
  list.add(Cause::waits, "phase", "turns once", [](Operation *op) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(arith::OrIOp::create(
        builder, op->getLoc(), op->getOperand(0), op->getOperand(1)));
  });
  list.add(Cause::waits, "phase", "counts on", [](Operation *op) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(arith::AddIOp::create(
        builder, op->getLoc(), op->getOperand(0), op->getOperand(1)));
  });
}

void hone::test::listWaits(MistakeList &list) {
  Operation *op = list.op;
  listPhases(list);
  if (!isWait(op) && !isSignal(op))
    return;
  list.add(isWait(op) ? Cause::waits : Cause::counts, "delete", "", erase);
  listWeaker(list);
  listOrder(list);
  if (op->getNumResults())
    return;
  Cause cause = isWait(op) ? Cause::waits : Cause::counts;
  if (isOneOfSeveralGroups(op))
    list.add(cause, "only", "group 0", guardByGroup);
  if (list.cluster > 1)
    list.add(cause, "only", "block 0", guardByRank);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Changes the number of arrivals of barriers.
static void setArrivals(Operation *op, int64_t by) {
  Value result = op->getResult(0);
  auto type = cast<BarriersType>(result.getType());
  result.setType(BarriersType::get(type.getContext(), type.getSlots(),
                                   type.getArrivals() + by));
}

void hone::test::listCounts(MistakeList &list) {
  Operation *op = list.op;
  for (int64_t by : {1, -1}) {
    std::string sign = by > 0 ? "+1" : "-1";
    if (auto barriers = dyn_cast<BarriersOp>(op);
        barriers && barriers.getType().getArrivals() + by > 0)
      list.add(Cause::counts, "count", sign + " arrivals",
               [by](Operation *op) { setArrivals(op, by); });
    for (StringRef name : {"bytes", "pending", "everywhere"})
      if (auto value = op->getAttrOfType<IntegerAttr>(name);
          value && isa<KernelDialect>(op->getDialect()) &&
          value.getInt() + by >= 0 &&
          (name != "everywhere" || value.getInt() > 1))
        list.add(name == "pending" ? Cause::waits : Cause::counts, "count",
                 sign + " " + name,
                 [by, name](Operation *op) { addToAttribute(op, name, by); });
    if (isa<CountAwaitOp, CountLeaveOp>(op))
      list.add(Cause::counts, "count", sign + " groups", [by](Operation *op) {
        addToOperand(op, op->getNumOperands() - 1, by);
      });
  }
  if (isa<ArriveOp, CountArriveOp, CountLeaveOp, CopyCommitOp, ExpectOp, LoadOp,
          MmaCommitOp, StoreAsyncOp, StoreCommitOp, StoreLinesOp, StoreOp,
          SumsPutOp>(op))
    list.add(Cause::counts, "twice", "",
             [](Operation *op) { OpBuilder(op).clone(*op); });
}

//===----------------------------------------------------------------------===//
// Clears
//===----------------------------------------------------------------------===//

/// The flag that says whether a sum continues.
static void setKeep(Operation *op, bool keep) {
  OpBuilder builder(op);
  cast<MmaAsyncOp>(op).getKeepMutable().assign(arith::ConstantOp::create(
      builder, op->getLoc(), builder.getBoolAttr(keep)));
}

void hone::test::listClears(MistakeList &list) {
  Operation *op = list.op;
  if (auto mma = dyn_cast<MmaAsyncOp>(op)) {
    if (mma.getKeep())
      list.add(Cause::clears, "keep", "always",
               [](Operation *op) { setKeep(op, true); });
    list.add(Cause::clears, "keep", "never",
             [](Operation *op) { setKeep(op, false); });
  }
  if (isa<CountLeaveOp>(op)) {
    list.add(Cause::clears, "only", "worker 0", guardByWorker);
    list.add(Cause::clears, "late", "by a counter",
             [](Operation *op) { addToOperand(op, 1, 1); });
  }
  // Sums placed after the cleared bytes of the workspace, or within them.
  if (auto sums = dyn_cast<SumsOp>(op))
    for (int64_t by : {-int64_t(sums.getOffset()), int64_t(-4096),
                       int64_t(-128), int64_t(1024)})
      list.add(Cause::clears, "place", "sums " + Twine(by),
               [by](Operation *op) { addToAttribute(op, "offset", by); });
}
