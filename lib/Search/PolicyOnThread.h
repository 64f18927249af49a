//===- PolicyOnThread.h - Policies that run on a thread ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A learned policy computes for a second on each problem, over all rounds. On
// the thread of the search's loop, a hundred compilers and the device would
// wait for it. So where a search may use threads, each policy is made and
// called on a thread of a pool, and `isComputing` meanwhile:
//
//   the loop                      | a thread of the pool
//   ------------------------------|-------------------------------------------
//   propose: none yet             | is made, the first time
//   receive: kept for later       | proposes
//   propose: returns the proposal |
//   receive, propose: none yet    | receives the kept results, proposes
//
// One thread at a time uses a policy. It receives all results in the order in
// which the loop received them, but may receive a result one proposal later
// than it would without threads.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_POLICYONTHREAD_H
#define HONE_LIB_SEARCH_POLICYONTHREAD_H

#include "hone/Schedule/BySchedule.h"
#include "hone/Search/Policy.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ThreadPool.h"

namespace hone::detail {

class PolicyOnThread : public Policy {
public:
  using Make = std::function<llvm::Expected<std::unique_ptr<Policy>>()>;

  /// `make` is called on a thread of `pool`, which outlives this.
  PolicyOnThread(llvm::ThreadPoolInterface &pool, Make make)
      : pool(pool), make(std::move(make)) {}
  ~PolicyOnThread() override;

  std::vector<Schedule> propose(size_t count) override;
  void receive(const Schedule &schedule, const Measurement &result) override {
    unsent.emplace_back(schedule, result);
  }
  std::vector<Schedule> ranked(std::vector<Schedule> schedules) override;
  std::vector<Schedule> rewritesOf(const Schedule &schedule) override;
  llvm::StringRef originOf(const Schedule &schedule) const override;
  bool isWaiting() const override { return last.isWaiting; }
  bool isComputing() const override {
    return underWay.valid() || last.isComputing;
  }
  size_t reserve() const override { return last.reserve; }
  bool hasGivenUp() const override { return last.hasGivenUp; }
  /// True once it is made, which takes as long as all of its later proposals.
  bool isMade() const { return wasMade; }
  /// The reason that it could not be made, once that is known.
  llvm::Error failure() const;

private:
  Policy *caughtUp();
  /// The result of one call.
  struct Call {
    std::vector<Schedule> proposals;
    std::vector<std::string> origins; ///< one per schedule
    bool isWaiting = false, isComputing = false, hasGivenUp = false;
    size_t reserve = 0;
    std::string failure; ///< the reason that it could not be made
  };
  using Results = std::vector<std::pair<Schedule, Measurement>>;
  Call compute(size_t count, const Results &results);
  void catchUp(const Results &results);

  llvm::ThreadPoolInterface &pool;
  Make make;
  std::unique_ptr<Policy> policy; ///< used by the thread while that runs
  Results unsent;                 ///< not yet passed to the policy
  std::shared_future<void> underWay;
  Call next, last; ///< the thread's result, and the previous one
  bool wasMade = false;
  bool wasSilent = false; ///< the last call proposed nothing
  BySchedule<std::string> origins;
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_POLICYONTHREAD_H
