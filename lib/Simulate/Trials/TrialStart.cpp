//===- TrialStart.cpp - Parameters of a kernel's trial sizes --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrialStart.h.
//
//===----------------------------------------------------------------------===//

#include "TrialStart.h"
#include "../Launch.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

/// No kernel builder unrolls more steps; for a kernel that does, the untried
/// part is reported.
static constexpr int64_t kMaxAtOnce = 16;

Steps simulate::stepsOf(gpu::GPUFuncOp kernel) {
  Steps steps;
  int64_t slices = 1;
  auto take = [&](kernel::RingType ring, bool transposed) {
    steps.tile = transposed ? ring.getLines() : ring.getWidth();
    steps.slots = std::max(steps.slots, ring.getSlots());
  };
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<kernel::MmaAsyncOp>(op))
      take(mma.getRingA().getType(), mma.getTransposedA());
    if (auto read = dyn_cast<kernel::ReadOp>(op))
      take(read.getRing().getType(), read.getTransposed());
    // Barriers count rounds separately.
    if (auto barriers = dyn_cast<kernel::BarriersOp>(op))
      steps.slots =
          std::max(steps.slots, barriers.getBarriers().getType().getSlots());
    // The step of the loop over tiles is the number of workers, which is
    // unknown. A loop that does not begin with the first step has that step
    // before it.
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (auto step = getConstantIntValue(loop.getStep())) {
        auto first = getConstantIntValue(loop.getLowerBound());
        int64_t max = std::max(*step, first.value_or(0) + 1);
        steps.atOnce = std::clamp(max, steps.atOnce, kMaxAtOnce);
      }
    if (auto sum = dyn_cast<kernel::PartialSumOp>(op)) {
      slices = sum.getParts();
      steps.parts = sum.getBlocks() * slices;
    }
  });
  steps.slots = std::max<int64_t>(steps.slots / slices, 1);
  return steps;
}

void simulate::setKnob(const Subject &subject, Trial &trial, StringRef argument,
                       int64_t value) {
  if (llvm::is_contained(subject.plan.args, argument))
    trial.knobs[argument.str()] = value;
}

llvm::Expected<int64_t> simulate::extentOf(const Subject &subject, Trial trial,
                                           int64_t Trial::*extent) {
  // One cluster for each unit of work.
  trial.maxClusters = kAnyNumber;
  // As many parts as a device holds would hide the number of tiles.
  setKnob(subject, trial, "parts", 1);
  auto blocks = [&](int64_t value) -> llvm::Expected<int64_t> {
    trial.*extent = value;
    auto launch = evaluate(subject, trial);
    if (!launch)
      return launch.takeError();
    return launch->grid;
  };
  auto min = blocks(1);
  if (!min)
    return min.takeError();
  constexpr int64_t kMax = 1 << 14;
  int64_t low = 1, high = kMax;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    auto now = blocks(middle);
    if (!now)
      return now.takeError();
    (*now > *min ? high : low) = middle;
  }
  // The grid does not depend on this dimension.
  return high == kMax ? 64 : low;
}

llvm::Error simulate::weaken(const Subject &subject, Trial &trial) {
  constexpr int64_t kMax = 16;
  trial.pad = 1;
  std::vector<std::string> names;
  std::vector<std::string> operands = {"a", "b", "c"};
  for (size_t i = 0; i < subject.operands.size(); ++i)
    operands.push_back("e" + std::to_string(i));
  for (const std::string &operand : operands)
    for (const std::string &name :
         {operand, strideArgument("ld", operand), strideArgument("s", operand),
          strideArgument("h", operand)})
      if (llvm::is_contained(subject.plan.args, name))
        names.push_back(name);
  for (const std::string &name : names)
    trial.aligns[name] = kMax;
  for (int64_t unit = 1; unit <= kMax; unit *= 2) {
    trial.n = unit;
    auto holds = guardHolds(subject, trial);
    if (!holds)
      return holds.takeError();
    if (*holds) {
      trial.unitN = unit;
      break;
    }
  }
  trial.n = trial.unitN;
  for (const std::string &name : names)
    for (int64_t align = 1; align <= kMax; align *= 2) {
      trial.aligns[name] = align;
      auto holds = guardHolds(subject, trial);
      if (!holds)
        return holds.takeError();
      if (*holds)
        break;
    }
  return llvm::Error::success();
}
