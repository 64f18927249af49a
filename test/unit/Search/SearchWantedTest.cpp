//===- SearchWantedTest.cpp - Tests of wanted schedules in a search -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole kernels, and other wanted schedules, in addition to the trials.
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::test;

namespace {

class SearchWantedTest : public SearchTest {
protected:
  void SetUp() override {
    SearchTest::SetUp();
    Schedule base = llvm::cantFail(parseSchedule(usual()));
    if (!WarpSpecialized::are(base))
      base = Schedule(WarpSpecialized::kind());
    whole = llvm::cantFail(withWholeKernel(base, "k8f3a291c0d03bb7"));
    evaluator.measure = [this](const Schedule &one) {
      return okIn(one == whole ? kFastest : timeOf(one));
    };
  }
  int64_t countWhole() {
    return llvm::count(evaluator.trials(), toString(whole));
  }

  static constexpr double kFastest = 5e-4;
  Schedule whole;
};

TEST_F(SearchWantedTest, IsTriedInAdditionToTheTrials) {
  SearchResult without = runOne();
  ASSERT_TRUE(without.chosen);
  EXPECT_EQ(countWhole(), 0);
  // All trials are known, and the policy has none left.
  options.wanted = [&](const Problem &) { return std::vector{whole}; };
  size_t before = evaluator.trials().size();
  SearchResult with = runOne();
  EXPECT_EQ(countWhole(), 1);
  EXPECT_EQ(evaluator.trials().size(), before + 1);
  EXPECT_EQ(with.chosen, whole);
  EXPECT_EQ(with.proposer, "wanted");
}

TEST_F(SearchWantedTest, DoesNotCountAsATrial) {
  options.wanted = [&](const Problem &) { return std::vector{whole}; };
  SearchResult result = runOne();
  EXPECT_EQ(result.trials, 12);
  EXPECT_EQ(result.chosen, whole);
  // Nor with a known result.
  options.trials += 3;
  EXPECT_EQ(runOne().trials, 3);
}

TEST_F(SearchWantedTest, IsNotTriedAgain) {
  options.wanted = [&](const Problem &) { return std::vector{whole}; };
  runOne();
  SearchResult again = runOne();
  EXPECT_TRUE(again.wasChosen);
  EXPECT_EQ(countWhole(), 1);
}

/// No policy proposes a kernel, or a schedule derived from one.
TEST_F(SearchWantedTest, KernelsHaveNoChildren) {
  options.policy = "evolution";
  options.trials = 40;
  options.rewrites = 20;
  options.wanted = [&](const Problem &) { return std::vector{whole}; };
  runOne();
  for (const std::string &text : evaluator.trials())
    EXPECT_EQ(llvm::StringRef(text).contains("whole("), text == toString(whole))
        << text;
}

} // namespace
