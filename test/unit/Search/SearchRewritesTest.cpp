//===- SearchRewritesTest.cpp - Tests of rewrites of the best schedules ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

/// The schedule without its rewrites.
Schedule plain(Schedule schedule) {
  if (!schedule.rewrites().empty())
    llvm::cantFail(schedule.decide(kRewrites, "[]"));
  return schedule;
}

/// `flight(0)` and `next(stored)` save a tenth each; other rewrites cost one.
double rewrittenTime(const Schedule &schedule) {
  double seconds = timeOf(plain(schedule));
  for (const Schedule::Decided &one : schedule.rewrites()) {
    std::string text = one.decision->name.str() + "(" + one.text() + ")";
    seconds *= text == "flight(0)" || text == "next(stored)" ? 0.9 : 1.1;
  }
  return seconds;
}

class SearchRewritesTest : public SearchTest {
protected:
  void SetUp() override {
    SearchTest::SetUp();
    options.rewrites = 100;
    evaluator.measure = [](const Schedule &one) {
      return okIn(rewrittenTime(one));
    };
  }
  int64_t countRewritten() {
    return llvm::count_if(evaluator.trials(), [](const std::string &text) {
      return llvm::StringRef(text).contains("rewrites = ");
    });
  }
};

TEST_F(SearchRewritesTest, FindsWhatHelpsTogether) {
  SearchResult result = runOne();
  ASSERT_TRUE(result.chosen);
  llvm::SmallVector<std::string> found;
  for (const Schedule::Decided &one : result.chosen->rewrites())
    found.push_back(one.decision->name.str() + "(" + one.text() + ")");
  EXPECT_EQ(llvm::join(found, " "), "flight(0) next(stored)");
  EXPECT_EQ(evaluator.illegal, 0);
  EXPECT_EQ(result.trials, 11 + countRewritten());
  EXPECT_LE(countRewritten(), 100);
  // All trials of the policy come first.
  std::vector<std::string> trials = evaluator.trials();
  for (size_t at = 0; at < 11; ++at)
    EXPECT_FALSE(llvm::StringRef(trials[at]).contains("rewrites = "));
  for (const Record &record : stored())
    EXPECT_EQ(record.provenance.policy == "model/rewrites",
              !record.schedule.rewrites().empty());
}

TEST_F(SearchRewritesTest, TheFinalHasTheBestWithout) {
  runOne();
  std::string fastest = usual();
  for (const std::string &text : evaluator.trials()) {
    Schedule one = llvm::cantFail(parseSchedule(text));
    if (one.rewrites().empty() &&
        timeOf(one) < timeOf(llvm::cantFail(parseSchedule(fastest))))
      fastest = text;
  }
  ASSERT_EQ(evaluator.finals(), 1u);
  bool isThere = false;
  for (const Schedule &schedule : evaluator.asked.back().schedules)
    isThere |= toString(schedule) == fastest;
  EXPECT_TRUE(isThere);
}

TEST_F(SearchRewritesTest, TakesNoMoreThanItMay) {
  options.rewrites = 5;
  runOne();
  EXPECT_EQ(countRewritten(), 5);
}

/// A quarter of the trials in a row without a gain is enough.
TEST_F(SearchRewritesTest, EndsSoonerWhereNothingHelps) {
  options.enough = 20;
  evaluator.limit = 1;
  evaluator.measure = [](const Schedule &one) {
    return okIn(timeOf(plain(one)) * (one.rewrites().empty() ? 1 : 1.5));
  };
  runOne();
  EXPECT_EQ(countRewritten(), 5);
}

TEST_F(SearchRewritesTest, DoesNotWaitAgainForGains) {
  options.enough = 20;
  SearchResult first = runOne();
  int64_t before = countRewritten();
  SearchResult second = runOne();
  EXPECT_EQ(second.trials, 0);
  EXPECT_EQ(countRewritten(), before);
  EXPECT_TRUE(second.wasChosen);
}

/// Known rewrites without a gain do not end the trials of a search for more.
TEST_F(SearchRewritesTest, KnownOnesDoNotCountAsTrialsWithoutGain) {
  evaluator.measure = [](const Schedule &one) {
    return okIn(timeOf(plain(one)) * (one.rewrites().empty() ? 1 : 1.5));
  };
  runOne();
  ASSERT_GT(countRewritten(), 12);
  options.trials = 30;
  options.enough = 12;
  std::map<std::string, int64_t> by = runOne().byProposer;
  EXPECT_GT(by["model"], 0);
}

TEST_F(SearchRewritesTest, NoneUnlessAsked) {
  options.rewrites = 0;
  SearchResult result = runOne();
  EXPECT_EQ(result.trials, 11);
  EXPECT_EQ(countRewritten(), 0);
}

/// A builder's refusal is a result like any other.
TEST_F(SearchRewritesTest, RefusalsAreTrialsThatAreNotRepeated) {
  evaluator.measure = [](const Schedule &one) {
    if (one.rewrites().empty())
      return okIn(timeOf(one));
    return failed(Status::illegal, "expected a loop, but got none");
  };
  SearchResult result = runOne();
  EXPECT_GT(result.byStatus[size_t(Status::illegal)], 5);
  ASSERT_TRUE(result.chosen);
  EXPECT_TRUE(result.chosen->rewrites().empty());
  std::vector<std::string> trials = evaluator.trials();
  std::set<std::string> once(trials.begin(), trials.end());
  EXPECT_EQ(once.size(), trials.size());
}

/// A resumed search already has the trials of the stopped one.
TEST_F(SearchRewritesTest, ASecondSearchDoesTheRest) {
  runOne();
  int64_t before = countRewritten();
  SearchResult again = runOne();
  EXPECT_EQ(countRewritten(), before);
  ASSERT_TRUE(again.chosen);
  EXPECT_EQ(again.chosen->rewrites().size(), 2u);
}

} // namespace
