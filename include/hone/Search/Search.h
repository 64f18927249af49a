//===- Search.h - Search of schedules for problems --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gets proposals from a policy, results from an evaluator, and known results
// from a database; decides; and stores every result as soon as it arrives.
// Equal problems are searched once, small ones first. Each goes through these
// stages:
//
//   known     records of this toolchain count as tried; of others the fastest
//             few are tried again, before anything new
//   default   it always competes
//   trials    the policy's proposals that keep the laws and were not tried yet
//   rewrites  of the best so far, one changed at a time, and again of any that
//             was faster (docs/Rewrites.md)
//   final     the fastest few, the fastest without rewrites, the default, and
//             the schedule that a build would use without the search, in turns
//   decision  the incumbent (the earlier choice, else the schedule that a build
//             would use, else the default) stays unless another is faster with
//             a probability of 95 %: then the fastest of those wins
//
// While one problem waits for its policy or its final, the next one begins:
// compilers and devices stay busy. A policy that computes elsewhere, for
// example on one of `policyThreads` threads, is polled until it has finished.
//
//   Search search(evaluator, &database, options);
//   Expected<std::vector<SearchResult>> results = search.run(problems);
//
// | event                         | consequence                               |
// |-------------------------------|-------------------------------------------|
// | a trial is much faster than   | it is `wrong`: the measurement is at      |
// | the roofline                  | fault, with any evaluator                 |
// | all of a final fail           | the next fastest have one                 |
// | nothing works                 | nothing is chosen; the problem is done    |
// | enough was measured before a  | `wasChosen`; also where a policy has      |
// | stored choice was made        | nothing left to try                       |
// | a policy proposes nothing     | it counts as done with the problem        |
// | new a thousand times          |                                           |
// | seconds are used up           | no more trials; problems in progress are  |
// |                               | decided, the rest is not begun            |
// | `shouldStop`                  | no more questions; replies are stored     |
// |                               | until none comes for half a second        |
// | an error of the evaluator or  | `run` fails; earlier replies are stored   |
// | the database                  |                                           |
//
// A reply is stored in the database before it is used. So a search that was
// stopped in any of these ways, or killed, has lost nothing: the same search on
// the same database continues where it stopped.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_SEARCH_H
#define HONE_SEARCH_SEARCH_H

#include "hone/Database/Database.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Search/Evaluator.h"
#include "hone/Search/Policy.h"
#include <array>
#include <functional>
#include <map>

namespace hone {

/// Trials in a row without a gain, after which more trials seldom help
/// (docs/Search.md).
constexpr int64_t kUsualEnough = 32;

/// The proposer, in records, of SearchOptions::wanted.
constexpr llvm::StringLiteral kWantedPolicy = "wanted";
/// The proposer, in records, of SearchOptions::seeds.
constexpr llvm::StringLiteral kShippedPolicy = "shipped";

struct SearchOptions {
  std::string policy = "evolution";
  std::string model; ///< language model of the policy, for records
  int64_t seed = 1;
  int64_t trials = 64; ///< for a problem, besides the default
  double seconds = 0;  ///< for all problems together; 0: no limit
  /// Max seconds after that for waiting for replies that are under way.
  double overtime = 300;
  /// Trials of rewrites of the best, after the others.
  int64_t rewrites = 0;
  /// Trials stop after this many in a row that gain less than a percent
  /// together; 0: all are made. Trials of rewrites are counted separately, and
  /// stop after a quarter of this number.
  int64_t enough = 0;
  /// Besides the default; twice as many for kernels that run long.
  int64_t finalists = 6;
  /// Records of other toolchains that are tried again; these are trials, too.
  int64_t stale = 8;
  /// Known good schedules to try before the policy's proposals. They count as
  /// trials.
  std::function<std::vector<Schedule>(const Problem &, const Arch &)> seeds;
  /// Schedules that the user requests for a problem. They do not count as
  /// trials.
  std::function<std::vector<Schedule>(const Problem &)> wanted;
  /// Restricts the schedules that may be tried, in addition to the laws. Other
  /// proposals cost no trial.
  Within isWithin;
  /// Threads that make policies and run their `propose`, so that these do not
  /// delay the loop. With 0, the loop's thread does it, and a replay repeats to
  /// the bit.
  int64_t policyThreads = 0;
  /// The schedule that a build uses without a search, unless it is the default.
  /// It is tried first, counts as a trial, and enters the final. Called on the
  /// threads of policies.
  std::function<std::optional<Schedule>(const Problem &, const Arch &)> ofBuild;
  /// Makes the policy of a problem. If null, hone::makePolicy makes it by name.
  std::function<llvm::Expected<std::unique_ptr<Policy>>(const Problem &,
                                                        const Arch &)>
      makePolicy;
};

/// Schedules by the text of their problem.
using WantedSchedules = std::map<std::string, std::vector<Schedule>>;

/// The options of a search that tries these schedules and the default, decides
/// between them, and ends.
SearchOptions contestOf(WantedSchedules wanted, SearchOptions search = {});

/// A new shortest time of a trial.
struct Gain {
  int64_t trials = 0; ///< including this one
  double seconds = 0; ///< since the problem's turn came
  double best = 0;    ///< the new shortest time
};

/// The result of one problem.
struct SearchResult {
  Problem problem;
  std::optional<Schedule> chosen; ///< none: nothing runs, or it was stopped
  /// The proposer of the chosen schedule, as in records: a policy, and after a
  /// slash its part.
  std::string proposer;
  Quantiles times, defaultTimes; ///< of the final, as far as there was one
  /// Time of the default over that of the chosen one, by rounds.
  Ratio overDefault;
  int64_t trials = 0; ///< candidates that were measured now
  /// The same, by proposer.
  std::map<std::string, int64_t> byProposer;
  int64_t known = 0; ///< candidates with a record in the database
  /// Candidates that were measured now or known, by status.
  std::array<int64_t, kStatusCount> byStatus = {};
  double seconds = 0;      ///< spent on measuring and compiling
  std::vector<Gain> gains; ///< in the order of trials
  bool wasChosen = false;  ///< the database had the answer; nothing was done
  bool isFinished = false; ///< it reached a decision
  /// The policy gave up before its trials were made (Policy::hasGivenUp).
  bool gaveUp = false;
};

/// The progress of a search.
struct SearchState {
  size_t problems = 0, finished = 0;
  int64_t trials = 0, expected = 0; ///< done, and in all as far as is known
  std::array<int64_t, kStatusCount> byStatus = {};
  double seconds = 0; ///< since it began
  /// The problem of the last reply.
  const Problem *problem = nullptr;
  double best = 0; ///< its shortest time
};

struct SearchHooks {
  std::function<bool()> shouldStop;
  /// Called after every reply, and at least twice a second. Its pointers are
  /// valid during the call only.
  std::function<void(const SearchState &)> watch;
  /// Called for every candidate as it becomes known.
  std::function<void(const Record &)> received;
  std::function<void(const SearchResult &)> finished;
};

class Search {
public:
  /// `database` may be null: then nothing is known and nothing is stored.
  Search(Evaluator &evaluator, Database *database, SearchOptions options,
         SearchHooks hooks = {});
  ~Search();

  /// One result per distinct problem, small ones first. An error if an
  /// extent is unknown or 0, there is no such policy, or the evaluator or the
  /// database cannot continue.
  llvm::Expected<std::vector<SearchResult>>
  run(llvm::ArrayRef<Problem> problems);

private:
  class Loop;
  Evaluator &evaluator;
  Database *database;
  SearchOptions options;
  SearchHooks hooks;
};

} // namespace hone

#endif // HONE_SEARCH_SEARCH_H
