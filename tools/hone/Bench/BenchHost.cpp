//===- BenchHost.cpp - hone bench host ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of times on this CPU (hone/Bench/HostBench.h), and their table.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/HostBench.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Text/File.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;

static void printTable(const HostBenchOptions &settings,
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

static Table makeCsv(const HostBenchOptions &settings,
                     llvm::ArrayRef<Contestant> contestants) {
  Table table({"n", "contestant", "seconds", "spread", "gflops"});
  for (const Contestant &contestant : contestants)
    for (auto [n, time] : llvm::zip_equal(settings.sizes, contestant.times))
      table.addRow(
          {std::to_string(n), contestant.name, formatv("{0:E6}", time.median),
           formatv("{0:F4}", time.spread), formatv("{0:F1}", gflops(n, time))});
  return table;
}

static llvm::Expected<int> bench(const HostBenchOptions &settings) {
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
                 << "' cannot be opened; use --openblas=FILE\n";
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
  HostBenchOptions settings;
  OptionList list("hone bench host [options]",
                  "Times C = A * B on square f32 matrices against OpenBLAS, "
                  "one thread each.\n"
                  "Example: hone bench host --sizes=512");
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
