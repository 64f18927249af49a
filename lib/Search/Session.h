//===- Session.h - One problem on its way to a decision ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a search that is about one problem. It knows no evaluator and no
// database: it says what to ask next, takes what came of that, and lays down
// records of what it learned, for the loop to store.
//
//   begin -> trials: due (default, stale), then the policy's, then rewrites of
//                    the best
//         -> final:  the fastest, the default and the incumbent
//         -> done:   one is chosen, or nothing runs
//
// A session has nothing to ask while it waits for replies; the loop turns to
// the next one then.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_SESSION_H
#define HONE_LIB_SEARCH_SESSION_H

#include "Patience.h"
#include "hone/Search/Search.h"
#include <chrono>
#include <deque>
#include <map>
#include <utility>

namespace hone::detail {

/// True for what a build takes without a search, as an earlier search found it.
bool isChoiceOfBuild(const Provenance &provenance);

/// What a database knows of a problem.
struct Known {
  std::vector<Record> current; ///< of the evaluator's toolchain, as added
  std::vector<Record> stale;   ///< of others, ok, the best known first
};

class Session {
public:
  Session(const Problem &problem, const Evaluator &evaluator,
          const SearchOptions &options);

  /// Takes in what is known, first of all. It may be done then.
  void begin(const Known &known);
  /// Who proposes trials; hears what is known.
  void start(std::unique_ptr<Policy> policy);
  /// What to ask; nothing while it waits, or where it is done. The number is
  /// the loop's business.
  std::optional<Question> next();
  /// What came of a question. It has a measurement for each schedule.
  void take(const Question &question, const Reply &reply);
  /// No more trials; what is known is decided.
  void endTrials();
  bool isDone() const { return phase == Phase::done; }

  /// What was learned since the last call.
  std::vector<Record> takeRecords() { return std::exchange(records, {}); }
  const SearchResult &getResult() const { return result; }
  /// By status, of what became known in this search.
  const std::array<int64_t, kStatusCount> &getTally() const { return tally; }
  double getBest() const { return best; }
  /// Candidates that are still to be measured, as far as is known.
  int64_t expected() const;

private:
  enum class Phase { trials, final, done };
  struct Candidate {
    Schedule schedule;
    Provenance provenance;
    Measurement measurement;
    bool isKnown = false;  ///< from before this search
    bool wasHeard = false; ///< else it is under way
    int64_t trial = 0;     ///< its number, as `patience` counts
    bool isOk() const { return wasHeard && measurement.isOk(); }
  };

  // Session.cpp: what is known, and trials.
  void hearKnown(const Record &record);
  void countKnown(llvm::ArrayRef<Record> records);
  void replay(llvm::ArrayRef<Record> records, bool ofRewrites);
  std::optional<Schedule> nextTrial();
  bool isHeldOpen() const;
  bool refill();
  void ask(size_t count);
  bool awaitsAdvice() const;
  bool admit(const Schedule &schedule, const Provenance &provenance);
  void settle(Candidate &candidate, Measurement measurement);
  Measurement plausible(Measurement measured) const;
  void tell(const Candidate &candidate);
  void keep(const Candidate &candidate);
  Question questionOf(std::vector<Schedule> schedules) const;
  Candidate *find(const std::string &text);

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
  const std::string fallback; ///< text of the default
  std::unique_ptr<Policy> policy;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  Phase phase = Phase::trials;
  std::map<std::string, Candidate> candidates; ///< by text
  std::deque<std::pair<Schedule, Provenance>> due;
  int64_t left = 0;         ///< trials beside the default
  int64_t leftRewrites = 0; ///< trials behind those
  /// What is due are rewrites.
  bool isRewriting = false;
  int64_t underWay = 0; ///< questions
  int64_t inVain = 0;   ///< proposals since one was new
  Patience patience;
  double best = 0;         ///< seconds; 0: none
  std::string incumbent;   ///< text of what was chosen before
  bool wasAdvised = false; ///< an answer has come, and is not tried yet
  std::string ofBuild;     ///< text of what a build takes without a search
  bool isCurrent = false;  ///< the incumbent was, by this toolchain
  bool hasNews = false;    ///< something was measured since
  SearchResult result;
  std::array<int64_t, kStatusCount> tally = {};
  std::vector<Record> records;
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_SESSION_H
