//===- AscentTest.cpp - Tests of ascents by a judge -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The judge prefers a property that the cost model ignores. The ascent must
// find the judge's best schedule, keep the laws, and give the same result every
// time.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Ascent.h"
#include "../Search/Fixtures.h"
#include "hone/Schedule/Kind.h"
#include "hone/Space/CostModel.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

/// The cost model, and a factor of e for every doubling of slots above four, or
/// halving of these.
std::vector<double> prefersFourSlots(const Problem &problem,
                                     llvm::ArrayRef<Schedule> schedules) {
  std::vector<double> said;
  for (const Schedule &schedule : schedules) {
    double stages = double(blockFacts(problem, schedule).stages);
    said.push_back(std::log(estimateSeconds(problem, h200(), schedule)) +
                   std::abs(std::log2(stages / 4)));
  }
  return said;
}

class AscentTest : public testing::Test {
protected:
  const Problem problem = problemOf(1000, 768, 3072);
  std::vector<Schedule> start = {llvm::cantFail(
      parseSchedule("ws, persistent = no, tile = 64x64x64, consumers = 1x1, "
                    "stages = 11"))};

  std::vector<Schedule> found(const detail::AscentOptions &options = {}) {
    return detail::ascent(
        start,
        [&](llvm::ArrayRef<Schedule> some) {
          return prefersFourSlots(problem, some);
        },
        problem, h200(), options);
  }
};

TEST_F(AscentTest, FindsTheJudgesFavourite) {
  std::vector<Schedule> all = found();
  ASSERT_FALSE(all.empty());
  std::vector<double> said = prefersFourSlots(problem, all);
  const Schedule &best = all[llvm::min_element(said) - said.begin()];
  EXPECT_EQ(blockFacts(problem, best).stages, 4);
  EXPECT_LT(*llvm::min_element(said),
            prefersFourSlots(problem, start).front() - 0.1);
}

TEST_F(AscentTest, WhatItFindsIsNewLegalAndAsBuilt) {
  for (const Schedule &one : found()) {
    EXPECT_FALSE(one == start.front());
    EXPECT_FALSE(check(one, &problem, nullptr)) << toString(one);
    EXPECT_FALSE(checkMemory(one, problem)) << toString(one);
    EXPECT_TRUE(one.rewrites().empty()) << toString(one);
  }
}

TEST_F(AscentTest, LooksAroundAsOftenAsItMay) {
  detail::AscentOptions one;
  one.max = 1;
  EXPECT_LT(found(one).size(), found().size());
  one.max = 0;
  EXPECT_TRUE(found(one).empty());
  std::vector<Schedule> first = found(), second = found();
  EXPECT_TRUE(first == second);
}

} // namespace
