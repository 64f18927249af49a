//===- Session.h - Search for one problem's schedule ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a search that is about one problem. It uses no evaluator and no
// database: it returns the next question, takes the reply, and collects records
// of the results, which the loop stores.
//
//   begin -> trials: due (default, stale), then the policy's, then rewrites of
//                    the best
//         -> final:  the fastest, the default and the incumbent
//         -> done:   one is chosen, or nothing runs
//
// A session has no question while it waits for replies; the loop continues with
// the next session then.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_SESSION_H
#define HONE_LIB_SEARCH_SESSION_H

#include "Patience.h"
#include "hone/Schedule/BySchedule.h"
#include "hone/Search/Search.h"
#include <chrono>
#include <deque>
#include <optional>
#include <utility>

namespace hone::detail {

/// True for the schedule that a build takes without a search, if an earlier
/// search recorded it.
bool isChoiceOfBuild(const Provenance &provenance);

/// The records of a problem in a database.
struct Known {
  std::vector<Record> current; ///< of the evaluator's toolchain, as added
  std::vector<Record> stale;   ///< of other toolchains, ok, the fastest first
};

class Session {
public:
  Session(const Problem &problem, const Evaluator &evaluator,
          const SearchOptions &options);

  /// Takes the known records; the first call. The session may be done then.
  void begin(const Known &known);
  /// Sets the policy that proposes trials; it receives the known results.
  void start(std::unique_ptr<Policy> policy);
  /// The next question; nothing while the session waits, or if it is done. The
  /// loop sets the question's number.
  std::optional<Question> next();
  /// Takes the reply to a question. It has a measurement for each schedule.
  void take(const Question &question, const Reply &reply);
  /// Ends the trials, except those of the schedules that run without a search:
  /// the default, the incumbent and a build's choice. Decides from the known
  /// results.
  void endTrials();
  bool isDone() const { return phase == Phase::done; }

  /// The new records since the last call.
  std::vector<Record> takeRecords() { return std::exchange(records, {}); }
  const SearchResult &getResult() const { return result; }
  /// The results of this search, counted by status.
  const std::array<int64_t, kStatusCount> &getTally() const { return tally; }
  double getBest() const { return best; }
  /// Estimate of the candidates that are still to be measured.
  int64_t expected() const;

private:
  enum class Phase { trials, final, done };
  struct Candidate {
    Schedule schedule;
    Provenance provenance;
    Measurement measurement;
    bool isKnown = false;     ///< from before this search
    bool wasReceived = false; ///< else it is in flight
    int64_t trial = 0;        ///< its number, as `patience` counts
    bool isOk() const { return wasReceived && measurement.isOk(); }
  };

  // Session.cpp: known results, and trials.
  void receiveKnown(const Record &record);
  void countKnown(llvm::ArrayRef<Record> records);
  void replay(llvm::ArrayRef<Record> records, bool ofRewrites);
  std::optional<Schedule> nextTrial();
  bool isHeldOpen() const;
  bool awaitsBuild() const;
  bool isFree(const Schedule &schedule, const Provenance &provenance) const;
  bool refill();
  void ask(size_t count);
  bool awaitsAdvice() const;
  bool admit(const Schedule &schedule, const Provenance &provenance);
  void settle(Candidate &candidate, Measurement measurement);
  Measurement plausible(Measurement measured) const;
  void tell(const Candidate &candidate);
  void keep(const Candidate &candidate);
  Question questionOf(std::vector<Schedule> schedules) const;
  Candidate *find(const Schedule &schedule);
  std::vector<Candidate *> inOrder();

  // SessionRewrites.cpp: rewrites of the best.
  void beginRewrites();
  bool refillRewrites();
  const Candidate *fastest(bool mayBeRewritten) const;

  // SessionFinal.cpp: final and decision.
  std::optional<Question> nextFinal();
  std::vector<Candidate *> contenders();
  void seat(llvm::ArrayRef<Candidate *> order, int64_t places,
            bool onlyRewritten, std::vector<Candidate *> &chosen) const;
  void takeFinal(const Question &question, const Reply &reply);
  void settleFinal(Candidate &candidate, Measurement measurement);
  using Rounds = std::vector<std::vector<double>>;
  void decide(llvm::ArrayRef<Candidate *> finalists, const Rounds &rounds);
  void finish(const Candidate *chosen);
  bool isDecided();
  void keepChoice();

  const Problem problem;
  const Evaluator &evaluator;
  const SearchOptions &options;
  const double roofline;
  const Schedule fallback; ///< the default
  std::unique_ptr<Policy> policy;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  Phase phase = Phase::trials;
  BySchedule<Candidate> candidates;
  std::deque<std::pair<Schedule, Provenance>> due;
  int64_t left = 0;         ///< trials in addition to the default
  int64_t leftRewrites = 0; ///< trials of rewrites, after those
  /// The schedules in `due` are rewrites.
  bool isRewriting = false;
  int64_t underWay = 0; ///< questions in flight
  int64_t inVain = 0;   ///< proposals since the last new one
  Patience patience;
  double best = 0;                   ///< seconds; 0: none
  std::optional<Schedule> incumbent; ///< the schedule chosen before
  bool wasAdvised = false;         ///< an answer has come, and is not tried yet
  bool wasAsked = false;           ///< the policy has answered
  std::optional<Schedule> ofBuild; ///< a build's choice without a search
  bool isCurrent = false;          ///< this toolchain chose the incumbent
  bool hasNews = false;            ///< there are newer measurements
  SearchResult result;
  std::array<int64_t, kStatusCount> tally = {};
  std::vector<Record> records;
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_SESSION_H
