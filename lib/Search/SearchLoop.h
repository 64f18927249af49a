//===- SearchLoop.h - Loop over the problems of a search --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_SEARCHLOOP_H
#define HONE_LIB_SEARCH_SEARCHLOOP_H

#include "PolicyOnThread.h"
#include "Session.h"
#include "hone/Search/Search.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>
#include <list>
#include <thread>

namespace hone::detail {
/// A session, and the index of its problem in the results.
struct Open {
  Session session;
  size_t place;
  PolicyOnThread *policyThread =
      nullptr; ///< its policy, if that runs on a thread
};
struct Asked {
  Open *by;
  Question question;
};
} // namespace hone::detail

namespace hone {

class Search::Loop {
public:
  explicit Loop(Search &search) : search(search) {
    if (search.options.policyThreads > 0)
      policyThreads.emplace(
          llvm::hardware_concurrency(search.options.policyThreads));
  }
  llvm::Error run(llvm::ArrayRef<Problem> problems);
  std::vector<SearchResult> takeResults();

private:
  // Problems and sessions.
  llvm::Error addProblems(llvm::ArrayRef<Problem> problems);
  llvm::Expected<detail::Known> knownOf(const Problem &problem);
  llvm::Error openNext();
  llvm::Expected<std::unique_ptr<Policy>>
  policyOf(const Problem &problem) const;
  llvm::Error startSession(detail::Open &one, const Problem &problem);
  std::list<detail::Open>::iterator close(std::list<detail::Open>::iterator at);

  // Questions and replies.
  llvm::Error askAll();
  bool mayOpen() const;
  llvm::Expected<bool> askOne();
  llvm::Expected<bool> receiveOne(double patience);
  llvm::Error pause();
  llvm::Error receiveSome();
  llvm::Error receiveRest();
  llvm::Error keep(detail::Session &session);

  // Stop conditions and the progress report.
  bool shouldStop() const;
  bool isLate() const;
  double secondsSoFar() const;
  void endTrialsInTime();
  void watch() const;

  Search &search;
  std::optional<llvm::DefaultThreadPool>
      policyThreads; ///< outlive the sessions
  std::vector<SearchResult> results;
  size_t begun = 0, finished = 0;
  std::list<detail::Open> open;
  std::map<uint64_t, detail::Asked> underWay;
  uint64_t number = 0;
  bool isOver = false; ///< the time limit has passed

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  /// The counts of finished sessions, and the latest results.
  SearchState past;
};

} // namespace hone

#endif // HONE_LIB_SEARCH_SEARCHLOOP_H
