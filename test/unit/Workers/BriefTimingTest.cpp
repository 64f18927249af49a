//===- BriefTimingTest.cpp - Tests of the warm-up of a chip's clock -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/BriefTiming.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

Warmth::Clock::time_point after(double seconds) {
  return Warmth::Clock::time_point(
      std::chrono::duration_cast<Warmth::Clock::duration>(
          std::chrono::duration<double>(100 + seconds)));
}

TEST(Warmth, AChipThatHasRestedLacksAll) {
  Warmth warmth;
  EXPECT_DOUBLE_EQ(warmth.missing(after(0)), Warmth::kEnough);
  warmth.add(0.03, after(0));
  EXPECT_NEAR(warmth.missing(after(0)), Warmth::kEnough - 0.03, 1e-9);
  EXPECT_DOUBLE_EQ(warmth.missing(after(1)), Warmth::kEnough);
}

TEST(Warmth, RestTakesAwayAsMuchAsLoadAdds) {
  Warmth warmth;
  warmth.add(0.03, after(0));
  EXPECT_NEAR(warmth.missing(after(0.01)), Warmth::kEnough - 0.02, 1e-9);
  // 5 ms of rest, and 15 of load.
  warmth.add(0.015, after(0.02));
  EXPECT_NEAR(warmth.missing(after(0.02)), 0, 1e-9);
}

TEST(Warmth, MoreLoadThanEnoughIsNotRemembered) {
  Warmth warmth;
  warmth.add(10, after(0));
  EXPECT_DOUBLE_EQ(warmth.missing(after(0)), 0);
  EXPECT_NEAR(warmth.missing(after(0.01)), 0.01, 1e-9);
}

} // namespace
