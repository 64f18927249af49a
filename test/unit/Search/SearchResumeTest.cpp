//===- SearchResumeTest.cpp - Tests of resumed searches -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches stopped at any point, or started with records of other toolchains.
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

class SearchResumeTest : public SearchTest {};

//===----------------------------------------------------------------------===//
// Stopping and resuming
//===----------------------------------------------------------------------===//

TEST_F(SearchResumeTest, ABudgetOfNothingIsTheDefault) {
  options.trials = 0;
  SearchResult result = runOne();
  EXPECT_EQ(evaluator.trials(), std::vector{usual()});
  EXPECT_EQ(evaluator.finals(), 0u);
  EXPECT_EQ(toString(*result.chosen), usual());
  EXPECT_TRUE(result.isFinished);
  auto best =
      llvm::cantFail(database->best(problem, "h200", evaluator.toolchain()));
  EXPECT_EQ(best->record.grade, Grade::chosen);
}

TEST_F(SearchResumeTest, TheSecondTimeThereIsNothingToDo) {
  SearchResult before = runOne();
  evaluator.asked.clear();
  options.makePolicy =
      [](const Problem &,
         const Arch &) -> llvm::Expected<std::unique_ptr<Policy>> {
    return llvm::createStringError("the search should need no policy");
  };
  SearchResult result = runOne();
  EXPECT_TRUE(result.wasChosen);
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(evaluator.asked.size(), 0u);
  EXPECT_EQ(result.trials, 0);
  EXPECT_EQ(result.known, 11);
  EXPECT_EQ(toString(*result.chosen), toString(*before.chosen));
  EXPECT_EQ(result.times.median, before.times.median);
  EXPECT_NEAR(result.overDefault.value,
              before.defaultTimes.median / before.times.median, 1e-9);
}

/// Also where the policy has fewer proposals than trials.
TEST_F(SearchResumeTest, APolicyThatHadItsSayDoesNotCauseAnotherFinal) {
  options.policy = "default";
  runOne();
  evaluator.asked.clear();
  SearchResult result = runOne();
  EXPECT_TRUE(result.wasChosen);
  EXPECT_EQ(evaluator.asked.size(), 0u);
}

/// Stopped at any point, repeatedly, it does the rest and repeats nothing.
TEST_F(SearchResumeTest, StopsAndGoesOnWhereItWas) {
  options.trials = 30;
  options.policy = "evolution";
  std::vector<Problem> problems = {problem, problemOf(64, 4096, 256),
                                   problemOf(2048, 64, 512)};
  std::multiset<std::string> tried;
  std::vector<SearchResult> results;
  int runs = 0;
  for (bool isDone = false; !isDone && runs < 100; ++runs) {
    evaluator = FakeEvaluator();
    int turns = 0;
    hooks.shouldStop = [&] { return ++turns > 7; };
    results = run(problems);
    for (const Question &question : evaluator.asked)
      if (!question.isFinal())
        tried.insert(question.problem.str() +
                     toString(question.schedules.front()));
    isDone = llvm::all_of(
        results, [](const SearchResult &result) { return result.isFinished; });
    if (!isDone) {
      EXPECT_FALSE(results.back().isFinished);
      EXPECT_FALSE(results.back().chosen);
    }
  }
  EXPECT_GT(runs, 3);
  EXPECT_LT(runs, 100);
  EXPECT_EQ(tried.size(), 3 * 31u);
  EXPECT_EQ(std::set<std::string>(tried.begin(), tried.end()).size(), 3 * 31u);
  for (const SearchResult &result : results)
    EXPECT_TRUE(result.chosen);
}

/// Stopped between the last trial and the final, it still runs the final.
TEST_F(SearchResumeTest, TrialsAfterTheChoiceAreDecided) {
  runOne();
  age(10);
  options.trials = 20;
  hooks.shouldStop = [&] { return stored().size() >= 17; };
  EXPECT_FALSE(runOne().isFinished);
  hooks.shouldStop = nullptr;
  options.trials = stored().size() - 1;
  evaluator.asked.clear();
  SearchResult result = runOne();
  EXPECT_FALSE(result.wasChosen);
  EXPECT_EQ(result.trials, 0);
  EXPECT_EQ(evaluator.finals(), 1u);
}

TEST_F(SearchResumeTest, SecondsEndTrialsAndWhatIsBegunIsDecided) {
  options.trials = 400;
  options.seconds = 2;
  evaluator.limit = 1;
  // The fifth uses up the time, on a machine of any speed.
  int measured = 0;
  evaluator.measure = [&](const Schedule &schedule) {
    if (++measured == 5)
      std::this_thread::sleep_for(std::chrono::seconds(2));
    return okIn(timeOf(schedule));
  };
  std::vector<SearchResult> results =
      run({problem, problemOf(4096, 4096, 512)});
  EXPECT_TRUE(results[0].isFinished);
  EXPECT_TRUE(results[0].chosen);
  EXPECT_EQ(results[0].trials, 5);
  EXPECT_EQ(evaluator.finals(), 1u);
  EXPECT_FALSE(results[1].isFinished);
  EXPECT_EQ(results[1].trials, 0);
}

//===----------------------------------------------------------------------===//
// Other toolchains
//===----------------------------------------------------------------------===//

TEST_F(SearchResumeTest, StaleRecordsComeFirstTheBestOfThemAtTheFront) {
  options.trials = 30;
  std::string chosen = toString(*runOne().chosen);
  Toolchain old = evaluator.toolchain();
  old.driver = "570.3";
  age(1000, old);
  std::vector<std::pair<double, std::string>> known;
  for (const Record &record : stored())
    if (toString(record.schedule) != usual())
      known.emplace_back(-double(int(record.grade)) + record.times.median,
                         toString(record.schedule));
  llvm::sort(known);

  evaluator.asked.clear();
  options.stale = 5;
  options.trials = 12;
  options.policy = "random";
  evaluator.roundsOf = [](const Schedule &) {
    return std::vector<double>{1e-3, 1.01e-3, 0.99e-3};
  };
  SearchResult result = runOne();
  std::vector<std::string> tried = evaluator.trials();
  ASSERT_EQ(tried.size(), 13u);
  EXPECT_EQ(tried[0], usual());
  EXPECT_EQ(tried[1], chosen);
  int found = 0;
  for (size_t at = 1; at < 6; ++at)
    found += tried[at] == known[at - 1].second;
  EXPECT_GE(found, 4); // the default may be one of the five
  EXPECT_FALSE(result.wasChosen);
  EXPECT_EQ(result.known, 0);
  // Another toolchain's choice is the incumbent of the final.
  EXPECT_EQ(toString(*result.chosen), chosen);
  // Both toolchains' records are there.
  std::set<std::string> drivers;
  for (const Record &record : stored())
    drivers.insert(record.toolchain.driver);
  EXPECT_EQ(drivers, (std::set<std::string>{"570.3", "580.1"}));
}

TEST_F(SearchResumeTest, StaleRecordsAreTrialsToo) {
  runOne();
  Toolchain old = evaluator.toolchain();
  old.hone = "0.0";
  age(1000, old);
  evaluator.asked.clear();
  options.trials = 3;
  EXPECT_EQ(runOne().trials, 4);
}

} // namespace
