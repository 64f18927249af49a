//===- Comparison.h - Policies, side by side --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How good is a policy? Searches are run in dense tables, where the best of
// every problem is known, and followed:
//
//   quality = best time of the table / time of the fastest heard of so far
//
// 1 is the best there is. What is heard may be noisy; a quality is of recorded
// times, so nobody gains by luck of the clock.
//
// | measurements | what is judged                                            |
// |--------------|-----------------------------------------------------------|
// | 0            | the first proposal alone, where nothing was heard: what a |
// |              | build takes. Not the default's time                       |
// | 1, 2, ...    | the fastest of so many proposals and the default, which   |
// |              | every search measures first and which is not counted      |
//
// The sample is problems: `overProblems` gives each the same weight and draws
// its band from problems. Seeds of one problem are kept together.
//
// Besides policies by name there are some to measure them by, which learn from
// the times of other problems (peersOf):
//
// | peer       | proposes                                                    |
// |------------|-------------------------------------------------------------|
// | `cover`    | the same schedules everywhere, in one order: each gains most|
// |            | over the other problems, given those before it              |
// | `nearest`  | what was best for the nearest of the other problems (by     |
// |            | hone/Search/UnseenSource.h), nearest first                  |
// | `trees`    | what boosted trees say is fastest; they do not hear         |
// | `mutation` | as `hybrid`, of those trees alone: children of the fastest, |
// |            | too                                                         |
// | `networks` | as `learned`, without the model's trees                     |
// | `beside`   | as `learned`, by another model                              |
//
// With a goal, a quality, each search goes on until it is there: how many
// measurements that takes is what a search costs.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_LAB_COMPARISON_H
#define HONE_LIB_LAB_COMPARISON_H

#include "hone/Numerics/Statistics.h"
#include "hone/Policy/Model.h"
#include "hone/Search/CostFit.h"
#include "hone/Search/Policy.h"

namespace hone {

/// The tables as one. Of a problem that several have, what an earlier one has
/// of a schedule counts. Times of kernels that the problem's lines rule out by
/// now, which nobody may propose, are left out.
DenseTable joinTables(llvm::ArrayRef<DenseTable> tables);

/// The shapes of these tenths (hone::partOf), or the others.
DenseTable tenthsOf(const DenseTable &table, llvm::ArrayRef<int64_t> tenths,
                    bool others = false);

/// At most `count` schedules, by what each adds to the geometric mean of
/// quality over `table` given those before. A problem that has no time of any
/// counts as if they were ten times slower than its best.
std::vector<Schedule> coverOf(const DenseTable &table, size_t count);

constexpr llvm::StringLiteral kCoverPolicy = "cover",
                              kNearestPolicy = "nearest",
                              kTreesPolicy = "trees",
                              kMutationPolicy = "mutation",
                              kNetworksPolicy = "networks",
                              kBesidePolicy = "beside";
/// All but `beside`, which needs a model; `networks` alone has nothing to
/// learn.
llvm::ArrayRef<llvm::StringRef> peerNames();

/// What peers know of other problems.
struct Peers {
  std::vector<Schedule> cover;
  /// By problem, the schedule that was best.
  std::vector<Problem> problems;
  std::vector<Schedule> winners;
  std::optional<Trees> trees;
};
/// Learns from `others` what the peers among `names` need.
Peers peersOf(const DenseTable &others, const Arch &arch,
              llvm::ArrayRef<std::string> names, size_t coverCount,
              const TreesOptions &trees = {});

/// A list of a peer, as far as it is legal and `isWithin` has it.
std::vector<Schedule> coveredFor(const Peers &peers, const Problem &problem,
                                 const Arch &arch, const Within &isWithin);
std::vector<Schedule> nearestFor(const Peers &peers, const Problem &problem,
                                 const Arch &arch, const Within &isWithin);

struct ComparisonOptions {
  std::vector<std::string> policies;
  std::vector<int64_t> measurements = {1, 2, 4, 8, 16, 32, 64};
  int64_t seeds = 5;
  double noise = 0; ///< of what is heard: ReplayOptions
  Peers peers;
  std::optional<Model> beside; ///< whose proposals `beside` makes
  double goal = 0;             ///< a quality, if there is one
  int64_t most = 256;          ///< measurements of a search with a goal
  /// Before each search, with the policy's name.
  std::function<void(llvm::StringRef)> progress;
};

/// Problem by problem, `own` over `other`: the mean of these ratios, and its
/// band. What has nothing on a side does not count. Much of what one problem
/// takes it takes of anybody, so this tells two apart whose own bands overlap.
Ratio ratioByProblem(const std::vector<std::vector<double>> &own,
                     const std::vector<std::vector<double>> &other);

/// Where a policy stands after so many measurements.
struct Standing {
  std::string policy;
  int64_t measurements = 0;
  /// By problem; of each, one for every seed. A problem has none whose default
  /// the table lacks and for which nothing was proposed.
  std::vector<std::vector<double>> qualities;
  /// The policy's own, until then, of all searches together; and what it had
  /// proposed by then.
  double thinking = 0;
  int64_t proposals = 0;
  int64_t runs = 0; ///< searches, also those that found nothing
  /// With a goal, of the most measurements: by problem, and of each, one for
  /// every seed, how many a search took; `most` where it was not reached, and 1
  /// where the default was enough.
  std::vector<std::vector<double>> untilGoal;

  /// Those that have a quality.
  size_t problems() const;
  Ratio overProblems() const { return geometricMean(qualities); }
  /// How much better than `other`, which searched the same problems.
  Ratio over(const Standing &other) const {
    return ratioByProblem(qualities, other.qualities);
  }
  /// Of every search.
  std::vector<double> searches() const;
  /// The quality that `part` of the searches do not reach; 0: the least.
  double quantileOf(double part) const;
  /// 1 / quality - 1.
  double lossOf(double part) const;
  double secondsPerProposal() const {
    return proposals ? thinking / proposals : 0;
  }
  /// Of one search until then, if the default and each proposal take so long to
  /// build, check and time: a table has only times of what was built.
  double wallSeconds(double perMeasurement) const {
    if (runs == 0)
      return 0;
    return thinking / runs +
           perMeasurement * (measurements ? 1 + measurements : 0);
  }
};

/// Policy by policy, by measurements, from 0.
llvm::Expected<std::vector<Standing>>
comparePolicies(const DenseTable &table, const Arch &arch, const Model &model,
                const ComparisonOptions &options);

} // namespace hone

#endif // HONE_LIB_LAB_COMPARISON_H
