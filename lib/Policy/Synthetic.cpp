//===- Synthetic.cpp - Training problems of synthetic machines ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Tasks.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Tasks.h"
#include "hone/Space/Catalogue.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;

namespace {
class Draw {
public:
  explicit Draw(std::mt19937_64 &dice) : dice(dice) {}
  double uniform() { return double(dice() >> 11) * 0x1p-53; }
  double between(double min, double max) {
    return min + (max - min) * uniform();
  }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += uniform();
    return sum;
  }
  bool chance(double odds) { return uniform() < odds; }

private:
  std::mt19937_64 &dice;
};
} // namespace

/// Log-uniform; in two of three cases a multiple of 64, otherwise of 8.
static int64_t drawExtent(Draw &draw) {
  double min = std::log(16), max = std::log(16384);
  auto extent = int64_t(std::exp(draw.between(min, max)));
  int64_t unit = draw.chance(0.66) ? 64 : 8;
  return std::max((extent + unit / 2) / unit * unit, unit);
}

static Problem drawProblem(Draw &draw) {
  constexpr double kMinFlops = 1e6, kMaxFlops = 2e12;
  for (;;) {
    Problem problem;
    problem.m = drawExtent(draw);
    problem.n = drawExtent(draw);
    problem.k = drawExtent(draw);
    problem.b.order = draw.chance(0.5) ? Order::col : Order::row;
    if (*problem.flops() > kMinFlops && *problem.flops() < kMaxFlops)
      return problem;
  }
}

/// Every constant is off by some ten percent, a few by a larger factor.
static CostCoefficients drawCoefficients(Draw &draw) {
  CostCoefficients machine;
  CostCoefficients::visit(machine, [&](const char *, double &coefficient) {
    double spread = draw.chance(0.1) ? 0.5 : 0.12;
    coefficient *= std::exp(spread * draw.normal());
  });
  return machine;
}

Arch hone::drawMachine(Arch like, std::mt19937_64 &dice) {
  Draw draw(dice);
  auto factor = [&](double spread) { return std::exp(spread * draw.normal()); };
  double part = std::exp(draw.between(std::log(0.15), std::log(1.3)));
  double clock = factor(0.15), memory = part * factor(0.3);
  like.processors =
      std::max<int64_t>(int64_t(part * double(like.processors)), 8);
  for (int64_t &count : like.clusters)
    count = int64_t(part * double(count));
  like.clockGHz *= clock;
  like.measured.clockGHz *= clock;
  for (double *rate :
       {&like.peakTflops, &like.measured.wgmmaF16Tflops,
        &like.measured.wgmmaTf32Tflops, &like.measured.wgmmaF8Tflops,
        &like.measured.mmaF16Tflops, &like.measured.mmaTf32Tflops,
        &like.measured.mmaF8Tflops, &like.measured.l2GBs})
    *rate *= part * clock;
  like.memoryGBs *= memory;
  like.cacheBytes = int64_t(part * factor(0.3) * double(like.cacheBytes));
  return like;
}

Task hone::drawTask(const Arch &arch, std::mt19937_64 &dice) {
  Draw draw(dice);
  Task task{drawProblem(draw), {}, {}, {}};
  CostCoefficients machine = drawCoefficients(draw);
  Reader reader(task.problem, arch);
  for (const Schedule &schedule : catalogue(task.problem, arch)) {
    // Some hundred schedules train as well as all of them.
    if (checkMemory(schedule, task.problem) || draw.chance(0.6))
      continue;
    task.schedules.push_back(schedule);
    task.readings.push_back(reader.read(schedule));
    double seconds = estimateSeconds(task.problem, arch, schedule, machine);
    task.logSeconds.push_back(std::log(seconds));
  }
  if (task.size() < 16)
    return drawTask(arch, dice);
  // Effects missing from the cost model: a few numbers change the time as well.
  size_t inputs = task.readings.front().numbers.size();
  for (int slope = 0; slope < 4; ++slope) {
    size_t at = dice() % inputs;
    double by = 0.03 * draw.normal();
    double usual = task.readings.front().numbers[at];
    for (auto [reading, time] : llvm::zip_equal(task.readings, task.logSeconds))
      time += by * std::clamp(reading.numbers[at] - usual, -4.0, 4.0);
  }
  double noise = draw.between(0.003, 0.02);
  for (double &time : task.logSeconds)
    time += noise * draw.normal();
  return task;
}
