//===- PolicyOnThreadTest.cpp - Tests of policies on threads --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search with policies on threads has the same result as one without.
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

using Threads = std::set<std::thread::id>;

/// Proposes rounds of two schedules, the next one after both results. Records
/// the threads that call it, and whether two call at once.
class Rounds : public Policy {
public:
  Rounds(std::mutex &lock, Threads &threads) : lock(lock), threads(threads) {}

  std::vector<Schedule> propose(size_t count) override {
    touch();
    std::vector<Schedule> some;
    if (waitsFor == 0)
      for (; some.size() < std::min<size_t>(count, 2) && group < 6; ++group)
        some.push_back(llvm::cantFail(
            parseSchedule("mma_sync, group = " + std::to_string(group + 1))));
    waitsFor += some.size();
    return some;
  }
  void receive(const Schedule &schedule, const Measurement &) override {
    touch();
    received.push_back(toString(schedule));
    waitsFor -= waitsFor > 0;
  }
  llvm::StringRef originOf(const Schedule &) const override { return "round"; }
  bool isWaiting() const override { return waitsFor > 0; }

private:
  void touch() {
    std::unique_lock<std::mutex> alone(mine, std::try_to_lock);
    EXPECT_TRUE(alone.owns_lock());
    std::lock_guard<std::mutex> guard(lock);
    threads.insert(std::this_thread::get_id());
  }

  std::mutex &lock, mine;
  Threads &threads;
  size_t waitsFor = 0;
  int64_t group = 0;
  std::vector<std::string> received;
};

class PolicyOnThreadTest : public SearchTest {
protected:
  /// Starts with an empty database.
  std::vector<SearchResult> runOn(int64_t threads) {
    TearDown();
    SetUp();
    options.policyThreads = threads;
    options.makePolicy =
        [this](const Problem &,
               const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
      return std::unique_ptr<Policy>(std::make_unique<Rounds>(lock, touched));
    };
    std::vector<Problem> problems;
    for (int64_t m = 1; m <= 24; ++m)
      problems.push_back(problemOf(64 * m, 64, 64));
    return run(problems);
  }

  std::mutex lock;
  Threads touched;
};

TEST_F(PolicyOnThreadTest, ComesToTheSame) {
  std::vector<SearchResult> without = runOn(0), with = runOn(3);
  ASSERT_EQ(without.size(), with.size());
  for (auto [one, other] : llvm::zip_equal(without, with)) {
    EXPECT_TRUE(other.isFinished);
    EXPECT_EQ(one.trials, 7); // and the default
    EXPECT_EQ(other.trials, one.trials);
    EXPECT_EQ(other.chosen, one.chosen);
    EXPECT_EQ(other.byProposer, one.byProposer);
  }
}

TEST_F(PolicyOnThreadTest, HoldsUpNoLoop) {
  runOn(3);
  EXPECT_FALSE(touched.count(std::this_thread::get_id()));
  EXPECT_LE(touched.size(), 3u);
}

/// The first policy's next proposals wait only for the policies that began at
/// the same time.
TEST_F(PolicyOnThreadTest, MakesAFewAtATime) {
  std::atomic<int> made = 0, madeThen = 0;
  struct First : Rounds {
    First(std::mutex &lock, Threads &threads, std::atomic<int> &made,
          std::atomic<int> &then)
        : Rounds(lock, threads), made(made), then(then) {}
    std::vector<Schedule> propose(size_t count) override {
      if (++calls == 2)
        then = made.load();
      return Rounds::propose(count);
    }
    std::atomic<int> &made, &then;
    int calls = 0;
  };
  options.policyThreads = 1;
  evaluator.limit = 16;
  options.makePolicy =
      [&](const Problem &problem,
          const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++made;
    if (problem.m == 64)
      return std::make_unique<First>(lock, touched, made, madeThen);
    return std::make_unique<Rounds>(lock, touched);
  };
  std::vector<Problem> problems;
  for (int64_t m = 1; m <= 16; ++m)
    problems.push_back(problemOf(64 * m, 64, 64));
  run(problems);
  EXPECT_EQ(made, 16);
  EXPECT_GT(madeThen, 0);
  EXPECT_LE(madeThen, 4);
}

TEST_F(PolicyOnThreadTest, MayFailToBeMade) {
  options.policyThreads = 2;
  options.makePolicy =
      [](const Problem &,
         const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
    return llvm::createStringError("expected weights, but got none");
  };
  EXPECT_EQ(errorOf({problemOf(64, 64, 64)}), "expected weights, but got none");
}

TEST_F(PolicyOnThreadTest, EndsWhileAPolicyComputes) {
  options.policyThreads = 2;
  std::atomic<bool> isOver(false);
  options.makePolicy =
      [&](const Problem &,
          const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
    while (!isOver)
      std::this_thread::yield();
    return std::unique_ptr<Policy>(std::make_unique<Rounds>(lock, touched));
  };
  hooks.shouldStop = [&, polls = 0]() mutable {
    return isOver = ++polls > 20, isOver.load();
  };
  for (const SearchResult &result : run({problemOf(64, 64, 64)}))
    EXPECT_FALSE(result.isFinished);
}

} // namespace
