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
#include "hone/Search/Draw.h"
#include "llvm/ADT/DenseSet.h"
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
  std::vector<Priced> priced;
  llvm::DenseSet<llvm::hash_code> seen;
  auto add = [&](const Schedule &schedule, double seconds) {
    if (seen.insert(hash_value(schedule)).second)
      priced.push_back({schedule, seconds});
  };
  for (const Schedule &schedule : catalogue(problem, arch)) {
    // Of operands that its best kernels can not address it was shown nothing.
    if (checkMemory(schedule, problem))
      return {};
    add(schedule, estimateSeconds(problem, arch, schedule));
  }
  for (const Priced &one : drawn(problem, arch, quickDraw()))
    add(one.schedule, one.seconds);
  llvm::stable_sort(priced, [](const Priced &one, const Priced &other) {
    return one.seconds < other.seconds;
  });
  priced.erase(priced.begin() + std::min(priced.size(), kMostJudged),
               priced.end());
  Reader reader(problem, arch);
  std::vector<Judged> candidates;
  for (const Priced &one : priced)
    candidates.push_back({one.schedule, reader.read(one.schedule)});
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
