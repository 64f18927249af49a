//===- LearnedSource.cpp - A guess where nothing was measured -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearnedSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/LearnedSource.h"
#include "hone/Search/Catalogue.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

/// Of more than so many, those that the cost model likes least are left out:
/// whatever wins is never among them, and a build does not wait for them.
static constexpr size_t kMostJudged = 192;

namespace {
struct Judged {
  Schedule schedule;
  Reading reading;
};
} // namespace

static std::vector<Judged> candidatesOf(const Problem &problem,
                                        const Arch &arch) {
  std::vector<Judged> candidates;
  Reader reader(problem, arch);
  for (const Schedule &schedule : catalogue(problem, arch)) {
    // Of operands that its best kernels can not address it was shown nothing.
    if (checkMemory(schedule, problem))
      return {};
    candidates.push_back({schedule, reader.read(schedule)});
  }
  llvm::stable_sort(candidates, [](const Judged &one, const Judged &other) {
    return one.reading.logEstimate < other.reading.logEstimate;
  });
  candidates.erase(candidates.begin() +
                       std::min(candidates.size(), kMostJudged),
                   candidates.end());
  return candidates;
}

std::optional<Schedule> hone::likedSchedule(const Model &model,
                                            const Problem &problem,
                                            const Arch &arch) {
  if (arch.chip != model.chip() || !problem.isStatic() || problem.fault())
    return std::nullopt;
  std::vector<Judged> candidates = candidatesOf(problem, arch);
  if (candidates.empty())
    return std::nullopt;
  std::vector<Reading> readings;
  for (const Judged &each : candidates)
    readings.push_back(each.reading);
  std::vector<double> said = model.judge({}, readings);
  return candidates[llvm::min_element(said) - said.begin()].schedule;
}

std::optional<Answer> LearnedSource::ask(const Problem &problem,
                                         const Arch &arch) {
  std::optional<Schedule> liked =
      likedSchedule(Model::shipped(), problem, arch);
  if (!liked)
    return std::nullopt;
  return Answer{*liked, "the policy", Basis::guess};
}
