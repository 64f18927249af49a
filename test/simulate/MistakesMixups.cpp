//===- MistakesMixups.cpp - Exchanged parts of a kernel -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes other than a number off by one: another constant; another set of
// barriers, ring or map; one step or block treated differently; an event
// outside its loop; a loop that does not advance; and a barrier instead of a
// cluster sync.
//
//===----------------------------------------------------------------------===//

#include "MistakeList.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::test;

static gpu::GPUFuncOp kernelOf(Operation *op) {
  return op->getParentOfType<gpu::GPUFuncOp>();
}

//===----------------------------------------------------------------------===//
// Values of the same kind
//===----------------------------------------------------------------------===//

/// Other values of the kernel that could replace `operand`: rings of the same
/// type, barriers with as many slots, maps of the same box.
static SmallVector<Value> othersLike(Operation *op, Value value) {
  auto isLike = [&](Type type) {
    auto own = dyn_cast<BarriersType>(value.getType());
    auto other = dyn_cast<BarriersType>(type);
    return own && other ? own.getSlots() == other.getSlots()
                        : type == value.getType();
  };
  SmallVector<Value> others;
  for (BlockArgument argument : kernelOf(op).getArguments())
    if (argument != value && isLike(argument.getType()))
      others.push_back(argument);
  kernelOf(op).walk([&](Operation *each) {
    if (isa<RingOp, BarriersOp>(each) && each->getResult(0) != value &&
        isLike(each->getResult(0).getType()))
      others.push_back(each->getResult(0));
  });
  return others;
}

static void listOthers(MistakeList &list) {
  Operation *op = list.op;
  if (!isa<AwaitOp, ArriveOp, ExpectOp, LoadOp, StoreAsyncOp, MmaAsyncOp,
           ReadOp, CopyOp, StageOp, UnstageOp, StoreLinesOp>(op))
    return;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value value = op->getOperand(i);
    if (!isa<RingType, BarriersType, MapType>(value.getType()))
      continue;
    for (size_t other = 0; other < othersLike(op, value).size(); ++other)
      list.add(Cause::shares, "another", Twine(i) + " " + Twine(other),
               [=](Operation *op) {
                 op->setOperand(i, othersLike(op, op->getOperand(i))[other]);
               });
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A rank, tile or number of workers: another value, or always the first.
static void listIdentities(MistakeList &list) {
  Operation *op = list.op;
  if (!isa<ClusterRankOp, WorkerOp, TileOp>(op))
    return;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    if (op->getResult(i).use_empty())
      continue;
    list.add(Cause::shares, "identity", Twine(i) + " is 0", [i](Operation *op) {
      OpBuilder builder(op);
      Value value = op->getResult(i);
      value.replaceAllUsesWith(constantLike(builder, value, 0));
    });
    list.add(Cause::shares, "identity", Twine(i) + " + 1", [i](Operation *op) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      Value value = op->getResult(i);
      auto one = constantLike(builder, value, 1);
      auto sum = arith::AddIOp::create(builder, op->getLoc(), value, one);
      value.replaceAllUsesExcept(sum, sum);
    });
  }
  if (isa<WorkerOp>(op))
    for (int64_t by : {1, -1})
      if (op->getAttrOfType<IntegerAttr>("blocks").getInt() + by > 0)
        list.add(Cause::shares, "number", "blocks " + Twine(by),
                 [by](Operation *op) { addToAttribute(op, "blocks", by); });
}

static void listConstants(MistakeList &list) {
  auto constant = dyn_cast<arith::ConstantOp>(list.op);
  if (!constant || !constant.getType().isInteger(32))
    return;
  for (int64_t by : {1, -1, 8})
    list.add(Cause::shares, "constant",
             Twine(cast<IntegerAttr>(constant.getValue()).getInt()) + " by " +
                 Twine(by),
             [by](Operation *op) {
               auto value =
                   cast<IntegerAttr>(cast<arith::ConstantOp>(op).getValue());
               op->setAttr("value", IntegerAttr::get(value.getType(),
                                                     value.getInt() + by));
             });
}

//===----------------------------------------------------------------------===//
// Single steps
//===----------------------------------------------------------------------===//

/// Skips the event in one step of the surrounding loop, far beyond the sizes of
/// any trial.
static void forgetStep(Operation *op, int64_t step) {
  OpBuilder builder(op);
  Value at = op->getParentOfType<scf::ForOp>().getInductionVar();
  Value isOther =
      arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::ne, at,
                            constantLike(builder, at, step));
  auto branch = scf::IfOp::create(builder, op->getLoc(), isOther);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

static void listSteps(MistakeList &list) {
  Operation *op = list.op;
  if (!isa<KernelDialect>(op->getDialect()) || op->getNumResults() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return;
  auto loop = op->getParentOfType<scf::ForOp>();
  // Where the loop's length is the same at all sizes, every step is tried.
  if (!loop || loop.getUpperBound().getDefiningOp<arith::ConstantOp>())
    return;
  constexpr int64_t kNear = 5, kFar = 1000;
  list.add(Cause::waits, "step", Twine(kNear) + " is forgotten",
           [](Operation *op) { forgetStep(op, kNear); });
  list.addWrong(Cause::waits, "step", Twine(kFar) + " is forgotten",
                [](Operation *op) { forgetStep(op, kFar); });
  // For some events one more or one fewer is correct.
  if (isa<DependReleaseOp, GroupBarrierOp, StoreWaitOp, ProxyFenceOp,
          CopyCommitOp, StoreCommitOp, CopyWaitOp, MmaFenceOp>(op))
    list.list.back().cannotBeRight = false;
}

/// A value that the loop carries keeps its initial value, or is exchanged with
/// another.
static void listYields(MistakeList &list) {
  auto loop = dyn_cast<scf::ForOp>(list.op);
  if (!loop)
    return;
  auto isCarried = [&](size_t i) {
    Value value = loop.getYieldedValues()[i];
    return value.getType().isInteger(32) &&
           value != loop.getRegionIterArgs()[i];
  };
  for (size_t i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    if (!isCarried(i))
      continue;
    list.add(Cause::waits, "carry", Twine(i) + " stays", [i](Operation *op) {
      auto loop = cast<scf::ForOp>(op);
      loop.getBody()->getTerminator()->setOperand(i, loop.getRegionIterArg(i));
    });
    if (i + 1 < loop.getNumRegionIterArgs() && isCarried(i + 1))
      list.add(
          Cause::waits, "carry", Twine(i) + " is the next", [i](Operation *op) {
            Operation *yield = cast<scf::ForOp>(op).getBody()->getTerminator();
            Value first = yield->getOperand(i);
            yield->setOperand(i, yield->getOperand(i + 1));
            yield->setOperand(i + 1, first);
          });
  }
}

//===----------------------------------------------------------------------===//
// Events in another place
//===----------------------------------------------------------------------===//

static void listPlacesInCode(MistakeList &list) {
  Operation *op = list.op;
  bool isFree = isa<KernelDialect>(op->getDialect()) && !op->getNumOperands() &&
                !op->getNumResults() && !op->getNumRegions();
  if (!isFree || !isa<scf::ForOp, scf::IfOp>(op->getParentOp()))
    return;
  list.add(Cause::waits, "outside", "before",
           [](Operation *op) { op->moveBefore(op->getParentOp()); });
  list.add(Cause::waits, "outside", "behind",
           [](Operation *op) { op->moveAfter(op->getParentOp()); });
}

/// Some barriers are never initialized.
static void listInits(MistakeList &list) {
  auto init = dyn_cast<BarriersInitOp>(list.op);
  if (!init || init.getBarriers().size() < 2)
    return;
  for (unsigned i = 0; i < init.getBarriers().size(); ++i)
    list.addWrong(Cause::counts, "init", "without " + Twine(i),
                  [i](Operation *op) { op->eraseOperand(i); });
}

//===----------------------------------------------------------------------===//
// A barrier in place of a meeting
//===----------------------------------------------------------------------===//

/// Groups arrive at a barrier in each block of the cluster, and wait for it,
/// instead of kernel.cluster.sync. All groups arrive, but arrivals from another
/// block publish nothing: the sums read afterwards may not be written yet.
static void meetByArrivals(Operation *op) {
  gpu::GPUFuncOp kernel = kernelOf(op);
  auto role = op->getParentOfType<RoleOp>();
  BarriersInitOp init;
  int64_t end = 0;
  kernel.walk([&](Operation *each) {
    if (auto found = dyn_cast<BarriersInitOp>(each))
      init = found;
    if (auto barriers = dyn_cast<BarriersOp>(each))
      end = std::max(end, int64_t(barriers.getOffset()) +
                              barriers.getBarriers().getType().getBytes());
  });
  OpBuilder builder(init);
  int64_t cluster = clusterOf(kernel), groups = role.getWarps() / 4;
  auto type = BarriersType::get(op->getContext(), 1, cluster * groups);
  Value barriers = BarriersOp::create(builder, op->getLoc(), type, end);
  init->insertOperands(init->getNumOperands(), barriers);
  builder.setInsertionPoint(op);
  Value zero = arith::ConstantOp::create(builder, op->getLoc(),
                                         builder.getI32IntegerAttr(0));
  ArriveOp::create(builder, op->getLoc(), barriers, zero, Value(), cluster);
  AwaitOp::create(builder, op->getLoc(), barriers, zero, zero);
  op->erase();
}

static void listMeetings(MistakeList &list) {
  auto role = list.op->getParentOfType<RoleOp>();
  if (!isa<ClusterSyncOp>(list.op) || !role || role.getWarps() % 4 ||
      list.cluster < 2)
    return;
  list.addWrong(Cause::waits, "replace", "by arrivals", meetByArrivals);
  // Room for the barrier.
  list.list.back().replan = [](simulate::Subject &subject) {
    subject.plan.alternatives[subject.alternative]
        .launches[subject.launch]
        .sharedBytes += 64;
  };
}

void hone::test::listMixups(MistakeList &list) {
  listOthers(list);
  listIdentities(list);
  listConstants(list);
  listSteps(list);
  listYields(list);
  listPlacesInCode(list);
  listInits(list);
  listMeetings(list);
}
