//===- SessionRewrites.cpp - Rewrites of the best -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gain of a rewrite depends on the whole schedule to which it is applied,
// and no fact of a block predicts it. So a search first finds a fast schedule
// and then tries rewrites of it. Each trial adds, removes or changes one
// rewrite; the trials that the policy expects to be fastest come first. Where
// one is faster, the search continues from it, so that it can combine rewrites.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "hone/Schedule/WholeKernel.h"

using namespace hone;
using namespace hone::detail;

/// The fastest by the time of its trial; of equals, the first by its text.
const Session::Candidate *Session::fastest(bool mayBeRewritten) const {
  const Candidate *best = nullptr;
  auto isBetter = [&](const Candidate &candidate) {
    double now = candidate.measurement.times.median;
    double before = best ? best->measurement.times.median : now;
    if (best && now == before)
      return toString(candidate.schedule) < toString(best->schedule);
    return !best || now < before;
  };
  for (const auto &[schedule, candidate] : candidates)
    if (candidate.isOk() && !wholeKernelOf(schedule) &&
        (mayBeRewritten || schedule.rewrites().empty()) && isBetter(candidate))
      best = &candidate;
  return best;
}

/// Calls `visit` with every schedule that differs from `from` in one rewrite.
static void forEachRewrite(const Schedule &from,
                           llvm::function_ref<void(const Schedule &)> visit) {
  for (const Decision &decision : from.kind().decisions) {
    if (!decision.isRewrite || (decision.matters && !decision.matters(from)))
      continue;
    for (llvm::StringRef word : decision.words) {
      Schedule other = from;
      llvm::cantFail(other.decide(decision.name, word));
      if (!(other == from))
        visit(other);
    }
  }
}

void Session::beginRewrites() {
  const Candidate *plain = fastest(/*mayBeRewritten=*/false);
  patience.restart((options.enough + 3) / 4,
                   plain ? plain->measurement.times.median : 0);
  isRewriting = true;
  left = 0;
}

/// Called when all replies have arrived: continues from the schedule that is
/// then the fastest.
bool Session::refillRewrites() {
  if (leftRewrites == 0 || underWay > 0 || isHeldOpen() || options.isWithin)
    return false;
  const Candidate *best = fastest(/*mayBeRewritten=*/true);
  if (!best)
    return false;
  if (!isRewriting)
    beginRewrites();
  std::vector<Schedule> variants;
  auto add = [&](const Schedule &schedule) {
    if (!check(schedule, &problem, &evaluator.arch()) &&
        !candidates.count(schedule) && !llvm::is_contained(variants, schedule))
      variants.push_back(schedule);
  };
  forEachRewrite(best->schedule, add);
  llvm::for_each(policy->rewritesOf(best->schedule), add);
  // Only a part of the rewrites, because a faster one changes which are worth
  // trying next.
  constexpr size_t kOfRound = 6;
  variants = policy->ranked(std::move(variants));
  for (const Schedule &schedule : llvm::ArrayRef(variants).take_front(kOfRound))
    due.emplace_back(schedule, Provenance{options.policy + "/rewrites", "",
                                          options.seed, 0});
  // All rewrites of the best are tried.
  if (due.empty())
    leftRewrites = 0;
  return !due.empty();
}
