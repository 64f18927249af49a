//===- ObjectiveTest.cpp - Tests of the training objectives ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expectations are enumerated, draw by draw; gradients are compared with small
// steps; and estimators of a gradient are unbiased.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Objective.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

using namespace hone;

namespace {

using Numbers = std::vector<double>;

const Numbers kLogits = {0.3, -1.2, 0.9, 0.1};
const Numbers kRewards[] = {{0.2, 0.9, 0.5, 1.0},
                            {1, 1, 1, 1},
                            {0.5, -0.3, 0.5, -0.3},
                            {-3, 8, 2, -0.1}};

/// Calls `visit` with every sequence of `draws` places.
void enumerate(size_t places, int64_t draws,
               const std::function<void(const std::vector<size_t> &)> &visit) {
  std::vector<size_t> drawn(draws);
  for (;;) {
    visit(drawn);
    size_t at = 0;
    while (at < drawn.size() && ++drawn[at] == places)
      drawn[at++] = 0;
    if (at == drawn.size())
      return;
  }
}

double bestOf(const std::vector<size_t> &drawn, const Numbers &rewards) {
  double best = -1e9;
  for (size_t at : drawn)
    best = std::max(best, rewards[at]);
  return best;
}

double oddsOf(const std::vector<size_t> &drawn, const Numbers &probabilities) {
  double odds = 1;
  for (size_t at : drawn)
    odds *= probabilities[at];
  return odds;
}

void expectGradient(const std::function<Valued(const Numbers &)> &function,
                    const Numbers &logits) {
  Valued exact = function(logits);
  ASSERT_EQ(exact.gradient.size(), logits.size());
  constexpr double kStep = 1e-5;
  for (size_t at = 0; at < logits.size(); ++at) {
    Numbers more = logits, less = logits;
    more[at] += kStep;
    less[at] -= kStep;
    double slope = (function(more).value - function(less).value) / (2 * kStep);
    EXPECT_NEAR(exact.gradient[at], slope, 1e-8 + 1e-6 * std::abs(slope))
        << "by logit " << at;
  }
}

TEST(Objective, SoftmaxIsADistribution) {
  Numbers odds = softmaxOf({1000, 1001, -1e9});
  EXPECT_NEAR(odds[0], 1 / (1 + std::exp(1.0)), 1e-12);
  EXPECT_NEAR(odds[0] + odds[1], 1, 1e-12);
  EXPECT_EQ(odds[2], 0);
}

TEST(Objective, ExpectedBestIsThatOfAllDraws) {
  Numbers probabilities = softmaxOf(kLogits);
  for (const Numbers &rewards : kRewards)
    for (int64_t draws = 1; draws <= 4; ++draws) {
      double sum = 0;
      enumerate(4, draws, [&](const std::vector<size_t> &drawn) {
        sum += oddsOf(drawn, probabilities) * bestOf(drawn, rewards);
      });
      EXPECT_NEAR(expectedBest(kLogits, rewards, draws).value, sum, 1e-12)
          << draws << " draws";
    }
}

TEST(Objective, ExpectedBestOfManyIsTheBest) {
  EXPECT_NEAR(expectedBest(kLogits, kRewards[0], 400).value, 1, 1e-9);
  EXPECT_EQ(expectedBest({5}, {0.25}, 3).value, 0.25);
  EXPECT_EQ(expectedBest({5}, {0.25}, 3).gradient, Numbers{0});
}

TEST(Objective, GradientsAreWhatSmallStepsDo) {
  for (const Numbers &rewards : kRewards)
    for (int64_t draws : {1, 2, 3, 4, 8})
      expectGradient(
          [&](const Numbers &logits) {
            return expectedBest(logits, rewards, draws);
          },
          kLogits);
  Numbers target = softmaxOf({2, 0.5, -1, 0});
  expectGradient(
      [&](const Numbers &logits) { return crossEntropy(logits, target); },
      kLogits);
  Numbers others = {1, -1, 0.5, 3};
  expectGradient(
      [&](const Numbers &logits) { return divergence(logits, others); },
      kLogits);
}

TEST(Objective, CrossEntropyIsSmallestAtItsTarget) {
  Numbers target = softmaxOf(kLogits);
  Valued there = crossEntropy(kLogits, target);
  double entropy = 0;
  for (double part : target)
    entropy -= part * std::log(part);
  EXPECT_NEAR(there.value, entropy, 1e-12);
  for (double slope : there.gradient)
    EXPECT_NEAR(slope, 0, 1e-12);
  EXPECT_GT(crossEntropy({0, 0, 0, 0}, target).value, entropy);
}

TEST(Objective, DivergenceIsNothingFromItself) {
  Numbers shifted = kLogits;
  for (double &logit : shifted)
    logit += 7;
  EXPECT_NEAR(divergence(kLogits, shifted).value, 0, 1e-12);
  EXPECT_GT(divergence(kLogits, {0, 0, 0, 0}).value, 0.01);
  // A tiny probability must not give an infinity.
  Valued far = divergence({0, -2000}, {-2000, 0});
  EXPECT_TRUE(std::isfinite(far.value));
  for (double slope : far.gradient)
    EXPECT_TRUE(std::isfinite(slope));
}

/// By the definition: the mean over all groups with `at`.
double owedTo(size_t at, const Numbers &rewards, int64_t draws) {
  double sum = 0;
  int64_t groups = 0;
  size_t count = rewards.size();
  for (uint64_t set = 0; set < uint64_t(1) << count; ++set) {
    if (!(set >> at & 1) || __builtin_popcountll(set) != draws)
      continue;
    double with = -1e9, without = -1e9;
    for (size_t other = 0; other < count; ++other)
      if (set >> other & 1) {
        with = std::max(with, rewards[other]);
        if (other != at)
          without = std::max(without, rewards[other]);
      }
    sum += with - without;
    ++groups;
  }
  return sum / double(groups);
}

TEST(Objective, LeaveOneOutIsTheMeanOverGroups) {
  std::mt19937_64 dice(1);
  for (size_t count = 2; count <= 9; ++count) {
    Numbers rewards;
    for (size_t at = 0; at < count; ++at)
      rewards.push_back(double(dice() % 7) / 7 - 0.3); // some are alike
    for (int64_t draws = 2; draws <= int64_t(count); ++draws) {
      Numbers owed = leaveOneOut(rewards, draws);
      ASSERT_EQ(owed.size(), count);
      for (size_t at = 0; at < count; ++at)
        EXPECT_NEAR(owed[at], owedTo(at, rewards, draws), 1e-12)
            << "best of " << draws << " of " << count << " at " << at;
    }
    // A group larger than the number of draws is the group of all.
    EXPECT_EQ(leaveOneOut(rewards, 100), leaveOneOut(rewards, count));
  }
}

TEST(Objective, LeaveOneOutOfOneDrawIsAheadOfTheOthers) {
  Numbers owed = leaveOneOut({1, 2, 6}, 1);
  EXPECT_NEAR(owed[0], 1 - 4, 1e-12);
  EXPECT_NEAR(owed[1], 2 - 3.5, 1e-12);
  EXPECT_NEAR(owed[2], 6 - 1.5, 1e-12);
  EXPECT_EQ(leaveOneOut({3}, 4), Numbers{0});
  EXPECT_EQ(leaveOneOut({3}, 1), Numbers{0});
}

/// The expected gradient of the estimator, over all groups of draws.
Numbers estimatedGradient(const Numbers &logits, const Numbers &rewards,
                          int64_t draws, int64_t bestOf) {
  Numbers probabilities = softmaxOf(logits), mean(logits.size());
  enumerate(logits.size(), draws, [&](const std::vector<size_t> &drawn) {
    Numbers got;
    for (size_t at : drawn)
      got.push_back(rewards[at]);
    Numbers owed = leaveOneOut(got, bestOf);
    double odds = oddsOf(drawn, probabilities);
    for (size_t draw = 0; draw < drawn.size(); ++draw)
      for (size_t at = 0; at < logits.size(); ++at) {
        double score = double(drawn[draw] == at) - probabilities[at];
        // A draw is in bestOf of `draws` parts of the groups.
        mean[at] += odds * owed[draw] * score * double(bestOf) / double(draws);
      }
  });
  return mean;
}

TEST(Objective, LeaveOneOutEstimatesTheExactGradient) {
  for (const Numbers &rewards : kRewards)
    for (auto [draws, bestOf] : {std::pair<int64_t, int64_t>{2, 1},
                                 {4, 1},
                                 {2, 2},
                                 {4, 2},
                                 {3, 3},
                                 {5, 3},
                                 {5, 4}}) {
      Numbers mean = estimatedGradient(kLogits, rewards, draws, bestOf);
      Valued exact = expectedBest(kLogits, rewards, bestOf);
      for (size_t at = 0; at < mean.size(); ++at)
        EXPECT_NEAR(mean[at], exact.gradient[at], 1e-10)
            << "best of " << bestOf << " of " << draws << " draws at " << at;
    }
}

TEST(Objective, GroupRelativeHasNoMeanAndUnitSpread) {
  for (const Numbers &rewards : kRewards) {
    Numbers given = groupRelative(rewards);
    EXPECT_NEAR(std::accumulate(given.begin(), given.end(), 0.0), 0, 1e-9);
    double squares = 0;
    for (double one : given)
      squares += one * one / double(given.size());
    bool areAlike = rewards == kRewards[1];
    EXPECT_NEAR(squares, areAlike ? 0 : 1, 1e-4);
  }
}

} // namespace
