//===- ScheduleSource.h - Sources of schedules for a pass -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source proposes a schedule for a problem on an arch. It may be a database,
// a tuner or a policy, and it may have no answer: the pass then uses the
// default. A source never sees the IR.
//
// Answers are not trusted. The caller applies the laws (`check`) and skips an
// answer that breaks one.
//
// A source always gives the same answer to the same question, regardless of
// earlier questions, the thread and the machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_SCHEDULESOURCE_H
#define HONE_SCHEDULE_SCHEDULESOURCE_H

#include "hone/Schedule/Ranges.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// The basis of an answer, most reliable first.
enum class Basis {
  written,  ///< by a person, on the op or as an option
  exact,    ///< a measurement of this problem
  rounded,  ///< measured, for some values of unknown extents
  nearest,  ///< measured for a similar problem
  guess,    ///< the cost model, or a policy
  fallback, ///< nothing: the default
};

/// A schedule and, for users, its origin ("database, exact").
struct Answer {
  Schedule schedule;
  std::string source;
  Basis basis = Basis::guess;
  /// Where an extent is unknown: the schedules for smaller values of it.
  ScheduleRanges ranges = {};

  std::string text() const { return toString({ranges, schedule}); }
};

/// The first law that an answer breaks.
inline std::optional<std::string>
check(const Answer &answer, const Problem *problem, const Arch *arch) {
  if (auto law = check(answer.schedule, problem, arch))
    return law;
  return check(answer.ranges, problem, arch);
}

/// The answer that was taken, and the runner-up.
struct Selection {
  Answer winner;
  std::optional<Answer> runnerUp;

  /// "the cost model, instead of SCHEDULE from default".
  std::string reason() const {
    if (!runnerUp)
      return winner.source;
    return winner.source + ", instead of " + runnerUp->text() + " from " +
           runnerUp->source;
  }
};

class ScheduleSource {
public:
  virtual ~ScheduleSource() = default;
  /// An answer, or nothing if this source has none.
  virtual std::optional<Answer> ask(const Problem &problem,
                                    const Arch &arch) = 0;
  /// Notices for users about its answers for an arch, independent of the
  /// problem; each is printed once per module.
  virtual std::vector<std::string> notices(const Arch &) { return {}; }
  /// The text of a whole kernel (WholeKernel.h), if this source has it. Its
  /// answers name only kernels whose text it has.
  virtual std::optional<std::string> kernel(llvm::StringRef) {
    return std::nullopt;
  }
};

/// Sources in order of preference. They are shared, because a pass is cloned
/// for every thread that runs it; a source must be thread-safe.
using ScheduleSources = std::vector<std::shared_ptr<ScheduleSource>>;

/// The default schedule: the end of every chain.
class DefaultSource : public ScheduleSource {
public:
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    return Answer{defaultSchedule(problem, arch), "default", Basis::fallback};
  }
};

} // namespace hone

#endif // HONE_SCHEDULE_SCHEDULESOURCE_H
