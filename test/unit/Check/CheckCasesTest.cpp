//===- CheckCasesTest.cpp - Tests of the cases of hone check --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variants of each pair of types. A variant that does not fit a type would
// report a false failure, or compare nothing.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckPlan.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace hone;

namespace {

/// Cases of each variant.
std::map<std::string, size_t> variantsOf(ElementType in, ElementType out,
                                         size_t repeats = 0,
                                         const Numbers &numbers = {}) {
  CheckPlan plan;
  Problem problem;
  problem.a.type = problem.b.type = in;
  problem.b.order = Order::col;
  problem.acc = accumulatorOf(in);
  problem.c = out;
  problem.numbers = numbers;
  plan.extents = {17, 129};
  plan.problems = {{problem, {Schedule(WarpSpecialized::kind())}}};
  plan.repeats = repeats;
  std::map<std::string, size_t> counts;
  for (const CheckGroup &group : makeGroups(plan))
    for (const CheckCase &one : group.cases)
      ++counts[group.variantOf(one).str()];
  return counts;
}

TEST(CheckCases, FloatsHaveEveryVariantButThoseOfBytes) {
  std::map<std::string, size_t> counts =
      variantsOf(ElementType::f16, ElementType::f16);
  EXPECT_EQ(counts["plain"], 8u);
  EXPECT_EQ(counts["init(read)"], 9u);
  EXPECT_EQ(counts["bias+relu"], 9u);
  EXPECT_EQ(counts["chain"], 2u);
  EXPECT_EQ(counts.count("requantized"), 0u);
}

TEST(CheckCases, AChainNeedsResultsThatAreFactors) {
  std::map<std::string, size_t> counts =
      variantsOf(ElementType::e4m3, ElementType::f32);
  EXPECT_EQ(counts["plain"], 8u);
  EXPECT_EQ(counts.count("chain"), 0u);
  EXPECT_EQ(counts.count("requantized"), 0u);
}

TEST(CheckCases, SumsOfIntegersHaveNoEpiloguesOfFloats) {
  std::map<std::string, size_t> counts =
      variantsOf(ElementType::i8, ElementType::i32);
  EXPECT_EQ(counts["init(read)"], 9u);
  EXPECT_EQ(counts.count("bias+relu"), 0u);
  EXPECT_EQ(counts.count("requantized"), 0u);
}

TEST(CheckCases, BytesAreWhatAnEpilogueMakes) {
  std::map<std::string, size_t> counts =
      variantsOf(ElementType::i8, ElementType::i8);
  EXPECT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts["requantized"], 8u);
}

TEST(CheckCases, RepeatsAreOfPlainProducts) {
  std::map<std::string, size_t> counts =
      variantsOf(ElementType::f16, ElementType::f16, /*repeats=*/3);
  EXPECT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts["plain"], 8u);
}

TEST(CheckCases, BitsOfSchedulesAreOfPlainProducts) {
  auto numbers = Numbers::parse("invariant");
  ASSERT_TRUE(bool(numbers));
  std::map<std::string, size_t> counts =
      variantsOf(ElementType::f16, ElementType::f16, /*repeats=*/0, *numbers);
  EXPECT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts["plain"], 8u);
}

TEST(CheckPlan, DrawnSchedulesKeepTheLawsOfTheirProblem) {
  CheckOptions options;
  options.kind = "all";
  options.arch = "h100";
  options.types = "tf32x3:f32";
  options.schedules = "drawn:20";
  options.numbers = "invariant";
  llvm::Expected<CheckPlan> plan = readCheckPlan(options);
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  ASSERT_EQ(plan->problems.size(), 4u);
  for (const CheckPlan::ProblemSchedules &each : plan->problems) {
    EXPECT_EQ(each.schedules.size(), 20u);
    std::set<std::string> texts;
    for (const Schedule &schedule : each.schedules) {
      EXPECT_FALSE(check(schedule, &each.problem, &plan->arch));
      texts.insert(toString(schedule));
    }
    EXPECT_EQ(texts.size(), each.schedules.size());
  }
  options.schedules = "drawn:0";
  EXPECT_EQ(llvm::toString(readCheckPlan(options).takeError()),
            "expected a number of schedules after 'drawn:', but got '0'; use "
            "drawn:100");
}

} // namespace
