//===- Statistics.cpp - A median and its spread ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantiles between two samples are interpolated.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Statistics.h"
#include "hone/Numerics/Measurement.h"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

using namespace hone;

Quantiles hone::quantiles(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  auto at = [&](double fraction) {
    double position = fraction * (samples.size() - 1);
    size_t below = static_cast<size_t>(position);
    size_t above = std::min(below + 1, samples.size() - 1);
    double rest = position - below;
    // Equal samples give exactly their value, so quantiles keep their order.
    return samples[below] + (samples[above] - samples[below]) * rest;
  };
  return {at(0.5), at(0.1), at(0.9), int64_t(samples.size())};
}

/// Half the width of the 95 % interval of a mean of `count` values, in units of
/// their standard error.
static double studentFactor(size_t count) {
  constexpr double kByFreedom[] = {12.71, 4.303, 3.182, 2.776, 2.571,
                                   2.447, 2.365, 2.306, 2.262, 2.228,
                                   2.201, 2.179, 2.160, 2.145, 2.131};
  size_t freedom = count - 1;
  return freedom <= std::size(kByFreedom) ? kByFreedom[freedom - 1]
                                          : 1.96 + 2.6 / freedom;
}

Ratio hone::ratioOf(const std::vector<double> &theirs,
                    const std::vector<double> &ours) {
  size_t count = std::min(theirs.size(), ours.size());
  if (count == 0)
    return {};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i)
    sum += std::log(theirs[i] / ours[i]);
  double mean = sum / count;
  if (count == 1)
    return {std::exp(mean), 0, std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < count; ++i) {
    double distance = std::log(theirs[i] / ours[i]) - mean;
    squares += distance * distance;
  }
  double half = studentFactor(count) * std::sqrt(squares / (count - 1) / count);
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

double hone::geometricMean(const std::vector<double> &numbers) {
  return geometricMean({numbers}, /*seed=*/1, /*resamples=*/0).value;
}

Ratio hone::geometricMean(const std::vector<std::vector<double>> &groups,
                          uint64_t seed, size_t resamples) {
  std::vector<double> logs;
  for (const std::vector<double> &group : groups) {
    double sum = 0;
    for (double ratio : group)
      sum += std::log(ratio);
    if (!group.empty())
      logs.push_back(sum / group.size());
  }
  if (logs.empty())
    return {};
  double sum = std::accumulate(logs.begin(), logs.end(), 0.0);
  Ratio ratio{std::exp(sum / logs.size()), 0, 0};
  ratio.low = ratio.high = ratio.value;
  // Raw numbers of the engine, because the distributions of standard libraries
  // differ.
  std::mt19937_64 dice(seed);
  std::vector<double> means;
  for (size_t at = 0; at < resamples; ++at) {
    double drawn = 0;
    for (size_t count = 0; count < logs.size(); ++count)
      drawn += logs[dice() % logs.size()];
    means.push_back(std::exp(drawn / logs.size()));
  }
  if (means.empty())
    return ratio;
  std::sort(means.begin(), means.end());
  size_t outside = means.size() / 40;
  ratio.low = std::min(ratio.value, means[outside]);
  ratio.high = std::max(ratio.value, means[means.size() - 1 - outside]);
  return ratio;
}

//===----------------------------------------------------------------------===//
// Finalists that stay in a final
//===----------------------------------------------------------------------===//

/// The one with the lowest median, of those with all `count` rounds.
static size_t fastestOf(const std::vector<std::vector<double>> &rounds,
                        size_t count) {
  size_t fastest = 0;
  double min = std::numeric_limits<double>::infinity();
  for (size_t at = 0; at < rounds.size(); ++at) {
    double median = quantiles(rounds[at]).median;
    if (rounds[at].size() < count || median >= min)
      continue;
    fastest = at;
    min = median;
  }
  return fastest;
}

/// True unless it is, with confidence, slower or within a percent of the
/// fastest.
static bool isOpen(const std::vector<double> &rounds,
                   const std::vector<double> &fastest) {
  constexpr double kLittle = 1.01;
  Ratio ratio = ratioOf(rounds, fastest);
  return ratio.low <= 1 && ratio.high > kLittle;
}

static bool isFarSlower(const std::vector<double> &rounds,
                        const std::vector<double> &fastest) {
  constexpr size_t kRounds = 3;
  constexpr double kFar = 1.05;
  for (size_t round = 0; round < rounds.size(); ++round)
    if (rounds[round] <= kFar * fastest[round])
      return false;
  return rounds.size() >= kRounds;
}

std::vector<size_t>
hone::nextRound(const std::vector<std::vector<double>> &rounds, size_t min,
                size_t max) {
  size_t round = 0;
  for (const std::vector<double> &each : rounds)
    round = std::max(round, each.size());
  if (round >= std::max(min, max))
    return {};
  const size_t fastest = fastestOf(rounds, round);
  std::vector<size_t> stay;
  bool isOver = round >= min;
  for (size_t at = 0; at < rounds.size(); ++at) {
    if (rounds[at].size() < round)
      continue; // it has left the final
    bool mayWin = at == fastest;
    if (at != fastest && round < min)
      mayWin = max <= min || !isFarSlower(rounds[at], rounds[fastest]);
    else if (at != fastest)
      mayWin = isOpen(rounds[at], rounds[fastest]);
    isOver &= !mayWin || at == fastest;
    if (mayWin || at == 0)
      stay.push_back(at);
  }
  return isOver ? std::vector<size_t>() : stay;
}
