//===- RangeRuns.cpp - Which kernels, and the bounds between them ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic program of RangedSource.h: over the number of runs and where the
// last one ends, the least cost and the run that it ends with.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/RangedSource.h"
#include <limits>

using namespace hone;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The cheapest way to cover the points before `end`.
struct Cover {
  double cost = kInfinity;
  size_t begin = 0, candidate = 0; ///< of its last run
};

class Program {
public:
  Program(llvm::ArrayRef<std::vector<double>> prices,
          llvm::ArrayRef<RangePoint> points, const RangeRule &rule);
  std::vector<RangeRun> run() const;

private:
  void addRun(const std::vector<Cover> &before, std::vector<Cover> &after);

  size_t count;
  double gain;
  /// Of each candidate, the cost of all points before one.
  std::vector<std::vector<double>> sums;
  /// By the number of runs, and by the number of points.
  std::vector<std::vector<Cover>> covers;
};

} // namespace

Program::Program(llvm::ArrayRef<std::vector<double>> prices,
                 llvm::ArrayRef<RangePoint> points, const RangeRule &rule)
    : count(points.size()), gain(0),
      sums(prices.size(), std::vector<double>(points.size() + 1)) {
  for (size_t point = 0; point < count; ++point) {
    double least = kInfinity;
    for (const std::vector<double> &of : prices)
      least = std::min(least, of[point]);
    for (size_t candidate = 0; candidate < prices.size(); ++candidate) {
      double loss = prices[candidate][point] - least;
      sums[candidate][point + 1] =
          sums[candidate][point] +
          points[point].weight * (loss + rule.convexity * loss * loss);
    }
    gain += rule.gain * points[point].weight;
  }
  covers.assign(1, std::vector<Cover>(count + 1));
  covers[0][0].cost = 0;
  for (unsigned runs = 1; runs <= rule.most; ++runs) {
    covers.emplace_back(count + 1);
    addRun(covers[runs - 1], covers[runs]);
  }
}

void Program::addRun(const std::vector<Cover> &before,
                     std::vector<Cover> &after) {
  for (size_t begin = 0; begin < count; ++begin) {
    if (before[begin].cost == kInfinity)
      continue;
    for (size_t end = begin + 1; end <= count; ++end)
      for (size_t candidate = 0; candidate < sums.size(); ++candidate) {
        double cost = before[begin].cost + sums[candidate][end] -
                      sums[candidate][begin] + gain;
        if (cost < after[end].cost)
          after[end] = {cost, begin, candidate};
      }
  }
}

std::vector<RangeRun> Program::run() const {
  size_t best = 1;
  for (size_t runs = 2; runs < covers.size(); ++runs)
    if (covers[runs][count].cost < covers[best][count].cost)
      best = runs;
  std::vector<RangeRun> result;
  for (size_t end = count; best > 0; --best) {
    const Cover &cover = covers[best][end];
    result.insert(result.begin(), {cover.candidate, end});
    end = cover.begin;
  }
  return result;
}

std::vector<RangeRun>
hone::chooseRuns(llvm::ArrayRef<std::vector<double>> prices,
                 llvm::ArrayRef<RangePoint> points, const RangeRule &rule) {
  if (prices.empty() || points.empty() || rule.most == 0)
    return {};
  std::vector<RangeRun> merged;
  for (const RangeRun &run : Program(prices, points, rule).run())
    if (!merged.empty() && merged.back().candidate == run.candidate)
      merged.back().end = run.end;
    else
      merged.push_back(run);
  return merged;
}
