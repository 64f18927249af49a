//===- RangeAdvice.cpp - Advice on searches for an unknown extent ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules that may be fastest at a value, and the values in doubt.
//
//===----------------------------------------------------------------------===//

#include "Ranged.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;

/// For a value with a choice, the candidates without a time there that may be
/// as fast.
static std::vector<RangeContest> contestsOf(const Problem &problem, char letter,
                                            const Plan &plan,
                                            const Arch &arch) {
  // A candidate that looks a sixth slower has lost: the judge is seldom that
  // wrong.
  constexpr double kMayWin = 0.25;
  constexpr size_t kMax = 8;
  std::vector<RangeContest> contests;
  for (auto [number, owner] : llvm::enumerate(plan.prices.owners())) {
    Problem here = withExtent(problem, letter, owner.value);
    std::vector<std::pair<double, size_t>> order;
    for (size_t one = 0; one < plan.candidates.size(); ++one)
      order.emplace_back(plan.prices.at(one, here, owner.value), one);
    llvm::sort(order);
    RangeContest contest = {owner.value, {}};
    for (auto [price, one] : order) {
      if (price > order.front().first + kMayWin ||
          contest.schedules.size() == kMax)
        break;
      Schedule schedule = settled(plan.candidates[one].schedule, here);
      if (!plan.prices.isTimed(one, number) && isLegal(schedule, here, arch) &&
          !llvm::is_contained(contest.schedules, schedule))
        contest.schedules.push_back(std::move(schedule));
    }
    if (!contest.schedules.empty())
      contests.push_back(std::move(contest));
  }
  return contests;
}

/// The plan's expected loss at each point that is not close to a searched one.
static std::vector<RangeDoubt> lossesOf(const Plan &plan,
                                        llvm::ArrayRef<int64_t> searched) {
  std::vector<RangeDoubt> losses;
  size_t at = 0;
  for (const RangeRun &run : plan.runs)
    for (; at < run.end; ++at)
      if (std::optional<double> hoped =
              plan.prices.hoped(plan.points[at].extent, searched))
        losses.push_back({plan.points[at].extent,
                          plan.table.prices[run.candidate][at] - *hoped});
  return losses;
}

/// The largest losses that are worth a search, without those next to a larger
/// one.
static std::vector<RangeDoubt> doubtsOf(std::vector<RangeDoubt> losses) {
  // Searches differ by up to 4 %.
  constexpr double kWorth = 0.06, kClose = 1.06;
  llvm::stable_sort(losses, [](const RangeDoubt &one, const RangeDoubt &other) {
    return one.loss > other.loss;
  });
  std::vector<RangeDoubt> doubts;
  for (const RangeDoubt &loss : losses)
    if (loss.loss >= kWorth && llvm::none_of(doubts, [&](const auto &doubt) {
          return areClose(loss.extent, doubt.extent, kClose);
        }))
      doubts.push_back(loss);
  return doubts;
}

RangeAdvice Ranged::advise(const Problem &problem, const Arch &arch,
                           llvm::ArrayRef<int64_t> searched) {
  std::optional<char> letter = openExtent(problem);
  if (!letter || arch.isHost())
    return {};
  std::set<int64_t> values = valuesFor(problem, *letter, arch);
  Said said;
  std::optional<Plan> plan =
      planFor(problem, *letter, arch, values, said, searched);
  if (!plan)
    return {};
  // A search may find a better schedule there.
  for (const RangeDoubt &doubt : doubtsOf(lossesOf(*plan, searched)))
    values.insert(doubt.extent);
  std::optional<Plan> wider =
      planFor(problem, *letter, arch, values, said, searched);
  return {contestsOf(problem, *letter, *wider, arch),
          doubtsOf(lossesOf(*wider, searched))};
}
