//===- LearnedSourceTest.cpp - Tests of estimated choices -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The relations between a build's choice, its best tiles and a climb. How fast
// the choices are is measured by hone-lab.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/LearnedSource.h"
#include "../Search/Fixtures.h"
#include "hone/Space/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using hone::test::h200;

namespace {

Problem withRows(int64_t m) {
  Problem problem;
  problem.m = m;
  problem.n = 200;
  problem.k = 104;
  return problem;
}

TEST(PreferredTiles, AreDistinctAndBeginWithTheChoice) {
  const Problem problem = withRows(300);
  const Model &model = Model::shipped();
  std::vector<Schedule> tiles = preferredTiles(model, problem, h200(), 5);
  ASSERT_EQ(tiles.size(), 5u);
  EXPECT_EQ(toString(tiles.front()),
            toString(*preferredSchedule(model, problem, h200())));
  std::set<Tile> distinct;
  for (const Schedule &schedule : tiles)
    distinct.insert(tileOf(problem, schedule));
  EXPECT_EQ(distinct.size(), tiles.size());
  std::vector<double> prices = judgedPrices(model, problem, h200(), tiles);
  EXPECT_TRUE(llvm::is_sorted(prices));
}

TEST(PreferredTiles, AreNoneForAnUnknownExtent) {
  EXPECT_TRUE(
      preferredTiles(Model::shipped(), withRows(kDynamic), h200(), 5).empty());
}

TEST(ClimbedSchedule, IsNoWorseThanItsStarts) {
  const Problem problem = withRows(300);
  const Model &model = Model::shipped();
  std::vector<Schedule> starts = preferredTiles(model, problem, h200(), 5);
  starts.erase(starts.begin());
  std::optional<Schedule> climbed =
      climbedSchedule(model, problem, h200(), starts);
  ASSERT_TRUE(climbed);
  std::vector<double> prices = judgedPrices(
      model, problem, h200(), {*climbed, starts.front(), starts.back()});
  EXPECT_LE(prices[0], prices[1]);
  EXPECT_LE(prices[0], prices[2]);
  EXPECT_FALSE(climbedSchedule(model, problem, h200(), {}));
}

} // namespace
