//===- SessionRewrites.cpp - Rewrites of the best -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rewrite is worth depends on all that it is applied to, and no fact of
// a block tells. So a search first finds out which schedule is fast, and then
// what each rewrite makes of it: one is added, taken away or changed at a time,
// the few first of which the policy expects most. Where one is faster it goes
// on from there, so rewrites that help come together.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "hone/Schedule/WholeKernel.h"

using namespace hone;
using namespace hone::detail;

/// By its trial.
const Session::Candidate *Session::fastest(bool mayBeRewritten) const {
  const Candidate *best = nullptr;
  for (const auto &[text, candidate] : candidates)
    if (candidate.isOk() && !wholeKernelOf(candidate.schedule) &&
        (mayBeRewritten || candidate.schedule.rewrites().empty()) &&
        (!best ||
         candidate.measurement.times.median < best->measurement.times.median))
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

/// Once everything that was asked has been heard: around what is fastest then.
bool Session::refillRewrites() {
  if (leftRewrites == 0 || underWay > 0 || isHeldOpen() || options.isWithin)
    return false;
  const Candidate *best = fastest(/*mayBeRewritten=*/true);
  if (!best)
    return false;
  if (!isRewriting)
    beginRewrites();
  std::vector<Schedule> variants;
  forEachRewrite(best->schedule, [&](const Schedule &schedule) {
    if (!check(schedule, &problem, &evaluator.arch()) &&
        !candidates.count(toString(schedule)))
      variants.push_back(schedule);
  });
  // Not all that there are: what is faster changes what is worth trying next.
  constexpr size_t kOfRound = 6;
  variants = policy->ranked(std::move(variants));
  for (const Schedule &schedule : llvm::ArrayRef(variants).take_front(kOfRound))
    due.emplace_back(schedule, Provenance{options.policy + "/rewrites", "",
                                          options.seed, 0});
  // All around the best is known.
  if (due.empty())
    leftRewrites = 0;
  return !due.empty();
}
