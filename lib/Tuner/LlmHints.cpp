//===- LlmHints.cpp - Known and expected fast schedules -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LlmHints.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/LlmHints.h"
#include "hone/Database/Shipped.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/UnseenSource.h"
#include "hone/Space/Ascending.h"
#include "hone/Space/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

using namespace hone;
using llvm::formatv;

static constexpr size_t kMaxWinners = 3, kMaxExpected = 3;

/// The fastest schedules of the closest shipped problems.
static std::vector<PromptHint> winnersNear(const Problem &problem,
                                           const Arch &arch) {
  std::vector<PromptHint> hints;
  std::shared_ptr<Lookup> shipped = shippedTuning(thisToolchain());
  for (const NearMachine &near : shippedNear(arch)) {
    std::string chip = near.chip;
    for (const Neighbour &neighbour :
         neighboursOf(problem, shipped->problems(chip))) {
      if (hints.size() == kMaxWinners)
        return hints;
      std::optional<Found> found = shipped->find(*neighbour.problem, chip);
      if (!found || check(found->record.schedule, &problem, &arch))
        continue;
      const Problem &other = *neighbour.problem;
      std::string origin =
          formatv("fastest of {0}x{1}x{2}", other.m, other.n, other.k);
      if (chip != arch.chip)
        origin += " on " + chip;
      hints.push_back({found->record.schedule, std::move(origin)});
    }
  }
  return hints;
}

/// The schedules that the trained model expects to be fastest.
static std::vector<PromptHint> expectedFastest(const Problem &problem,
                                               const Arch &arch) {
  constexpr size_t kLooks = 256;
  std::vector<Schedule> schedules = shortlist(problem, arch, kLooks);
  std::vector<double> prices = learnedJudge()(problem, arch, schedules);
  std::vector<size_t> order = ascending(prices);
  order.resize(std::min(order.size(), kMaxExpected));
  std::vector<PromptHint> hints;
  for (size_t at : order)
    hints.push_back({schedules[at], formatv("expected {0:f2} us",
                                            1e6 * std::exp2(prices[at]))});
  return hints;
}

std::vector<PromptHint> hone::hintsFor(const Problem &problem,
                                       const Arch &arch) {
  std::vector<PromptHint> all = winnersNear(problem, arch), hints;
  llvm::append_range(all, expectedFastest(problem, arch));
  std::set<std::string> texts;
  for (PromptHint &hint : all)
    if (texts.insert(toString(hint.schedule)).second)
      hints.push_back(std::move(hint));
  return hints;
}
