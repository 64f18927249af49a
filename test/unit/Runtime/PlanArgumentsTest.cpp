//===- PlanArgumentsTest.cpp - Tests of a plan's arguments ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, the order of a plan, and guards.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/PlanArguments.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

LaunchPlan planOf(const std::string &text) {
  LaunchPlan plan;
  EXPECT_EQ(LaunchPlan::parse(text.c_str(), plan), "");
  return plan;
}

constexpr const char *kTwo = "hone-plan 2\n"
                             "args c ldc sc e0 e0n m group\n"
                             "alternative ldc % 8 == 0\n"
                             "launch first\n"
                             "grid m ; 1 ; 1\n"
                             "block 32 ; 1 ; 1\n"
                             "shared 0\n"
                             "alternative 1\n"
                             "launch second\n"
                             "grid m ; 1 ; 1\n"
                             "block 32 ; 1 ; 1\n"
                             "shared 0\n";

PlanArguments someArguments(int64_t line) {
  PlanArguments arguments;
  arguments.setExtents(/*m=*/3, /*n=*/4, /*k=*/5, /*batch=*/6,
                       /*heads=*/3);
  arguments.setMatrix("c", /*address=*/1024, line,
                      {/*outer=*/100, /*inner=*/9});
  arguments.setOperand(0, /*address=*/2048, {/*outer=*/7, /*inner=*/0},
                       /*alongM=*/6, /*alongN=*/1);
  arguments.set("group", 8);
  return arguments;
}

TEST(PlanArguments, ComeInThePlansOrder) {
  std::vector<int64_t> ordered;
  EXPECT_EQ(someArguments(16).order(planOf(kTwo), ordered), "");
  EXPECT_EQ(ordered, (std::vector<int64_t>{1024, 16, 100, 2048, 1, 3, 8}));
}

TEST(PlanArguments, HaveTwoBatches) {
  LaunchPlan plan;
  plan.args = {"heads", "batch", "sc", "hc", "e0b", "e0h"};
  std::vector<int64_t> ordered;
  EXPECT_EQ(someArguments(16).order(plan, ordered), "");
  EXPECT_EQ(ordered, (std::vector<int64_t>{3, 6, 100, 9, 7, 0}));
}

TEST(PlanArguments, NamesWhatIsUnknown) {
  std::vector<int64_t> ordered;
  PlanArguments none;
  none.setMatrix("c", 0, 0, {});
  EXPECT_EQ(none.order(planOf(kTwo), ordered),
            "expected a plan of known arguments, but got 'e0'");
}

TEST(PlanArguments, ChooseTheFirstWhoseGuardHolds) {
  LaunchPlan plan = planOf(kTwo);
  std::vector<int64_t> ordered;
  EXPECT_EQ(someArguments(16).order(plan, ordered), "");
  EXPECT_EQ(chosenAlternative(plan, ordered)->launches[0].entry, "first");
  EXPECT_EQ(someArguments(17).order(plan, ordered), "");
  EXPECT_EQ(chosenAlternative(plan, ordered)->launches[0].entry, "second");
  plan.alternatives.pop_back();
  EXPECT_EQ(chosenAlternative(plan, ordered), nullptr);
}

} // namespace
