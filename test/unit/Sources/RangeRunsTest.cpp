//===- RangeRunsTest.cpp - Tests of the ranges of a plan ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic program that chooses them is compared with all possible choices.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/RangedSource.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>
#include <set>

using namespace hone;

namespace {

using Prices = std::vector<std::vector<double>>;

/// Candidates with one kernel each.
RangeCandidates distinct(Prices prices) {
  RangeCandidates candidates = {std::move(prices), {}};
  for (size_t one = 0; one < candidates.prices.size(); ++one)
    candidates.kernels.push_back(one);
  return candidates;
}

size_t runsOf(const std::vector<size_t> &choice) {
  size_t runs = 1;
  for (size_t at = 1; at < choice.size(); ++at)
    runs += choice[at] != choice[at - 1];
  return runs;
}

size_t kernelsOf(const std::vector<size_t> &choice,
                 const RangeCandidates &candidates) {
  std::set<size_t> kernels;
  for (size_t one : choice)
    kernels.insert(candidates.kernels[one]);
  return kernels.size();
}

/// The cost of a choice, as RangedSource.h states it.
double costOf(const std::vector<size_t> &choice,
              const RangeCandidates &candidates,
              llvm::ArrayRef<RangePoint> points, const RangeRule &rule) {
  double cost = 0, all = 0;
  for (size_t at = 0; at < points.size(); ++at) {
    double min = INFINITY;
    for (const auto &row : candidates.prices)
      min = std::min(min, row[at]);
    double loss = candidates.prices[choice[at]][at] - min;
    cost += points[at].weight * (loss + rule.convexity * loss * loss);
    all += points[at].weight;
  }
  return cost + all * (rule.gain * double(kernelsOf(choice, candidates)) +
                       rule.turn * double(runsOf(choice) - 1));
}

/// By trying every candidate at every point.
double minCost(const RangeCandidates &candidates,
               llvm::ArrayRef<RangePoint> points, const RangeRule &rule) {
  std::vector<size_t> choice(points.size());
  double min = INFINITY;
  for (;;) {
    if (kernelsOf(choice, candidates) <= rule.max)
      min = std::min(min, costOf(choice, candidates, points, rule));
    size_t at = 0;
    while (at < choice.size() && ++choice[at] == candidates.prices.size())
      choice[at++] = 0;
    if (at == choice.size())
      return min;
  }
}

/// The candidate of each point.
std::vector<size_t> choiceOf(llvm::ArrayRef<RangeRun> runs) {
  std::vector<size_t> choice;
  for (const RangeRun &run : runs)
    choice.resize(run.end, run.candidate);
  return choice;
}

TEST(RangeRuns, AreTheBestThereAre) {
  std::mt19937 random(1);
  auto draw = [&] { return double(random() % 1000) / 500; };
  for (int round = 0; round < 60; ++round) {
    Prices prices(2 + random() % 3);
    std::vector<RangePoint> points;
    for (int64_t at = 1; at <= 6; ++at)
      points.push_back({at, 0.1 + draw()});
    for (auto &row : prices)
      for (size_t at = 0; at < points.size(); ++at)
        row.push_back(draw());
    RangeCandidates candidates = distinct(std::move(prices));
    candidates.kernels.back() = random() % 2 ? 0 : candidates.kernels.back();
    RangeRule rule;
    rule.max = 1 + random() % 4;
    rule.gain = draw() / 20;
    rule.turn = draw() / 40;
    rule.convexity = draw();
    std::vector<RangeRun> runs = chooseRuns(candidates, points, rule);
    std::vector<size_t> choice = choiceOf(runs);
    ASSERT_EQ(choice.size(), points.size());
    EXPECT_LE(kernelsOf(choice, candidates), rule.max);
    EXPECT_EQ(runsOf(choice), runs.size());
    EXPECT_NEAR(costOf(choice, candidates, points, rule),
                minCost(candidates, points, rule), 1e-9);
  }
}

TEST(RangeRuns, OneMoreHasToGain) {
  RangeCandidates candidates = distinct({{0, 0, 0.01}, {1, 1, 0}});
  std::vector<RangePoint> points = {{1, 1}, {2, 1}, {3, 1}};
  RangeRule rule;
  rule.gain = 0.002;
  EXPECT_EQ(chooseRuns(candidates, points, rule).size(), 2u);
  rule.gain = 0.02;
  EXPECT_EQ(chooseRuns(candidates, points, rule).size(), 1u);
  EXPECT_TRUE(chooseRuns({}, points, rule).empty());
}

/// Two tiles of 64 suit 128 rows, and four of them 256.
TEST(RangeRuns, AKernelMayServeSeveral) {
  RangeCandidates candidates = distinct({{0, 1, 0}, {1, 0, 1}});
  std::vector<RangePoint> points = {{1, 1}, {2, 1}, {3, 1}};
  RangeRule rule;
  rule.max = 2;
  EXPECT_EQ(choiceOf(chooseRuns(candidates, points, rule)),
            (std::vector<size_t>{0, 1, 0}));
  rule.turn = 1;
  EXPECT_EQ(chooseRuns(candidates, points, rule).size(), 1u);
}

TEST(RangeRuns, AreAsManyAsAPlanMayHave) {
  RangeCandidates candidates = distinct(Prices(2));
  std::vector<RangePoint> points;
  for (int64_t at = 1; at <= 100; ++at) {
    points.push_back({at, 1});
    candidates.prices[at % 2].push_back(0);
    candidates.prices[1 - at % 2].push_back(1 + 0.001 * double(at));
  }
  std::vector<RangeRun> runs = chooseRuns(candidates, points, {});
  // The dropped ranges are the cheapest, and no more than necessary.
  EXPECT_GE(runs.size(), ScheduleRanges::maxRanges);
  EXPECT_LE(runs.size(), ScheduleRanges::maxRanges + 1);
}

} // namespace
