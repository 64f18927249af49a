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
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_SCHEDULESOURCE_H
#define HONE_SCHEDULE_SCHEDULESOURCE_H

#include "hone/Schedule/Schedule.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// A schedule and, for people, where it comes from ("database, exact").
struct Answer {
  Schedule schedule;
  std::string source;
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
    return Answer{defaultSchedule(problem, arch), "default"};
  }
};

} // namespace hone

#endif // HONE_SCHEDULE_SCHEDULESOURCE_H
