//===- Untried.cpp - What no trial gets to --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials prove a kernel because nothing in it asks how far beyond them a size
// goes. That is so if every number that a kernel holds beside what grows with
// sizes has been passed by it in some trial:
//
//   | op                                    | asks                            |
//   |---------------------------------------|---------------------------------|
//   | x == 20, x < 20, x < y, p and q       | that it has held, and has not   |
//   | min(x, 20), max(x, 20)                | that x has been 20 or more      |
//   | x / 20, x % 20, x & 20                | that x has been 20 or more      |
//   | ceil(x / 20)                          | that x has been 21 or more      |
//   | x >> 4                                | that x has been 16 or more      |
//   | x as 8 bits                           | that x has been 256 or more     |
//
// with x from extents, a worker's number, a tile or a loop over them. Where it
// is one of a loop's own (its step, or what goes round with it), the rings must
// have been gone through once more behind it: a slot that is not given back in
// step 20 is missed when its turn comes again. What depends on a block's rank
// in its cluster and on a group's number alone, every trial goes through from
// end to end.
//
//===----------------------------------------------------------------------===//

#include "TrialStart.h"
#include "Walk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What grows with sizes
//===----------------------------------------------------------------------===//

namespace {
/// The integers of a kernel that depend on the launch.
class Growing {
public:
  explicit Growing(gpu::GPUFuncOp kernel) {
    for (BlockArgument argument : kernel.getArguments())
      values.insert(argument);
    size_t before = 0;
    do {
      before = values.size();
      kernel.walk([&](Operation *op) { spread(op); });
    } while (values.size() != before);
  }

  bool contains(Value value) const { return values.contains(value); }

private:
  void spread(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return spreadLoop(loop);
    bool grows = isa<kernel::WorkerOp, kernel::TileOp>(op) ||
                 llvm::any_of(op->getOperands(),
                              [&](Value value) { return contains(value); });
    // What a branch gives.
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (mlir::Region *region : branch.getRegions())
        for (Block &block : *region)
          for (Value value : block.getTerminator()->getOperands())
            grows |= contains(value);
    if (grows)
      values.insert_range(op->getResults());
  }

  void spreadLoop(scf::ForOp loop) {
    bool isLong = contains(loop.getLowerBound()) ||
                  contains(loop.getUpperBound()) || contains(loop.getStep());
    if (isLong)
      values.insert(loop.getInductionVar());
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         loop.getYieldedValues(), loop.getResults()))
      if (isLong || contains(init) || contains(yielded)) {
        values.insert(argument);
        values.insert(result);
      }
  }

  llvm::DenseSet<Value> values;
};

/// A number in an op, and the operand that is to get so far. Of what holds or
/// does not, which of these has not been seen.
struct Limit {
  unsigned operand = 0;
  uint64_t least = 0;
  bool wantsTrue = false, wantsFalse = false;
  /// It is about a step, behind which there may be any number of others.
  bool isOfStep = false;
};

/// How many slots a thread has awaited, by barriers; of copies by null.
using Awaited = llvm::SmallMapVector<Value, int64_t, 4>;

/// What an op was first seen to do, and how many slots its thread had awaited
/// then: what comes later is no sooner in time.
using Sights = llvm::SmallMapVector<llvm::PointerIntPair<Operation *, 1, bool>,
                                    Awaited, 8>;
} // namespace

//===----------------------------------------------------------------------===//
// What a kernel asks
//===----------------------------------------------------------------------===//

static std::optional<uint64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto integer =
      constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  if (!integer)
    return std::nullopt;
  return integer.getValue().getZExtValue();
}

/// A loop's variable is below the end of the loop: that cannot fail.
static bool isInLoop(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  auto index = compare ? dyn_cast<BlockArgument>(compare.getLhs()) : nullptr;
  auto loop =
      index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp()) : nullptr;
  using Predicate = arith::CmpIPredicate;
  return loop && index == loop.getInductionVar() &&
         compare.getRhs() == loop.getUpperBound() &&
         (compare.getPredicate() == Predicate::ult ||
          compare.getPredicate() == Predicate::slt);
}

/// True if it computes with what changes in a loop that may go on: over tiles,
/// or from the first step. What is left over behind one is always near the end.
static bool dependsOnStep(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *from = value.getDefiningOp()) {
      if (isa<arith::ArithDialect>(from->getDialect()))
        llvm::append_range(values, from->getOperands());
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
    if (loop &&
        (constantOf(loop.getLowerBound()) || !constantOf(loop.getStep())))
      return true;
  }
  return false;
}

static bool isTruth(Operation *op) {
  return op->getResult(0).getType().isInteger(1);
}

/// What it takes for `op`, of which some operand grows, to have been tried.
static std::optional<Limit> limitOf(Operation *op, const Growing &growing) {
  if (!growing.contains(op->getResult(0)) || isInLoop(op))
    return std::nullopt;
  if (isTruth(op)) {
    bool isOfStep = llvm::any_of(op->getOperands(), [](Value value) {
      return constantOf(value).has_value();
    });
    return Limit{0, 0, true, true, isOfStep && dependsOnStep(op)};
  }
  if (isa<arith::TruncIOp>(op)) {
    unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
    return width < 32 ? std::optional(Limit{0, uint64_t(1) << width})
                      : std::nullopt;
  }
  bool isSymmetric = isa<arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp,
                         arith::MaxSIOp, arith::AndIOp>(op);
  bool isDivision =
      isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
  bool isShift = isa<arith::ShRUIOp, arith::ShRSIOp>(op);
  if (!isSymmetric && !isDivision && !isShift)
    return std::nullopt;
  for (unsigned i : {1u, 0u}) {
    std::optional<uint64_t> number = constantOf(op->getOperand(i));
    if (!number || !growing.contains(op->getOperand(1 - i)) ||
        (i == 0 && !isSymmetric))
      continue;
    if (isShift)
      number = *number < 63 ? uint64_t(1) << *number : 0;
    if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
      ++*number;
    // Numbers below zero are above all that a size can be.
    constexpr uint64_t kMost = (uint64_t(1) << 31) - 1;
    Limit limit{1 - i, std::min(*number, kMost)};
    limit.isOfStep = dependsOnStep(op);
    return limit;
  }
  return std::nullopt;
}

namespace {
/// What of one kernel no trial has got to so far.
class Untried {
public:
  explicit Untried(gpu::GPUFuncOp kernel)
      : kernel(kernel), program(kernel), slots(stepsOf(kernel).slots) {
    Growing growing(kernel);
    for (const Step &step : program.steps)
      if (step.kind == Step::compute && !isa<scf::ForOp>(step.op))
        if (auto limit = limitOf(step.op, growing))
          limits[step.op] = *limit;
  }

  bool isDone() const { return limits.empty(); }

  llvm::Error walk(Subject subject, const Trial &trial, size_t launchNumber) {
    subject.kernel = kernel;
    subject.launch = launchNumber;
    auto launch = evaluate(subject, trial);
    if (!launch)
      return launch.takeError();
    int64_t clusters = launch->grid / std::max<int64_t>(launch->cluster, 1);
    if (program.isPersistent && !program.meetsAcrossClusters) {
      clusters = std::min(clusters, trial.mostClusters);
      launch->grid = clusters * launch->cluster;
    }
    for (int64_t i = 0; i < clusters && !isDone(); ++i)
      for (const Member &member : rosterOf(program, *launch, i))
        if (member.isLeader && !isDone())
          walk(Walk(program, *launch, member));
    return llvm::Error::success();
  }

  void report(std::vector<Finding> &findings) const {
    for (const Step &step : program.steps) {
      auto limit = limits.find(step.op);
      if (step.kind != Step::compute || limit == limits.end())
        continue;
      Place place = {step.op->getLoc(),
                     step.op->getName().getStringRef().str(),
                     "",
                     0,
                     0,
                     "",
                     {}};
      findings.push_back(
          {Fault::untried,
           isTruth(step.op)
               ? formatv("never {0} at the sizes that prove a kernel",
                         limit->second.wantsTrue ? "holds" : "fails")
                     .str()
               : formatv("makes a difference from {0} on, which no size that "
                         "proves a kernel gets to",
                         limit->second.least)
                     .str(),
           place, std::nullopt, ""});
    }
  }

private:
  /// One thread from end to end.
  void walk(Walk thread) {
    Sights sights;
    Awaited awaited;
    thread.run([&](Walk &walk, const Step &step) {
      if (step.kind == Step::compute)
        look(walk, step, awaited, sights);
      else if (auto await = dyn_cast<kernel::AwaitOp>(step.op))
        ++awaited[await.getBarriers()];
      else if (isa<kernel::CopyWaitOp>(step.op))
        ++awaited[Value()];
      return !isDone();
    });
    for (auto &[sight, before] : sights)
      if (comesInTime(before, awaited))
        take(sight.getPointer(), sight.getInt());
  }

  /// What comes late is tried where the ring that is awaited most goes round
  /// behind it: others are awaited once for each tile.
  bool comesInTime(const Awaited &before, const Awaited &all) const {
    int64_t most = 0;
    for (auto [barriers, count] : all)
      most = std::max(most, count);
    return llvm::all_of(all, [&](const auto &ring) {
      auto [barriers, count] = ring;
      int64_t round =
          barriers ? cast<kernel::BarriersType>(barriers.getType()).getSlots()
                   : slots;
      return count < most ||
             before.lookup(barriers) <= std::max<int64_t>(count - round, 0);
    });
  }

  void look(Walk &walk, const Step &step, const Awaited &awaited,
            Sights &sights) {
    auto found = limits.find(step.op);
    if (found == limits.end())
      return;
    const Limit &limit = found->second;
    bool holds = isTruth(step.op)
                     ? walk.result(step)
                     : uint64_t(walk.input(step, limit.operand)) >= limit.least;
    if (!isTruth(step.op) && !holds)
      return;
    if (limit.isOfStep)
      sights.insert({{step.op, holds}, awaited});
    else
      take(step.op, holds);
  }

  void take(Operation *op, bool holds) {
    auto found = limits.find(op);
    if (found == limits.end())
      return;
    Limit &limit = found->second;
    (holds ? limit.wantsTrue : limit.wantsFalse) = false;
    if (!limit.wantsTrue && !limit.wantsFalse)
      limits.erase(found);
  }

  gpu::GPUFuncOp kernel;
  Program program;
  const int64_t slots;
  llvm::DenseMap<Operation *, Limit> limits;
};
} // namespace

llvm::Expected<std::vector<Finding>>
simulate::untriedIn(const Subject &subject, llvm::ArrayRef<Trial> trials) {
  std::vector<Finding> findings;
  for (size_t i = 0; i <= subject.before.size(); ++i) {
    bool isLast = i == subject.before.size();
    Untried untried(isLast ? subject.kernel : subject.before[i]);
    for (const Trial &trial : trials)
      if (!untried.isDone() && !trial.reachOnly)
        if (llvm::Error error =
                untried.walk(subject, trial, isLast ? subject.launch : i))
          return std::move(error);
    untried.report(findings);
  }
  return findings;
}
