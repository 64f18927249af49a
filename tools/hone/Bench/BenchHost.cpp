//===- BenchHost.cpp - hone bench host ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times f32 squares: each requested schedule, and OpenBLAS if this machine has
// it, on one thread. All take turns in every round, so that a busy machine
// slows them alike. A cell is the median of the rounds and their spread. Each
// result is checked against dot products in f64 before the timing.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/HostContestants.h"
#include "hone/Matmul/HostProduct.h"
#include "hone/Measure/Timing.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/File.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/Options.h"
#include "tools/hone/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct Settings {
  std::vector<int64_t> sizes = {256, 512, 1024, 2048};
  std::string schedules;
  bool grid = false;
  int64_t rounds = 9;
  std::string openblas = "libopenblas.so.0";
  std::string csv;
};
} // namespace

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

/// The schedules to time: those requested, or the default, or the grid.
static llvm::Expected<std::vector<Host>>
chooseSchedules(const Settings &settings, const Arch &arch) {
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

static void multiply(HostProduct &squares, const Matmul &matmul) {
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
    multiply(squares, matmul);
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

/// Times all contestants at one size. Fails if a result is wrong.
static llvm::Error benchSize(int64_t n,
                             llvm::MutableArrayRef<Contestant> contestants,
                             int64_t rounds, Progress &progress) {
  auto squares = squaresOf(n);
  if (!squares)
    return squares.takeError();
  for (Contestant &contestant : contestants) {
    squares->poison();
    multiply(*squares, contestant.run);
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
// The table
//===----------------------------------------------------------------------===//

static double gflops(int64_t n, Time time) {
  return 2e-9 * std::pow(n, 3) / time.median;
}

/// Geometric mean over the sizes of the speed of `times` relative to
/// `baseline`.
static double speedup(llvm::ArrayRef<Time> baseline,
                      llvm::ArrayRef<Time> times) {
  std::vector<double> ratios;
  for (auto [theirs, ours] : llvm::zip_equal(baseline, times))
    ratios.push_back(theirs.median / ours.median);
  return geometricMean(ratios);
}

/// For each size the best of several contestants.
static std::vector<Time> bestOf(llvm::ArrayRef<Contestant> contestants) {
  std::vector<Time> best = contestants.front().times;
  for (const Contestant &contestant : contestants)
    for (auto [time, other] : llvm::zip_equal(best, contestant.times))
      if (other.median < time.median)
        time = other;
  return best;
}

static void printTable(const Settings &settings,
                       llvm::ArrayRef<Contestant> contestants,
                       const Contestant *baseline) {
  std::vector<std::string> columns = {"GFLOP/s of f32 squares"};
  for (int64_t n : settings.sizes)
    columns.push_back("n = " + std::to_string(n));
  if (baseline)
    columns.push_back("ratio");
  Table table(columns);
  auto addRow = [&](llvm::StringRef name, llvm::ArrayRef<Time> times) {
    std::vector<std::string> cells = {name.str()};
    for (auto [n, time] : llvm::zip_equal(settings.sizes, times))
      cells.push_back(
          formatv("{0:F1} ({1,2:F0}%)", gflops(n, time), 100 * time.spread));
    if (baseline)
      cells.push_back(formatv("{0:F2}", speedup(baseline->times, times)));
    table.addRow(cells);
  };
  for (const Contestant &each : contestants)
    addRow(each.name, each.times);
  auto ours = baseline ? contestants.drop_front() : contestants;
  if (ours.size() > 1)
    addRow("best schedule for each size", bestOf(ours));
  table.print(llvm::outs());
  llvm::outs() << "\nmedian of " << settings.rounds
               << " interleaved rounds on one thread (half the quartile "
                  "distance)\n";
  if (baseline)
    llvm::outs() << "ratio: geometric mean of the speed over OpenBLAS's\n";
}

static Table makeCsv(const Settings &settings,
                     llvm::ArrayRef<Contestant> contestants) {
  Table table({"n", "contestant", "seconds", "spread", "gflops"});
  for (const Contestant &contestant : contestants)
    for (auto [n, time] : llvm::zip_equal(settings.sizes, contestant.times))
      table.addRow(
          {std::to_string(n), contestant.name, formatv("{0:E6}", time.median),
           formatv("{0:F4}", time.spread), formatv("{0:F1}", gflops(n, time))});
  return table;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static llvm::Expected<int> bench(const Settings &settings) {
  if (!settings.csv.empty())
    if (llvm::Error error = requireWritable(settings.csv))
      return std::move(error);
  llvm::Expected<Arch> arch = Arch::lookup("host");
  if (!arch)
    return arch.takeError();
  auto schedules = chooseSchedules(settings, *arch);
  if (!schedules)
    return schedules.takeError();

  std::vector<Contestant> contestants;
  std::optional<Contestant> baseline = openBlas(settings.openblas);
  if (baseline)
    contestants.push_back(*baseline);
  else
    llvm::outs() << "skipped OpenBLAS: '" << settings.openblas
                 << "' can not be opened; use --openblas=FILE\n";
  Progress progress(schedules->size() +
                    settings.sizes.size() * settings.rounds);
  for (const Host &knobs : *schedules) {
    progress.step("compiling");
    llvm::Expected<Contestant> contestant = compileHost(knobs);
    if (!contestant)
      return contestant.takeError();
    contestants.push_back(std::move(*contestant));
  }
  for (int64_t n : settings.sizes)
    if (auto error = benchSize(n, contestants, settings.rounds, progress))
      return std::move(error);
  progress.clear();
  printTable(settings, contestants, baseline ? &contestants[0] : nullptr);
  if (!settings.csv.empty())
    if (auto error = makeCsv(settings, contestants).writeCsv(settings.csv))
      return std::move(error);
  return kExitSuccess;
}

int hone::benchHost(llvm::ArrayRef<llvm::StringRef> args) {
  Settings settings;
  OptionList list("hone bench host [options]",
                  "Times C = A * B on square f32 matrices against OpenBLAS, "
                  "one thread each.");
  list.add("sizes", "N,...", settings.sizes, "extents of the squares");
  list.add("schedule", "TEXT;...", settings.schedules,
           "schedules to time, e.g. 'host, micro = 8x48'; the default "
           "where none is given",
           checkSchedules);
  list.add("grid", settings.grid, "time a grid of schedules");
  list.add("rounds", "N", settings.rounds, "interleaved rounds per size");
  list.add("openblas", "FILE", settings.openblas,
           "the library to compare with");
  list.add("csv", "FILE", settings.csv, "write every median there too");
  return list.run(args, [&] { return bench(settings); });
}
