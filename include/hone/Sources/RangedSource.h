//===- RangedSource.h - Several kernels for an unknown extent ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// M is unknown at compile time (a decode batch, the length of a sequence), and
// no kernel is good at every M. The plan may have a few kernels and pick one at
// the launch (hone/Schedule/Ranges.h). A separate search chooses them and their
// values of M:
//
//   1. *Candidates.* The sources of static problems propose schedules for
//      values of M on a ladder, for some between them, and for measured ones:
//      a database with m = 16, m = 256 and m = 4096 serves `m = ?`, and the
//      policy proposes schedules for the values between these.
//   2. *Prices.* Each candidate has a price at every M of a fine grid: that of
//      the cost model, corrected at the values of step 1. A measured time takes
//      precedence, then a judge, which is more accurate than the model. Times
//      also correct the judge at neighbouring values: for the candidate that
//      was timed, and for candidates close to it.
//   3. *Choice.* A few kernels, and for each M one of them, that minimize the
//      mean, over log M, of the logarithm of the loss to the best candidate,
//      with a term that makes large losses count more. Each further kernel has
//      to gain something. A kernel may serve several runs of values.
//
// The neighbouring measured values show which time a search for one value would
// reach: along log M the best times are close to a line, and the times of one
// kernel are a staircase of rounds of tiles. Where the plan's kernel is far
// above the line, the value is a *doubt* and should be measured.
//
//   time            plan's kernel  ______|            x  measured
//    |                      ______|      x
//    |               ______|     . doubt
//    |              |       .            of 300 rows, three tiles of 128 where
//    |              x                    two of 152 would do
//    +--------------256-----300---------384--- log M
//
// The same holds for N or K where that is the only unknown extent.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SOURCES_RANGEDSOURCE_H
#define HONE_SOURCES_RANGEDSOURCE_H

#include "hone/Database/Lookup.h"
#include <functional>

namespace hone {

/// The parameters that `hone-lab ranges` evaluates.
struct RangeRule {
  unsigned max = 24;     ///< kernels
  double gain = 0.0005;  ///< of the mean log2, min for one more kernel
  double turn = 0.00005; ///< the same, for one more bound
  double convexity = 1;  ///< weight of the squares of losses
  /// Weight of the ladder's and of measured values, relative to all others.
  double asked = 1;
  /// Min loss of other candidates where a value has an owner, in log2.
  double margin = 0.03;
  /// Whether the sources are asked at every value of the fine ladder. A build
  /// asks at few values and at measured ones, and fits the tiles of their
  /// answers to the values in between.
  bool asksAll = true;
};

/// Values of an extent, and how much each counts.
struct RangePoint {
  int64_t extent;
  double weight;
};

/// Consecutive points, up to `end`, that one candidate serves.
struct RangeRun {
  size_t candidate, end;
};

/// Log2 of each candidate's seconds at each point, and its kernel. Candidates
/// that differ only in decisions of the launch have the same kernel.
struct RangeCandidates {
  std::vector<std::vector<double>> prices;
  std::vector<size_t> kernels;
};

/// Good runs: at most `rule.max` kernels, no two equal neighbours, and no more
/// runs than a plan may have.
std::vector<RangeRun> chooseRuns(const RangeCandidates &candidates,
                                 llvm::ArrayRef<RangePoint> points,
                                 const RangeRule &rule);

/// The extent that `problem` leaves open, if it is the only one: m, n or k.
std::optional<char> openExtent(const Problem &problem);
/// `problem` with this value of the extent, and operands without gaps.
Problem withExtent(Problem problem, char letter, int64_t extent);

/// The values that `hone tune` measures: 1, 8, and from 16 to 8192 the
/// doublings and the middles between them.
std::vector<int64_t> rangeLadder();
/// The same, and the values between them at which sources are queried, too.
std::vector<int64_t> fineRangeLadder();

/// A value without a search, and the expected loss of the plan's kernel to the
/// result of a search: log2 of the times' quotient.
struct RangeDoubt {
  int64_t extent;
  double loss;
};

/// Candidates of a plan that may be fastest at a value and have no time there.
struct RangeContest {
  int64_t extent;
  std::vector<Schedule> schedules;
};

/// The measurements that would improve a plan.
struct RangeAdvice {
  /// At values of the fine ladder, at known values, and at values in doubt.
  std::vector<RangeContest> contests;
  /// The most doubtful first. None is close to another one, or to a searched
  /// value.
  std::vector<RangeDoubt> doubts;
};

class RangedSource : public ScheduleSource {
public:
  /// `searched`: values with a search of their own, not just trials of the
  /// winners of other values.
  virtual RangeAdvice advise(const Problem &problem, const Arch &arch,
                             llvm::ArrayRef<int64_t> searched) = 0;
};

/// log2 of the seconds of each schedule; empty if it cannot judge them.
using RangeJudge = std::function<std::vector<double>(
    const Problem &, const Arch &, llvm::ArrayRef<Schedule>)>;

/// Answers for problems with one unknown extent, from the answers of `sources`
/// for problems without one, from the times in `measured`, and from the prices
/// of a judge, if there is one.
std::shared_ptr<RangedSource>
makeRangedSource(ScheduleSources sources,
                 std::vector<std::shared_ptr<Lookup>> measured,
                 RangeRule rule = {}, RangeJudge judge = nullptr);

} // namespace hone

#endif // HONE_SOURCES_RANGEDSOURCE_H
