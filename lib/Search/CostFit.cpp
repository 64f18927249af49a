//===- CostFit.cpp - Coefficients from measurements -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of a list is not continuous, because only the best of it counts. So
// the objective has a smooth part, too: the distance of estimates from measured
// times, for good schedules and for those that the model takes for good.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostFit.h"
#include "hone/Space/Ascending.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <set>

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

namespace {
/// A shape with the facts of its schedules that the model needs, computed once.
struct Prepared {
  const Problem *problem;
  std::vector<BlockFacts> facts;
  std::vector<double> seconds;
  double best;

  std::vector<double> estimates(const Arch &arch,
                                const CostCoefficients &by) const {
    std::vector<double> estimates;
    for (const BlockFacts &one : facts)
      estimates.push_back(estimateSeconds(*problem, arch, one, by));
    return estimates;
  }
};
} // namespace

static Prepared prepare(const DenseShape &shape) {
  Prepared prepared = {&shape.problem, {}, shape.seconds, shape.best()};
  for (const Schedule &schedule : shape.schedules)
    prepared.facts.push_back(blockFacts(shape.problem, schedule));
  return prepared;
}

/// Loss of the first `top` by estimate; equal estimates keep their order.
static double lossOf(const Prepared &shape,
                     const std::vector<double> &estimates, size_t top) {
  std::vector<size_t> order = ascending(estimates);
  double found = shape.seconds[order[0]];
  for (size_t at = 1; at < std::min(top, order.size()); ++at)
    found = std::min(found, shape.seconds[order[at]]);
  return found / shape.best - 1;
}

std::vector<double> hone::losses(const DenseTable &table, const Arch &arch,
                                 size_t top, const CostCoefficients &by) {
  std::vector<double> all;
  for (const DenseShape &shape : table) {
    Prepared prepared = prepare(shape);
    all.push_back(lossOf(prepared, prepared.estimates(arch, by), top));
  }
  return all;
}

/// The spread of log(estimate / time) within a shape, which orders the list,
/// and a part of its mean, which keeps estimates in seconds.
static double errorOf(const Prepared &shape,
                      const std::vector<double> &estimates) {
  constexpr double kWidth = 0.12, kPartOfMean = 0.5;
  double best = shape.best;
  double min = *std::min_element(estimates.begin(), estimates.end());
  double weights = 0, sum = 0, squares = 0;
  for (size_t at = 0; at < estimates.size(); ++at) {
    double above = std::min(shape.seconds[at] / best, estimates[at] / min) - 1;
    double weight = std::exp(-above / kWidth);
    double error = std::log(estimates[at] / shape.seconds[at]);
    weights += weight;
    sum += weight * error;
    squares += weight * error * error;
  }
  double mean = sum / weights;
  return squares / weights - (1 - kPartOfMean) * mean * mean;
}

static double objectiveOf(llvm::ArrayRef<Prepared> table, const Arch &arch,
                          const CostCoefficients &by) {
  constexpr double kErrorWeight = 1.5, kShortWeight = 0.3;
  double sum = 0;
  for (const Prepared &shape : table) {
    std::vector<double> estimates = shape.estimates(arch, by);
    sum += lossOf(shape, estimates, 24) +
           kShortWeight * lossOf(shape, estimates, 8) +
           kErrorWeight * errorOf(shape, estimates);
  }
  return sum / table.size();
}

/// The schedules of a shape that a list may contain: the fastest, and those
/// that the model takes for fast.
static Prepared contenders(const DenseShape &shape, const Arch &arch,
                           const CostCoefficients &by) {
  constexpr size_t kOfEach = 80;
  Prepared all = prepare(shape);
  std::set<size_t> kept;
  for (const std::vector<size_t> &order :
       {ascending(all.seconds), ascending(all.estimates(arch, by))})
    kept.insert(order.begin(), order.begin() + std::min(order.size(), kOfEach));
  Prepared some = {all.problem, {}, {}, all.best};
  for (size_t at : kept) {
    some.facts.push_back(all.facts[at]);
    some.seconds.push_back(all.seconds[at]);
  }
  return some;
}

CostCoefficients hone::fitCoefficients(const DenseTable &shapes,
                                       const Arch &arch, CostCoefficients best,
                                       int64_t rounds,
                                       std::function<void(double)> progress) {
  std::vector<Prepared> table;
  for (const DenseShape &shape : shapes)
    table.push_back(contenders(shape, arch, best));
  std::vector<double *> values;
  std::vector<double> min,
      max; // a share is at most 1
  CostCoefficients::visit(best, [&](llvm::StringRef name, double &value) {
    bool isPart = name.ends_with("Fraction") || name.ends_with("Efficiency") ||
                  name.ends_with("Exposed");
    // A coefficient of zero may become positive.
    constexpr double kSmallTime = 2e-8, kSmall = 1;
    bool isTime = name.contains("Start") || name.ends_with("Seconds");
    values.push_back(&value);
    max.push_back(isPart ? 1 : HUGE_VAL);
    min.push_back(value > 0 ? 0 : isTime ? kSmallTime : kSmall);
  });
  std::vector<double> steps(values.size(), 0.25);
  double objective = objectiveOf(table, arch, best);
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t at = 0; at < values.size(); ++at) {
      double before = *values[at];
      bool improved = false;
      for (double factor : {1 + steps[at], 1 / (1 + steps[at])}) {
        *values[at] = std::min(std::max(before, min[at]) * factor, max[at]);
        double now = objectiveOf(table, arch, best);
        if (now < objective) {
          objective = now;
          improved = true;
          break;
        }
        *values[at] = before;
      }
      // A step without a gain is tried again with a smaller size, down to a
      // percent.
      steps[at] = improved ? std::min(steps[at] * 1.3, 0.5)
                           : std::max(steps[at] * 0.6, 0.01);
    }
    progress(objective);
  }
  return best;
}
