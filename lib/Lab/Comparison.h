//===- Comparison.h - Comparison of search policies -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the quality of policies. Searches run in dense tables, where the
// best time of every problem is known, and are followed:
//
//   quality = best time of the table / time of the fastest one measured so far
//
// 1 is the best possible. The measured times may be noisy; qualities use
// recorded times, so a lucky measurement gains nothing.
//
// | measurements | judged                                                    |
// |--------------|-----------------------------------------------------------|
// | 0            | the first proposal alone, without any measurement: the    |
// |              | choice of a build. Not the default's time                 |
// | 1, 2, ...    | the fastest of so many proposals and the default, which   |
// |              | every search measures first and which is not counted      |
//
// The sample is problems: `overProblems` gives each the same weight and draws
// its band from problems. Seeds of one problem stay together.
//
// In addition to named policies there are peers to compare with. They learn
// from the times of other problems (peersOf):
//
// | peer       | proposes                                                    |
// |------------|-------------------------------------------------------------|
// | `cover`    | the same schedules everywhere, in one order: each gains most|
// |            | over the other problems, given those before it              |
// | `nearest`  | the best schedules of the nearest of the other problems (by |
// |            | hone/Sources/UnseenSource.h), nearest first                  |
// | `trees`    | the fastest by boosted trees, without measurements          |
// | `mutation` | as `hybrid`, with those trees alone; also children of the   |
// |            | fastest                                                     |
// | `networks` | as `learned`, without the model's trees                     |
// | `beside`   | as `learned`, by another model                              |
//
// With a goal, a quality, each search continues until it is reached: the number
// of measurements until then is the cost of the search.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_LAB_COMPARISON_H
#define HONE_LIB_LAB_COMPARISON_H

#include "hone/Model/Model.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Policy/GrowTrees.h"
#include "hone/Search/CostFit.h"
#include "hone/Search/Policy.h"

namespace hone {

/// Joins the tables. Of several times of a schedule for a problem, that of the
/// earliest table counts. Kernels that the problem's lines now rule out are
/// left out, because no policy may propose them.
DenseTable joinTables(llvm::ArrayRef<DenseTable> tables);
/// The same of the files that `paths` lists, with commas.
llvm::Expected<DenseTable> readJoined(llvm::StringRef paths);

/// The shapes of these tenths (hone::partOf), or the others.
DenseTable tenthsOf(const DenseTable &table, llvm::ArrayRef<int64_t> tenths,
                    bool others = false);

/// At most `count` schedules, each chosen by its gain in the geometric mean of
/// quality over `table` given those before it. A problem without a time of any
/// chosen schedule counts as ten times slower than its best.
std::vector<Schedule> coverOf(const DenseTable &table, size_t count);

constexpr llvm::StringLiteral kCoverPolicy = "cover",
                              kNearestPolicy = "nearest",
                              kTreesPolicy = "trees",
                              kMutationPolicy = "mutation",
                              kNetworksPolicy = "networks",
                              kBesidePolicy = "beside";
/// All but `beside`, which needs a model; `networks` has nothing to learn.
llvm::ArrayRef<llvm::StringRef> peerNames();

/// The peers' data from other problems.
struct Peers {
  std::vector<Schedule> cover;
  /// By problem: its best schedule.
  std::vector<Problem> problems;
  std::vector<Schedule> winners;
  std::optional<Trees> trees;
};
/// Trains the peers among `names` on `others`.
Peers peersOf(const DenseTable &others, const Arch &arch,
              llvm::ArrayRef<std::string> names, size_t coverCount,
              const TreesOptions &trees = {});

/// A peer's list, without illegal schedules and those outside `isWithin`.
std::vector<Schedule> coveredFor(const Peers &peers, const Problem &problem,
                                 const Arch &arch, const Within &isWithin);
std::vector<Schedule> nearestFor(const Peers &peers, const Problem &problem,
                                 const Arch &arch, const Within &isWithin);

struct ComparisonOptions {
  std::vector<std::string> policies;
  std::vector<int64_t> measurements = {1, 2, 4, 8, 16, 32, 64};
  int64_t seeds = 5;
  double noise = 0; ///< of the measured times: ReplayOptions
  Peers peers;
  std::optional<Model> beside; ///< the model of the peer `beside`
  double goal = 0;             ///< a quality; 0: no goal
  int64_t max = 256;           ///< max measurements of a search with a goal
  /// Called before each search, with the policy's name.
  std::function<void(llvm::StringRef)> progress;
};

/// Problem by problem, `own` over `other`: the mean of these ratios, and its
/// band. A problem without values on one side does not count. Much of the
/// variation is common to all policies, so the ratio can separate two policies
/// whose own bands overlap.
Ratio ratioByProblem(const std::vector<std::vector<double>> &own,
                     const std::vector<std::vector<double>> &other);

/// A policy's results after so many measurements.
struct Standing {
  std::string policy;
  int64_t measurements = 0;
  /// By problem, then by seed. A problem has none if its default is not in the
  /// table and the policy proposed nothing.
  std::vector<std::vector<double>> qualities;
  /// The policy's own seconds until then, over all searches, and its number of
  /// proposals by then.
  double policySeconds = 0;
  int64_t proposals = 0;
  int64_t runs = 0; ///< searches, including those without a result
  /// With a goal, at the maximum of measurements: by problem, then by seed, the
  /// number of measurements of a search; `max` if the goal was not reached,
  /// and 1 if the default was enough.
  std::vector<std::vector<double>> untilGoal;

  /// The number of problems with a quality.
  size_t problems() const;
  Ratio overProblems() const { return geometricMean(qualities); }
  /// The quality relative to `other`, which searched the same problems.
  Ratio over(const Standing &other) const {
    return ratioByProblem(qualities, other.qualities);
  }
  /// The qualities of all searches.
  std::vector<double> searches() const;
  /// The quality that the fraction `part` of the searches do not reach; 0: the
  /// minimum.
  double quantileOf(double part) const;
  /// 1 / quality - 1.
  double lossOf(double part) const;
  double secondsPerProposal() const {
    return proposals ? policySeconds / proposals : 0;
  }
  /// Of one search until then, if the default and each proposal take so long to
  /// build, check and time: a table has only times of built kernels.
  double wallSeconds(double perMeasurement) const {
    if (runs == 0)
      return 0;
    return policySeconds / runs +
           perMeasurement * (measurements ? 1 + measurements : 0);
  }
};

/// By policy, then by number of measurements, from 0.
llvm::Expected<std::vector<Standing>>
comparePolicies(const DenseTable &table, const Arch &arch, const Model &model,
                const ComparisonOptions &options);

} // namespace hone

#endif // HONE_LIB_LAB_COMPARISON_H
