//===- RangedSource.h - Several kernels for an unknown extent ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program does not know M (a decode batch, the length of a sequence), and no
// kernel is good at every M. The plan may have a few and pick at the launch
// (hone/Schedule/Ranges.h); which, and for which values, is a search of its
// own:
//
//   1. *Candidates.* For values of M on a ladder, for some between them, and for
//      those that somebody measured, the sources of static problems are asked: a
//      database with m = 16, m = 256 and m = 4096 serves `m = ?`, and so does the
//      policy, which says between two values what suits neither.
//   2. *Prices.* Each candidate is priced at every M of a fine grid: by the cost
//      model, corrected at the values of step 1. Where a candidate was timed
//      there, its time counts; else a judge is asked, who knows more than the
//      model. What times say of the judge next to a value counts there, too:
//      for a candidate itself, or for those that are close to it.
//   3. *Choice.* Of all candidates so many kernels, and for each M one of them:
//      the least mean, over log M, of the logarithm of what they lose to the best
//      candidate, with a term that makes large losses count more; one kernel more
//      has to gain something. A kernel may serve several runs of values.
//
// What a search for one value alone would reach where nobody searched is seen
// from the values next to it that were measured: along log M the best times lie
// close to a line, and a kernel's are a stair of rounds of tiles. Where the
// plan's kernel is far above the line, somebody should be asked: a *doubt*.
//
//   time            plan's kernel  ______|            x  measured
//    |                      ______|      x
//    |               ______|     . doubt
//    |              |       .            of 300 rows, three tiles of 128 where
//    |              x                    two of 152 would do
//    +--------------256-----300---------384--- log M
//
// The same for N or K where that is the one unknown extent.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_RANGEDSOURCE_H
#define HONE_SEARCH_RANGEDSOURCE_H

#include "hone/Database/Lookup.h"
#include <functional>

namespace hone {

/// What `hone-lab ranges` judges.
struct RangeRule {
  unsigned most = 24;    ///< kernels
  double gain = 0.0005;  ///< of the mean log2, that one kernel more must bring
  double turn = 0.00005; ///< the same, of one bound more
  double convexity = 1;  ///< weight of the squares of losses
  /// Weight of the ladder's and of measured values, over all others'.
  double asked = 1;
  /// What another one loses at least where an owner is, in log2.
  double margin = 0.03;
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

/// What candidates take: log2 of the seconds at each point, and which kernel it
/// is. Some differ in decisions of the launch alone, and are one kernel.
struct RangeCandidates {
  std::vector<std::vector<double>> prices;
  std::vector<size_t> kernels;
};

/// Good runs: of at most `rule.most` kernels, no two neighbours alike, and no
/// more than a plan may have.
std::vector<RangeRun> chooseRuns(const RangeCandidates &candidates,
                                 llvm::ArrayRef<RangePoint> points,
                                 const RangeRule &rule);

/// The extent that `problem` leaves open, if it is the only one: m, n or k.
std::optional<char> openExtent(const Problem &problem);
/// `problem` with this value of it, in operands without gaps.
Problem withExtent(Problem problem, char letter, int64_t extent);

/// The values that `hone tune` measures: 1, 8, and from 16 to 8192 the
/// doublings and the middles between them.
std::vector<int64_t> rangeLadder();
/// The same and those between, at which sources are asked, too.
std::vector<int64_t> fineRangeLadder();

/// A value for which nobody searched, and by how much the plan's kernel is
/// expected to lose to what a search would find: log2 of the times' quotient.
struct RangeDoubt {
  int64_t extent;
  double loss;
};

/// What of all that a plan is made of may be fastest at some value, and was not
/// timed there.
struct RangeContest {
  int64_t extent;
  std::vector<Schedule> schedules;
};

/// What somebody who has a device should measure.
struct RangeAdvice {
  /// At values of the fine ladder, those that are known, and those in doubt.
  std::vector<RangeContest> contests;
  /// The most doubtful first. None is close to another one, or to what was
  /// searched.
  std::vector<RangeDoubt> doubts;
};

class RangedSource : public ScheduleSource {
public:
  /// `searched`: values for each of which somebody has searched, rather than
  /// tried what won elsewhere.
  virtual RangeAdvice advise(const Problem &problem, const Arch &arch,
                             llvm::ArrayRef<int64_t> searched) = 0;
};

/// log2 of the seconds of each schedule; nothing where it cannot tell.
using RangeJudge = std::function<std::vector<double>(
    const Problem &, const Arch &, llvm::ArrayRef<Schedule>)>;

/// Answers for problems with one unknown extent from what `sources` say of
/// those that have none, from the times in `measured`, and from what a judge
/// says of schedules, if there is one.
std::shared_ptr<RangedSource>
makeRangedSource(ScheduleSources sources,
                 std::vector<std::shared_ptr<Lookup>> measured,
                 RangeRule rule = {}, RangeJudge judge = nullptr);

} // namespace hone

#endif // HONE_SEARCH_RANGEDSOURCE_H
