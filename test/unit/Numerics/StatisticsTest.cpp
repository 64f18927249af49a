//===- StatisticsTest.cpp - Medians and ratios ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantiles of known samples, and the coverage of intervals.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Statistics.h"
#include "hone/Numerics/Measurement.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace hone;

namespace {

using Groups = std::vector<std::vector<double>>;

TEST(Quantiles, OfKnownSamples) {
  Quantiles result = quantiles({5, 1, 3, 2, 4});
  EXPECT_DOUBLE_EQ(result.median, 3);
  EXPECT_DOUBLE_EQ(result.p10, 1.4);
  EXPECT_DOUBLE_EQ(result.p90, 4.6);
  EXPECT_EQ(result.samples, 5);
  EXPECT_EQ(quantiles({}).samples, 0);
}

TEST(RatioOf, IsTheGeometricMeanOfRounds) {
  Ratio ratio = ratioOf({2, 8}, {1, 1});
  EXPECT_DOUBLE_EQ(ratio.value, 4);
  EXPECT_LT(ratio.low, 2);
  EXPECT_GT(ratio.high, 8);
}

/// A slowdown of both sides of a round does not widen the interval.
TEST(RatioOf, ComparesRoundByRound) {
  Ratio ratio = ratioOf({2, 4, 8, 16, 32}, {1, 2, 4, 8, 16});
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 2);
}

TEST(RatioOf, OneRoundDecidesLittle) {
  Ratio one = ratioOf({3}, {2});
  EXPECT_DOUBLE_EQ(one.value, 1.5);
  EXPECT_EQ(one.low, 0);
  EXPECT_TRUE(std::isinf(one.high));
  EXPECT_EQ(ratioOf({}, {}).value, 0);
}

/// Of a thousand intervals about 950 contain the true value.
TEST(RatioOf, IntervalHoldsTheTruth) {
  for (size_t rounds : {5, 7, 25}) {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.02);
    int held = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      std::vector<double> theirs, ours;
      for (size_t i = 0; i < rounds; ++i) {
        theirs.push_back(1.1 * std::exp(noise(random)));
        ours.push_back(std::exp(noise(random)));
      }
      Ratio ratio = ratioOf(theirs, ours);
      held += ratio.low <= 1.1 && 1.1 <= ratio.high;
    }
    EXPECT_GT(held, 925) << rounds;
    EXPECT_LT(held, 975) << rounds;
  }
}

TEST(GeometricMean, WeighsGroupsAlike) {
  Ratio mean = geometricMean(Groups{{0.5, 0.5, 0.5}, {2}, {}});
  EXPECT_DOUBLE_EQ(mean.value, 1);
  EXPECT_EQ(mean.low, 0.5);
  EXPECT_EQ(mean.high, 2);
  EXPECT_EQ(geometricMean(Groups{}).value, 0);
  EXPECT_EQ(geometricMean(std::vector<double>()), 0);
  EXPECT_DOUBLE_EQ(geometricMean(std::vector<double>{0.5, 8}), 2);
  EXPECT_EQ(geometricMean(Groups{{}}).high, 0);
}

/// Many searches of one problem give no information on other problems.
TEST(GeometricMean, OneGroupHasABandOfNoWidth) {
  Ratio mean = geometricMean(Groups{{0.7, 0.9, 0.8}});
  EXPECT_NEAR(mean.value, std::cbrt(0.7 * 0.9 * 0.8), 1e-12);
  EXPECT_EQ(mean.low, mean.value);
  EXPECT_EQ(mean.high, mean.value);
}

TEST(GeometricMean, IsTheSameAgainAndInItsBand) {
  std::mt19937 random(1);
  std::vector<std::vector<double>> groups;
  for (size_t count = 1; count < 40; ++count) {
    groups.push_back({1.0 / (1 + random() % 7), 1});
    Ratio one = geometricMean(groups, 3), two = geometricMean(groups, 3);
    EXPECT_EQ(one.low, two.low);
    EXPECT_EQ(one.high, two.high);
    EXPECT_LE(one.low, one.value);
    EXPECT_LE(one.value, one.high);
  }
  EXPECT_NE(geometricMean(groups, 3).low, geometricMean(groups, 4).low);
}

/// Of 400 bands about 380 contain the true value, with any seeds of a problem.
TEST(GeometricMean, BandHoldsTheTruth) {
  std::mt19937 random(1);
  std::normal_distribution<double> problem(0, 0.1), noise(0, 0.01);
  int held = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::vector<double>> groups(60);
    for (std::vector<double> &group : groups) {
      double here = problem(random);
      for (int seed = 0; seed < 5; ++seed)
        group.push_back(std::exp(here + noise(random)));
    }
    Ratio mean = geometricMean(groups, trial, 400);
    held += mean.low <= 1 && 1 <= mean.high;
  }
  EXPECT_GT(held, 365);
  EXPECT_LT(held, 394);
}

using Who = std::vector<size_t>;

TEST(NextRound, GoesOnWhileTheFastestIsUncertain) {
  std::vector<double> fast = {1.00, 1.01, 0.99, 1.00, 1.00};
  std::vector<double> slow = {1.10, 1.11, 1.09, 1.10, 1.10};
  std::vector<double> close = {1.001, 1.009, 0.991, 1.002, 1.000};
  std::vector<double> noisy = {0.90, 1.30, 0.95, 1.20, 1.10};
  EXPECT_EQ(nextRound({fast}, 5, 9), Who());
  EXPECT_EQ(nextRound({slow, fast}, 5, 9), Who());
  EXPECT_EQ(nextRound({close, slow, fast}, 5, 9), Who());
  EXPECT_EQ(nextRound({fast, noisy}, 5, 9), Who({0, 1}));
  EXPECT_EQ(nextRound({fast, noisy}, 5, 5), Who());
  EXPECT_EQ(nextRound({{1.0}, {1.1}}, 1, 2), Who({0, 1})); // one is too few
}

TEST(NextRound, DropsThoseThatCannotWin) {
  std::vector<double> fast = {1.00, 1.01, 0.99}, slow = {1.10, 1.11, 1.09},
                      noisy = {1.20, 0.95, 1.30}, twice = {1.2, 1.2, 1.0};
  // The first stays, because all others are compared with it.
  EXPECT_EQ(nextRound({slow, fast, slow, noisy}, 3, 9), Who({0, 1, 3}));
  EXPECT_EQ(nextRound({slow, slow, fast, twice}, 9, 36), Who({0, 2, 3}));
  EXPECT_EQ(nextRound({{1.0, 1.0}, {2.0, 2.0}}, 9, 36), Who({0, 1}));
  // None is dropped where the times of all are wanted.
  EXPECT_EQ(nextRound({fast, slow}, 9, 0), Who({0, 1}));
  EXPECT_EQ(nextRound({fast, slow}, 9, 9), Who({0, 1}));
  EXPECT_EQ(nextRound({{}, {}}, 9, 36), Who({0, 1}));
}

TEST(NextRound, DroppedOnesStayAway) {
  std::vector<double> left = {0.9, 1.2, 1.1}, here = {1.0, 1.1, 1.0, 1.0},
                      other = {1.0, 1.0, 1.1, 1.02};
  EXPECT_EQ(nextRound({here, left, other}, 3, 9), Who({0, 2}));
  // The early rounds do not count, although the chip was faster then.
  EXPECT_EQ(nextRound({here, {0.5, 0.5, 0.5}, other}, 3, 9), Who({0, 2}));
}

} // namespace
