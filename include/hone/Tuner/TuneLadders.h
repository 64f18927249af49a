//===- TuneLadders.h - Search with an unknown extent ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem with one unknown extent is searched as some that have none:
//
//   climb    its ladder, 21 values, each a problem of its own
//   refine   times, at each of some 65 values, the schedules of a build's plan
//            that may be fastest there; where the plan is in doubt
//            (RangedSource.h), searches more values, eight at a time; repeats
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNELADDERS_H
#define HONE_TUNER_TUNELADDERS_H

#include "hone/Search/Search.h"
#include "hone/Sources/RangedSource.h"
#include <chrono>

namespace hone {

/// The database at `path`, for this toolchain.
llvm::Expected<std::shared_ptr<Lookup>>
openLookup(const std::string &path, Origin origin = Origin::measured);

/// Plans from the records of `known`, and after these from the shipped policy
/// and the cost model. Kernels are compared by the policy, or with `modelOnly`
/// by the cost model.
std::shared_ptr<RangedSource> makePlans(std::shared_ptr<Lookup> known,
                                        RangeRule rule = {},
                                        bool modelOnly = false);

/// A time limit that several searches share.
class TimeLimit {
public:
  /// 0: none.
  explicit TimeLimit(double seconds) : seconds(seconds) {}
  bool isOver() const { return seconds > 0 && past() >= seconds; }
  /// The remaining time, as SearchOptions takes it.
  double left() const {
    return seconds > 0 ? std::max(seconds - past(), 0.001) : 0;
  }

private:
  using Clock = std::chrono::steady_clock;
  double past() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  double seconds;
  Clock::time_point start = Clock::now();
};

class Ladders {
public:
  using Note = std::function<void(const std::string &)>;
  /// `between`: the maximum number of values per problem beyond the ladder's.
  Ladders(int64_t between, Note note)
      : between(between), note(std::move(note)) {}

  /// `problems`, with those of a ladder instead of each open one.
  std::vector<Problem> climb(llvm::ArrayRef<Problem> problems);
  /// Runs after the search of these problems, whose results are in the database
  /// at `path`. Changed choices, and new problems, are added to `results`.
  llvm::Error refine(Evaluator &evaluator, Database &database,
                     const std::string &path, const SearchOptions &search,
                     const TimeLimit &limit, const SearchHooks &hooks,
                     std::vector<SearchResult> &results);

private:
  /// A problem, and the values of its extent that were searched.
  struct Ladder {
    Problem open;
    char letter;
    std::vector<int64_t> rungs;
  };
  /// The next measurements.
  struct Round {
    /// Each problem is one of a ladder.
    WantedSchedules wanted;
    std::vector<Problem> contests, rungs;
  };
  std::vector<RangeDoubt> take(llvm::ArrayRef<RangeDoubt> doubts,
                               Ladder &ladder) const;
  llvm::Expected<Round> nextRound(const Evaluator &evaluator,
                                  const std::string &path);

  int64_t between;
  Note note;
  std::vector<Ladder> ladders;
};

} // namespace hone

#endif // HONE_TUNER_TUNELADDERS_H
