//===- CostFit.cpp - Coefficients from measurements -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of a list moves in jumps, because only the best of it counts. So the
// objective has a smooth part too: how far estimates of good schedules, and of
// those that the model takes for good, are from the measured times.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostFit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace hone;

DenseTable hone::halfOf(const DenseTable &table, int half) {
  DenseTable part;
  for (size_t at = half; at < table.size(); at += 2)
    part.push_back(table[at]);
  return part;
}

double hone::quantile(std::vector<double> values, double part) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t count = std::ceil(part * values.size());
  return values[std::clamp<size_t>(count, 1, values.size()) - 1];
}

static std::vector<double> estimatesOf(const DenseShape &shape,
                                       const Arch &arch,
                                       const CostCoefficients &by) {
  std::vector<double> estimates;
  for (const Schedule &schedule : shape.schedules)
    estimates.push_back(estimateSeconds(shape.problem, arch, schedule, by));
  return estimates;
}

/// Loss of the first `top` by estimate; equal estimates keep their order.
static double lossOf(const DenseShape &shape,
                     const std::vector<double> &estimates, size_t top) {
  std::vector<size_t> order(estimates.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t left, size_t right) {
    return std::pair(estimates[left], left) <
           std::pair(estimates[right], right);
  });
  double found = shape.seconds[order[0]];
  for (size_t at = 1; at < std::min(top, order.size()); ++at)
    found = std::min(found, shape.seconds[order[at]]);
  return found / shape.best() - 1;
}

std::vector<double> hone::losses(const DenseTable &table, const Arch &arch,
                                 size_t top, const CostCoefficients &by) {
  std::vector<double> all;
  for (const DenseShape &shape : table)
    all.push_back(lossOf(shape, estimatesOf(shape, arch, by), top));
  return all;
}

/// Spread of log(estimate / time) within a shape, which orders the list, and a
/// part of its mean, which keeps estimates in seconds.
static double errorOf(const DenseShape &shape,
                      const std::vector<double> &estimates) {
  constexpr double kWidth = 0.12, kPartOfMean = 0.5;
  double best = shape.best();
  double least = *std::min_element(estimates.begin(), estimates.end());
  double weights = 0, sum = 0, squares = 0;
  for (size_t at = 0; at < estimates.size(); ++at) {
    double above =
        std::min(shape.seconds[at] / best, estimates[at] / least) - 1;
    double weight = std::exp(-above / kWidth);
    double error = std::log(estimates[at] / shape.seconds[at]);
    weights += weight;
    sum += weight * error;
    squares += weight * error * error;
  }
  double mean = sum / weights;
  return squares / weights - (1 - kPartOfMean) * mean * mean;
}

static double objectiveOf(const DenseTable &table, const Arch &arch,
                          const CostCoefficients &by) {
  constexpr double kErrorWeight = 1.5, kShortWeight = 0.3;
  double sum = 0;
  for (const DenseShape &shape : table) {
    std::vector<double> estimates = estimatesOf(shape, arch, by);
    sum += lossOf(shape, estimates, 24) +
           kShortWeight * lossOf(shape, estimates, 8) +
           kErrorWeight * errorOf(shape, estimates);
  }
  return sum / table.size();
}

CostCoefficients hone::fitCoefficients(const DenseTable &table,
                                       const Arch &arch, CostCoefficients best,
                                       int64_t rounds,
                                       std::function<void(double)> progress) {
  std::vector<double *> values;
  std::vector<double> most; // a part of something is no more than all of it
  CostCoefficients::visit(best, [&](llvm::StringRef name, double &value) {
    bool isPart = name.ends_with("Fraction") || name.ends_with("Efficiency") ||
                  name.ends_with("Exposed");
    values.push_back(&value);
    most.push_back(isPart ? 1 : HUGE_VAL);
  });
  std::vector<double> steps(values.size(), 0.25);
  double objective = objectiveOf(table, arch, best);
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t at = 0; at < values.size(); ++at) {
      double before = *values[at];
      bool improved = false;
      for (double factor : {1 + steps[at], 1 / (1 + steps[at])}) {
        *values[at] = std::min(before * factor, most[at]);
        double now = objectiveOf(table, arch, best);
        if (now < objective) {
          objective = now;
          improved = true;
          break;
        }
        *values[at] = before;
      }
      // What led nowhere is tried in smaller steps, down to a percent.
      steps[at] = improved ? std::min(steps[at] * 1.3, 0.5)
                           : std::max(steps[at] * 0.6, 0.01);
    }
    progress(objective);
  }
  return best;
}
