//===- HostBench.cpp - Times of f32 squares on this CPU -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostBench.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/HostBench.h"
#include "hone/Matmul/HostProduct.h"
#include "hone/Measure/Timing.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;

static Problem f32Problem() {
  Problem problem;
  problem.a.type = problem.b.type = problem.c = ElementType::f32;
  return problem;
}

/// The default and its neighbours, as far as they are legal.
static std::vector<Host> makeGrid(const Host &standard, const Arch &arch) {
  std::vector<Host> result = {standard};
  Problem problem = f32Problem();
  int64_t lanes = arch.vectorBits / 32;
  for (auto [rows, vectors] :
       {std::pair(14, 2), {12, 2}, {8, 3}, {6, 4}, {6, 2}, {4, 3}})
    for (int64_t k : {256, 512, 1024})
      for (int64_t blocks : {8, 16}) {
        Host knobs = standard;
        knobs.micro = {rows, vectors * lanes};
        knobs.tile = {blocks * rows, 64 * knobs.micro[1], k};
        if (!check(knobs, &problem, &arch) &&
            toString(knobs) != toString(standard))
          result.push_back(knobs);
      }
  return result;
}

llvm::Expected<std::vector<Host>>
hone::chooseSchedules(const HostBenchOptions &settings, const Arch &arch) {
  Problem problem = f32Problem();
  Host standard(defaultSchedule(problem, arch));
  if (settings.grid)
    return makeGrid(standard, arch);
  if (settings.schedules.empty())
    return std::vector<Host>{standard};
  std::vector<Host> result;
  for (llvm::StringRef text : llvm::split(settings.schedules, ';')) {
    llvm::Expected<Schedule> schedule = parseSchedule(text.trim());
    if (!schedule)
      return schedule.takeError();
    if (auto broken = check(*schedule, &problem, &arch))
      return llvm::createStringError(*broken);
    result.push_back(Host(*schedule));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Checking and timing
//===----------------------------------------------------------------------===//

/// Random squares, and room for their product.
static llvm::Expected<HostProduct> squaresOf(int64_t n) {
  Problem problem = withExtents(f32Problem(), n, n, n);
  problem.a.align = problem.b.align = problem.alignC = 1;
  HostProduct squares;
  if (llvm::Error error = squares.set(problem))
    return std::move(error);
  return squares;
}

static void multiplySquares(HostProduct &squares, const Matmul &matmul) {
  auto &[a, b, c] = squares.matrices();
  auto floats = [](HostMatrix &matrix) {
    return reinterpret_cast<float *>(matrix.bytes.data());
  };
  matmul(a.rows, floats(a), floats(b), floats(c));
}

/// Seconds per call, over calls that take some 20 ms together.
static double timeOnce(HostProduct &squares, const Matmul &matmul) {
  double flops = 2.0 * std::pow(squares.matrices()[0].rows, 3);
  int64_t calls = std::max<int64_t>(1, 2e9 / flops);
  double start = threadSeconds();
  for (int64_t i = 0; i < calls; ++i)
    multiplySquares(squares, matmul);
  return (threadSeconds() - start) / calls;
}

/// Median of the rounds, and half the distance between their quartiles as a
/// fraction of it.
static Time summarize(std::vector<double> seconds) {
  llvm::sort(seconds);
  auto quantile = [&](double q) { return seconds[q * (seconds.size() - 1)]; };
  double median = quantile(0.5);
  return {median, (quantile(0.75) - quantile(0.25)) / 2 / median};
}

llvm::Error hone::benchSize(int64_t n,
                            llvm::MutableArrayRef<Contestant> contestants,
                            int64_t rounds, Progress &progress) {
  auto squares = squaresOf(n);
  if (!squares)
    return squares.takeError();
  for (Contestant &contestant : contestants) {
    squares->poison();
    multiplySquares(*squares, contestant.run);
    if (llvm::Error error = squares->check(/*whole=*/false).takeError())
      return llvm::createStringError(
          formatv("expected the product of two {0}x{0} matrices, but got "
                  "something else from '{1}': {2}",
                  n, contestant.name, toString(std::move(error))));
  }
  std::vector<std::vector<double>> seconds(contestants.size());
  for (int64_t round = 0; round < rounds; ++round) {
    progress.step(formatv("n = {0}", n).str());
    for (auto [contestant, list] : llvm::zip_equal(contestants, seconds))
      list.push_back(timeOnce(*squares, contestant.run));
  }
  for (auto [contestant, list] : llvm::zip_equal(contestants, seconds))
    contestant.times.push_back(summarize(list));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

double hone::gflops(int64_t n, Time time) {
  return 2e-9 * std::pow(n, 3) / time.median;
}

double hone::speedup(llvm::ArrayRef<Time> baseline,
                     llvm::ArrayRef<Time> times) {
  std::vector<double> ratios;
  for (auto [theirs, ours] : llvm::zip_equal(baseline, times))
    ratios.push_back(theirs.median / ours.median);
  return geometricMean(ratios);
}

std::vector<Time> hone::bestOf(llvm::ArrayRef<Contestant> contestants) {
  std::vector<Time> best = contestants.front().times;
  for (const Contestant &contestant : contestants)
    for (auto [time, other] : llvm::zip_equal(best, contestant.times))
      if (other.median < time.median)
        time = other;
  return best;
}
