//===- Objective.cpp - Training objectives of a policy --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Objective.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Objective.h"
#include "hone/Space/Ascending.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace hone;
using llvm::ArrayRef;

std::vector<double> hone::softmaxOf(ArrayRef<double> logits) {
  std::vector<double> parts;
  double max = *std::max_element(logits.begin(), logits.end()), sum = 0;
  for (double logit : logits) {
    parts.push_back(std::exp(logit - max));
    sum += parts.back();
  }
  for (double &part : parts)
    part /= sum;
  return parts;
}

/// Converts a gradient by probabilities into one by logits.
static std::vector<double> throughSoftmax(ArrayRef<double> probabilities,
                                          ArrayRef<double> by) {
  double mean = 0;
  for (auto [probability, slope] : llvm::zip_equal(probabilities, by))
    mean += probability * slope;
  std::vector<double> gradient;
  for (auto [probability, slope] : llvm::zip_equal(probabilities, by))
    gradient.push_back(probability * (slope - mean));
  return gradient;
}

Valued hone::expectedBest(ArrayRef<double> logits, ArrayRef<double> rewards,
                          int64_t draws) {
  std::vector<double> probabilities = softmaxOf(logits);
  std::vector<size_t> order = ascending(rewards);
  Valued result;
  std::vector<double> by(logits.size());
  double below = 0;
  // Summation by parts: each step up in reward times the probability of
  // reaching it.
  result.value = rewards[order.front()];
  std::vector<double> slopes; // by the probability of a draw below each step
  for (size_t at = 1; at < order.size(); ++at) {
    below = std::min(below + probabilities[order[at - 1]], 1.0);
    double step = rewards[order[at]] - rewards[order[at - 1]];
    result.value += step * (1 - std::pow(below, draws));
    slopes.push_back(-step * draws * std::pow(below, draws - 1));
  }
  double slope = 0;
  for (size_t at = order.size(); at-- > 0;) {
    if (at + 1 < order.size())
      slope += slopes[at];
    by[order[at]] = slope;
  }
  result.gradient = throughSoftmax(probabilities, by);
  return result;
}

Valued hone::crossEntropy(ArrayRef<double> logits, ArrayRef<double> target) {
  std::vector<double> probabilities = softmaxOf(logits);
  double max = *std::max_element(logits.begin(), logits.end()), sum = 0;
  for (double logit : logits)
    sum += std::exp(logit - max);
  Valued result;
  for (auto [logit, probability, wanted] :
       llvm::zip_equal(logits, probabilities, target)) {
    result.value -= wanted * (logit - max - std::log(sum));
    result.gradient.push_back(probability - wanted);
  }
  return result;
}

Valued hone::divergence(ArrayRef<double> logits, ArrayRef<double> others) {
  std::vector<double> probabilities = softmaxOf(logits);
  std::vector<double> prior = softmaxOf(others);
  Valued result;
  std::vector<double> by;
  constexpr double kMin = 1e-30;
  for (auto [probability, other] : llvm::zip_equal(probabilities, prior)) {
    double ratio =
        std::log(std::max(probability, kMin)) - std::log(std::max(other, kMin));
    result.value += probability * ratio;
    by.push_back(ratio);
  }
  result.gradient = throughSoftmax(probabilities, by);
  return result;
}

std::vector<double> hone::leaveOneOut(ArrayRef<double> rewards, int64_t draws) {
  std::vector<size_t> order = ascending(rewards);
  std::vector<double> advantages(rewards.size());
  int64_t count = rewards.size();
  draws = std::min(draws, count);
  if (count < 2)
    return advantages;
  if (draws == 1) {
    double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
    for (auto [advantage, reward] : llvm::zip_equal(advantages, rewards))
      advantage = reward - (sum - reward) / double(count - 1);
    return advantages;
  }
  // The odds that the best of a draw's draws - 1 companions, any of the others,
  // is the one at place `j` of the order: C(j, draws-2) / C(count-1, draws-1).
  auto odds = [&](int64_t j) {
    double value = double(draws - 1) / double(count - 1);
    for (int64_t d = 0; d < draws - 2; ++d)
      value *= double(j - d) / double(count - 2 - d);
    return value;
  };
  // A draw improves a group only where it is better than all its companions.
  for (int64_t place = 0; place < count; ++place)
    for (int64_t j = draws - 2; j < place; ++j)
      advantages[order[place]] +=
          odds(j) * (rewards[order[place]] - rewards[order[j]]);
  return advantages;
}

std::vector<double> hone::groupRelative(ArrayRef<double> rewards) {
  double mean = 0, squares = 0;
  for (double reward : rewards)
    mean += reward / rewards.size();
  for (double reward : rewards)
    squares += (reward - mean) * (reward - mean) / rewards.size();
  constexpr double kMin = 1e-6;
  std::vector<double> advantages;
  for (double reward : rewards)
    advantages.push_back((reward - mean) / (std::sqrt(squares) + kMin));
  return advantages;
}
