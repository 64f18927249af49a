//===- ScheduleSource.h - What a compiler asks ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which schedule for this problem on this arch? A database, a tuner and a
// policy can answer, and none of them needs to: the pass that asks has the
// default to fall back on. A source knows nothing of the IR that the question
// came from.
//
// Answers are not trusted. Who asks applies the laws (`check`) and passes over
// an answer that breaks one.
//
// The same source gives the same answer to the same question, whoever asked
// what before, from which thread, and on which machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_SCHEDULESOURCE_H
#define HONE_SCHEDULE_SCHEDULESOURCE_H

#include "hone/Schedule/Schedule.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// What an answer rests on, from the surest down.
enum class Basis {
  written,  ///< a person's word, on the op or as an option
  exact,    ///< a measurement of this problem
  rounded,  ///< of this problem at extents that the program does not know
  nearest,  ///< of a problem that is like this one
  guess,    ///< the cost model, or a policy
  fallback, ///< nothing: the default
};

/// A schedule and, for people, where it comes from ("database, exact").
struct Answer {
  Schedule schedule;
  std::string source;
  Basis basis = Basis::guess;
};

/// The answer that was taken, and the one that would have been without it.
struct Selection {
  Answer winner;
  std::optional<Answer> runnerUp;

  /// "the cost model, before SCHEDULE from default".
  std::string reason() const {
    if (!runnerUp)
      return winner.source;
    return winner.source + ", before " + toString(runnerUp->schedule) +
           " from " + runnerUp->source;
  }
};

class ScheduleSource {
public:
  virtual ~ScheduleSource() = default;
  /// An answer, or nothing where this source knows none.
  virtual std::optional<Answer> ask(const Problem &problem,
                                    const Arch &arch) = 0;
};

/// Sources in order of preference. They are shared, because a pass is cloned
/// for every thread that runs it; a source must take questions from any thread.
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
