//===- Search.h - From problems to chosen schedules -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a policy what to try, an evaluator what comes of it, and a database
// what is known already; decides; and writes down everything it hears as it
// hears it. Problems that are the same are searched once, small ones first.
// Each goes through
//
//   known     records of this toolchain count as tried; of others the fastest
//             few are tried again, before anything new
//   default   it always competes
//   trials    what the policy proposes, less what breaks a law or was tried
//   rewrites  of the best so far, one changed at a time, and again of what was
//             faster (docs/Rewrites.md)
//   final     the fastest few, the fastest that is not rewritten, the default
//             and what a build would take without the search, in turns
//   decision  the incumbent (what was chosen before, else what a build would
//             take, else the default) stays
//             unless another is faster with a probability of 95 %: then the
//             fastest of those
//
// While one problem waits for its policy or its final, the next one begins:
// compilers and devices stay busy. A policy that thinks elsewhere, on one of
// the `thinkers` say, is asked again until it says that it does not.
//
//   Search search(evaluator, &database, options);
//   Expected<std::vector<SearchResult>> results = search.run(problems);
//
// | what happens                  | then                                      |
// |-------------------------------|-------------------------------------------|
// | a trial is much faster than   | it is `wrong`: the measurement is at      |
// | the roofline                  | fault, whoever evaluated it               |
// | all of a final fail           | the next fastest have one                 |
// | nothing works                 | nothing is chosen; the problem is done    |
// | enough was measured and a     | `wasChosen`; also where a policy has      |
// | choice was made since         | nothing left to try                       |
// | a policy proposes nothing     | it counts as done with the problem        |
// | new a thousand times          |                                           |
// | seconds are used up           | no more trials; what is begun comes to    |
// |                               | its decision, the rest is not begun       |
// | `shouldStop`                  | nothing more is asked; replies that come  |
// |                               | without a pause of half a second are heard|
// | an error of the evaluator or  | `run` fails; what was heard is stored     |
// | the database                  |                                           |
//
// What is heard is in the database before anything else is done. So a search
// that was stopped in any of these ways, or killed, has lost nothing: the same
// search on the same database goes on where it was.
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

/// Trials in a row without a gain, after which a search has mostly found what
/// it will find (docs/Tune.md).
constexpr int64_t kUsualEnough = 32;

/// Who proposes, in records, what somebody wants tried.
constexpr llvm::StringLiteral kWantedPolicy = "wanted";
/// And what is built in, of SearchOptions::seeds.
constexpr llvm::StringLiteral kShippedPolicy = "shipped";

struct SearchOptions {
  std::string policy = "evolution";
  std::string model; ///< that the policy asks, for what is written down
  int64_t seed = 1;
  int64_t trials = 64; ///< for a problem, beside the default
  double seconds = 0;  ///< for all of them together; 0: as long as it takes
  /// How long after those what is under way is waited for.
  double overtime = 300;
  /// Trials of rewrites of the best, behind those.
  int64_t rewrites = 0;
  /// Trials in a row that gain less than a percent together, after which there
  /// are no more of them; 0: all are made. Those of rewrites count anew, and a
  /// quarter as many of them are enough.
  int64_t enough = 0;
  /// Beside the default; of kernels that run long, twice as many.
  int64_t finalists = 6;
  /// Records of other toolchains that are tried again; these are trials, too.
  int64_t stale = 8;
  /// What others found, which is tried before a policy is asked. These are
  /// trials, too.
  std::function<std::vector<Schedule>(const Problem &, const Arch &)> seeds;
  /// What somebody wants tried for a problem, whatever else there is. These are
  /// not counted among the trials.
  std::function<std::vector<Schedule>(const Problem &)> wanted;
  /// What may be tried at all, besides the laws. Nothing else costs a trial.
  Within isWithin;
  /// Threads on which policies are made and propose, so that they hold up
  /// nobody; 0: all do on that of the loop, and a replay repeats to the bit.
  int64_t thinkers = 0;
  /// What a build takes without a search, if it takes anything but the default.
  /// It is tried first, which is a trial, and comes to the final. Asked on the
  /// threads of policies.
  std::function<std::optional<Schedule>(const Problem &, const Arch &)> ofBuild;
  /// Makes the policy of a problem; else hone::makePolicy, by name.
  std::function<llvm::Expected<std::unique_ptr<Policy>>(const Problem &,
                                                        const Arch &)>
      makePolicy;
};

/// That the shortest time of a trial fell.
struct Gain {
  int64_t trials = 0; ///< up to it
  double seconds = 0; ///< since the problem's turn came
  double best = 0;    ///< what it fell to
};

/// What became of one problem.
struct SearchResult {
  Problem problem;
  std::optional<Schedule> chosen; ///< none: nothing runs, or it was stopped
  /// Whose it was, as records name who proposes: a policy, and behind a slash
  /// who within it.
  std::string proposer;
  Times times, defaultTimes; ///< of the final, as far as there was one
  /// Time of the default over that of the chosen one, by rounds.
  Ratio overDefault;
  int64_t trials = 0; ///< candidates that were measured now
  /// The same, by who proposed them.
  std::map<std::string, int64_t> byProposer;
  int64_t known = 0; ///< candidates that the database knew
  /// What was measured now or known, by status.
  std::array<int64_t, kStatusCount> byStatus = {};
  double seconds = 0;      ///< of measuring and compiling
  std::vector<Gain> gains; ///< in the order of trials
  bool wasChosen = false;  ///< the database had the answer; nothing was done
  bool isFinished = false; ///< it came to a decision
  /// The policy gave up before its trials were made (Policy::hasGivenUp).
  bool gaveUp = false;
};

/// Where a search stands, for those who watch.
struct SearchState {
  size_t problems = 0, finished = 0;
  int64_t trials = 0, expected = 0; ///< done, and in all as far as is known
  std::array<int64_t, kStatusCount> byStatus = {};
  double seconds = 0; ///< since it began
  /// Of the problem that was heard of last.
  const Problem *problem = nullptr;
  double best = 0; ///< its shortest time
};

struct SearchHooks {
  std::function<bool()> shouldStop;
  /// After every reply, and at least twice a second. What it points to
  /// stays as long as the call.
  std::function<void(const SearchState &)> watch;
  /// Every candidate as it becomes known.
  std::function<void(const Record &)> heard;
  std::function<void(const SearchResult &)> finished;
};

class Search {
public:
  /// `database` may be null: then nothing is known and nothing is kept.
  Search(Evaluator &evaluator, Database *database, SearchOptions options,
         SearchHooks hooks = {});
  ~Search();

  /// One result per distinct problem, small ones first. An error where an
  /// extent is unknown or 0, there is no such policy, or the evaluator or the
  /// database can not go on.
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
