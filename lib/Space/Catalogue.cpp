//===- Catalogue.cpp - Schedules worth trying -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the proposals of all kinds and keeps the legal ones.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Catalogue.h"
#include "Proposers.h"
#include "hone/Schedule/BySchedule.h"
#include "hone/Schedule/LawTable.h"
#include "hone/Space/Draw.h"

using namespace hone;

std::vector<Schedule> hone::catalogue(const Problem &problem,
                                      const Arch &arch) {
  std::vector<Schedule> proposed;
  for (detail::Proposer propose : detail::kProposers)
    propose(problem, arch, proposed);
  std::vector<Schedule> legal;
  detail::ScheduleSet seen;
  for (const Schedule &schedule : proposed)
    if (keepsLaws(schedule, problem, arch) && seen.insert(schedule).second)
      legal.push_back(schedule);
  return legal;
}

std::vector<Schedule> hone::shortlist(const Problem &problem, const Arch &arch,
                                      size_t max) {
  std::vector<Schedule> chosen;
  Schedule fallback = defaultSchedule(problem, arch);
  if (!check(fallback, &problem, &arch))
    chosen.push_back(fallback);
  DrawOptions options;
  options.max = max;
  for (const Priced &one : drawn(problem, arch, options))
    if (chosen.size() < max && !(one.schedule == fallback))
      chosen.push_back(one.schedule);
  return chosen;
}
