//===- SearchComputingTest.cpp - Tests of policies that wait --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem whose policy waits for an external answer stays open, and the other
// problems continue.
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

/// Proposes nothing before its answer, and then two schedules.
class SlowPolicy : public Policy {
public:
  SlowPolicy(std::function<bool()> isThere) : isThere(std::move(isThere)) {}

  std::vector<Schedule> propose(size_t) override {
    if (wasProposed || !isThere())
      return {};
    wasProposed = true;
    return {llvm::cantFail(parseSchedule("mma_sync, group = 5")),
            llvm::cantFail(parseSchedule("mma_sync, group = 6"))};
  }
  bool isComputing() const override { return !wasProposed; }

private:
  std::function<bool()> isThere;
  bool wasProposed = false;
};

/// Has its own schedules, and an answer that arrives after some polls.
class Advised : public Policy {
public:
  explicit Advised(int polls) : polls(polls) {}

  std::vector<Schedule> propose(size_t count) override {
    std::vector<Schedule> some;
    if (isComputing())
      --polls;
    if (polls == 0 && !wasAdvised && count > 0) {
      wasAdvised = true;
      some.push_back(llvm::cantFail(parseSchedule("mma_sync, group = 63")));
    }
    while (some.size() < count && next < 60)
      some.push_back(llvm::cantFail(
          parseSchedule("mma_sync, group = " + std::to_string(next++))));
    return some;
  }
  llvm::StringRef originOf(const Schedule &schedule) const override {
    return schedule["group"].front() == 63 ? "advice" : "own";
  }
  bool isComputing() const override { return polls > 0; }
  size_t reserve() const override { return 4; }

private:
  int polls, next = 1;
  bool wasAdvised = false;
};

class SearchComputingTest : public SearchTest {
protected:
  void useSlowPolicies(std::function<bool(const Problem &)> isThere) {
    options.makePolicy =
        [isThere](const Problem &of,
                  const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
      return std::unique_ptr<Policy>(
          std::make_unique<SlowPolicy>([isThere, of] { return isThere(of); }));
    };
  }
};

TEST_F(SearchComputingTest, IsWaitedFor) {
  int asked = 0;
  useSlowPolicies([&](const Problem &) { return ++asked > 10; });
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.trials, 3);
  EXPECT_GT(asked, 10);
}

TEST_F(SearchComputingTest, TrialsAreLeftForAdvice) {
  // Ended by the number of trials, or for lack of a gain.
  for (int64_t enough : {0, 6}) {
    options.enough = enough;
    options.makePolicy =
        [](const Problem &,
           const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
      return std::unique_ptr<Policy>(std::make_unique<Advised>(20));
    };
    evaluator.measure = [](const Schedule &schedule) {
      bool isAdvice = schedule["group"].front() == 63;
      return okIn(isAdvice ? 0.5e-3 : 1e-3);
    };
    problem = problemOf(512, 512, enough ? 512 : 1024);
    SearchResult result = runOne();
    EXPECT_EQ(result.byProposer["model/advice"], 1) << enough;
    EXPECT_EQ((*result.chosen)["group"].front(), 63) << enough;
    EXPECT_LE(result.trials, 11);
  }
}

/// It failed before it had made all its proposals.
class Quitter : public Policy {
public:
  std::vector<Schedule> propose(size_t) override { return {}; }
  bool hasGivenUp() const override { return true; }
};

TEST_F(SearchComputingTest, ResultsNameThePolicyThatGaveUp) {
  EXPECT_FALSE(runOne().gaveUp);
  options.makePolicy =
      [](const Problem &,
         const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
    return std::unique_ptr<Policy>(std::make_unique<Quitter>());
  };
  problem = problemOf(256, 256, 256);
  SearchResult result = runOne();
  EXPECT_TRUE(result.gaveUp);
  EXPECT_TRUE(result.chosen);
}

TEST_F(SearchComputingTest, HoldsUpNoOtherProblem) {
  std::vector<std::string> finished;
  hooks.finished = [&](const SearchResult &result) {
    finished.push_back(result.problem.str());
  };
  // The first problem's answer arrives when the others have ended.
  useSlowPolicies(
      [&](const Problem &of) { return of.m != 64 || finished.size() == 4; });
  std::vector<Problem> problems;
  for (int64_t m : {64, 128, 256, 512, 1024})
    problems.push_back(problemOf(m, 64, 64));
  std::vector<SearchResult> results = run(problems);
  ASSERT_EQ(finished.size(), 5u);
  EXPECT_EQ(finished.back(), problems.front().str());
  for (const SearchResult &result : results)
    EXPECT_EQ(result.trials, 3);
}

TEST_F(SearchComputingTest, AreNotAllAskedTogether) {
  int64_t made = 0;
  useSlowPolicies([](const Problem &) { return false; });
  auto make = options.makePolicy;
  options.makePolicy = [&](const Problem &of, const Arch &arch) {
    ++made;
    return make(of, arch);
  };
  hooks.shouldStop = [&, polls = 0]() mutable { return ++polls > 20; };
  std::vector<Problem> problems;
  for (int64_t m = 1; m <= 100; ++m)
    problems.push_back(problemOf(64 * m, 64, 64));
  for (const SearchResult &result : run(problems))
    EXPECT_FALSE(result.isFinished);
  EXPECT_EQ(made, 16);
}

TEST_F(SearchComputingTest, EndsWithTheTime) {
  options.seconds = 0.2;
  useSlowPolicies([](const Problem &) { return false; });
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.trials, 1);
  EXPECT_TRUE(result.chosen);
}

} // namespace
