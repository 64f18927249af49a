//===- CostModelTest.cpp - What the estimate must get right ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The estimate is not a measurement, but it grows with the work, and no
// schedule beats the roofline or is free.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostModel.h"
#include "hone/Search/Catalogue.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Problem square(int64_t extent) {
  Problem problem;
  problem.m = problem.n = problem.k = extent;
  return problem;
}

Arch h200() { return llvm::cantFail(Arch::lookup("h200")); }

TEST(CostModel, IsAboveTheRoofline) {
  for (int64_t extent : {64, 1000, 4096, 16384}) {
    Problem problem = square(extent);
    for (const Schedule &schedule : catalogue(problem, h200()))
      EXPECT_GT(estimateSeconds(problem, h200(), schedule),
                rooflineSeconds(problem, h200()))
          << extent << ": " << toString(schedule);
  }
}

TEST(CostModel, GrowsWithTheWork) {
  for (const Schedule &schedule : catalogue(square(4096), h200()))
    for (int64_t extent = 64; extent < 8192; extent *= 2)
      EXPECT_LE(estimateSeconds(square(extent), h200(), schedule),
                estimateSeconds(square(2 * extent), h200(), schedule))
          << extent << ": " << toString(schedule);
}

/// A tile of which one processor gets two and the others one costs two.
TEST(CostModel, CountsWholeWaves) {
  MmaSync knobs;
  knobs.tile = {128, 128, 32};
  Problem one = square(4096), two = square(4096);
  one.m = 132 * 128;
  two.m = 133 * 128;
  one.n = two.n = 128;
  double ratio =
      estimateSeconds(two, h200(), knobs) / estimateSeconds(one, h200(), knobs);
  EXPECT_GT(ratio, 1.4);
}

/// A family without facts of its own is taken for its tile.
TEST(CostModel, TakesAnyFamily) {
  Host knobs;
  knobs.tile = {192, 256, 64};
  BlockFacts facts = blockFacts(square(4096), h200(), knobs);
  EXPECT_EQ(facts.tile, knobs.tile);
  EXPECT_GT(estimateSeconds(square(4096), h200(), knobs), 0);
}

/// The clock scales what happens on the chip.
TEST(CostModel, HasCoefficients) {
  CostCoefficients slow;
  // So slow that it is the clock that limits, and not power.
  slow.clockFraction /= 4;
  Schedule schedule = defaultSchedule(square(4096), h200());
  EXPECT_GT(estimateSeconds(square(4096), h200(), schedule, slow),
            2 * estimateSeconds(square(4096), h200(), schedule));
}

} // namespace
