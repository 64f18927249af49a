//===- Ascent.cpp - Local search guided by the model ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Ascent.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Ascent.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Draw.h"
#include "hone/Space/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <map>

using namespace hone;
using namespace hone::detail;

namespace {
class Ascending {
public:
  Ascending(JudgeFn judge, const Problem &problem, const Arch &arch,
            const AscentOptions &options)
      : judge(judge), problem(problem), arch(arch), options(options) {}

  void add(std::vector<Schedule> schedules);
  bool lookAroundBest();
  double best() const { return min; }
  size_t count() const { return all.size(); }
  std::vector<Schedule> found(size_t begin) const;

private:
  struct Seen {
    Schedule schedule;
    double logSeconds;
    bool wasLookedAround = false;
  };
  /// Factor by which the cost model may be wrong.
  static constexpr double kWrong = 1.4;

  JudgeFn judge;
  const Problem &problem;
  const Arch &arch;
  const AscentOptions &options;
  std::vector<Seen> all;
  llvm::StringSet<> known;
  std::map<Tile, size_t> aroundTile;
  double min = HUGE_VAL;        ///< of the judged schedules
  double minSeconds = HUGE_VAL; ///< by the cost model
};
} // namespace

void Ascending::add(std::vector<Schedule> schedules) {
  llvm::erase_if(schedules, [&](const Schedule &schedule) {
    return !known.insert(toString(schedule)).second;
  });
  if (schedules.empty())
    return;
  for (auto [schedule, said] : llvm::zip_equal(schedules, judge(schedules))) {
    all.push_back({schedule, said});
    min = std::min(min, said);
    minSeconds = std::min(minSeconds, estimateSeconds(problem, arch, schedule));
  }
}

/// Returns false if no schedule is left to expand.
bool Ascending::lookAroundBest() {
  Seen *next = nullptr;
  for (Seen &one : all)
    if (!one.wasLookedAround && (!next || one.logSeconds < next->logSeconds) &&
        aroundTile[tileOf(problem, one.schedule)] < options.ofTile)
      next = &one;
  if (!next)
    return false;
  next->wasLookedAround = true;
  ++aroundTile[tileOf(problem, next->schedule)];
  add(neighboursOf(next->schedule, problem, arch, kWrong * minSeconds));
  return true;
}

std::vector<Schedule> Ascending::found(size_t begin) const {
  std::vector<Schedule> schedules;
  for (const Seen &one : llvm::ArrayRef(all).drop_front(begin))
    schedules.push_back(one.schedule);
  return schedules;
}

std::vector<Schedule> detail::ascent(llvm::ArrayRef<Schedule> start,
                                     JudgeFn judge, const Problem &problem,
                                     const Arch &arch,
                                     const AscentOptions &options) {
  Ascending ascending(judge, problem, arch, options);
  ascending.add(start.vec());
  const size_t begin = ascending.count();
  size_t inVain = 0;
  for (size_t at = 0; at < options.max && inVain < options.patience; ++at) {
    const double before = ascending.best();
    if (!ascending.lookAroundBest())
      break;
    inVain = ascending.best() < before ? 0 : inVain + 1;
  }
  return ascending.found(begin);
}
