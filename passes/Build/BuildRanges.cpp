//===- BuildRanges.cpp - Plans with several ranges ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an extent is unknown, each of a matmul's schedules has its own kernel
// and siblings, as if it were the only one. The plan has the alternatives of
// all of them, one range after the other, and chooses when the extent is known.
// Run-time decisions differ between ranges, so each alternative has its own.
//
//===----------------------------------------------------------------------===//

#include "passes/Build/BuildKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace hone;

/// Adds the alternatives of one range, which apply to it alone.
static void addRange(const KernelPlan &range, const Schedule &schedule,
                     const ScheduleRange *bound, KernelPlan &joined) {
  for (PlanAlternative alternative : range.alternatives) {
    if (bound) {
      alternative.extent = bound->extent;
      alternative.max = bound->max;
    }
    for (const Schedule::Decided &one : schedule.decided())
      if (one.decision->when == When::runTime)
        alternative.decisions.push_back(
            {one.decision->name.str(), one.numbers.front()});
    joined.alternatives.push_back(std::move(alternative));
  }
}

KernelPlan hone::joinRanges(const RangedSchedule &schedules,
                            llvm::ArrayRef<KernelPlan> plans) {
  KernelPlan joined;
  for (auto [range, plan] : llvm::zip(schedules.ranges, plans))
    addRange(plan, range.schedule, &range, joined);
  addRange(plans.back(), schedules.last, nullptr, joined);
  // The plan's name covers the names of all kernels, the bounds and the
  // run-time decisions.
  std::string text;
  for (const KernelPlan &plan : plans)
    text += plan.name + " ";
  text += toString(schedules);
  joined.name =
      plans.back().name + "_" +
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
  return joined;
}
