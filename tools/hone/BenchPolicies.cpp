//===- BenchPolicies.cpp - hone bench policies ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs searches in dense tables, policy by policy, and says how close to the
// tables' best they are after so many measurements (hone/Policy/Comparison.h).
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "hone/Policy/Comparison.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Text/Chart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct Settings {
  std::string paths, archName = "h200", policies, csv, svg;
  std::vector<int64_t> tenths;
  int64_t noise = 0, half = 0;
  bool json = false;
  ComparisonOptions comparison;
  std::optional<Model> given; ///< none: the one that is built in

  const Model &model() const { return given ? *given : Model::shipped(); }
};

/// What is searched in, and what `cover` is made of.
struct Tables {
  DenseTable searched, others;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is compared
//===----------------------------------------------------------------------===//

static Error checkNumbers(const Settings &settings) {
  if (settings.half > 2)
    return llvm::createStringError(
        formatv("--half: expected 1 or 2, but got {0}; use 2", settings.half));
  for (int64_t tenth : settings.tenths)
    if (tenth > 9)
      return llvm::createStringError(
          formatv("--tenths: expected 0 to 9, but got {0}; use 0,1", tenth));
  return Error::success();
}

static Expected<Tables> readTables(const Settings &settings) {
  std::vector<DenseTable> all;
  for (StringRef path : llvm::split(settings.paths, ',')) {
    Expected<DenseTable> table = readDenseTable(path.str());
    if (!table)
      return table.takeError();
    all.push_back(std::move(*table));
  }
  Tables tables{joinTables(all), {}};
  if (settings.half) {
    tables.others = halfOf(tables.searched, 2 - int(settings.half));
    tables.searched = halfOf(tables.searched, int(settings.half) - 1);
  }
  bool wasEmpty = tables.searched.empty();
  if (!settings.tenths.empty()) {
    if (!settings.half)
      tables.others = tables.searched;
    // No shape is on both sides, in another layout neither.
    tables.others = tenthsOf(tables.others, settings.tenths, /*others=*/true);
    tables.searched = tenthsOf(tables.searched, settings.tenths);
  }
  if (tables.searched.empty())
    return llvm::createStringError(
        wasEmpty
            ? "expected times of a shape or more, but got none; use hone bench "
              "gemm --candidates-csv=FILE"
            : "--tenths: expected shapes of these tenths, but the tables have "
              "none; use others, or more tables");
  return tables;
}

static Error addPolicies(Settings &settings, const Tables &tables) {
  std::vector<std::string> &policies = settings.comparison.policies;
  if (settings.policies.empty()) {
    for (StringRef name : allPolicyNames())
      policies.push_back(name.str());
    return Error::success();
  }
  for (StringRef name : llvm::split(settings.policies, ',')) {
    policies.push_back(name.str());
    if (name == kCoverPolicy) {
      if (tables.others.empty())
        return llvm::createStringError(
            "--policies: expected shapes for cover to learn from, but all are "
            "searched; use --tenths or --half");
      settings.comparison.cover =
          coverOf(tables.others,
                  size_t(*llvm::max_element(settings.comparison.measurements)));
      continue;
    }
    if (!llvm::is_contained(allPolicyNames(), name))
      return llvm::createStringError(
          formatv("expected a policy, but got '{0}'; use {1} or {2}", name,
                  llvm::join(allPolicyNames(), ", "), kCoverPolicy));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// What is said of it
//===----------------------------------------------------------------------===//

/// Files and machines get every column, a screen those that fit.
static Table tableOf(llvm::ArrayRef<Standing> standings, bool isWhole) {
  std::vector<std::string> columns = {"policy", "measured", "geomean",
                                      "low",    "high",     "p10",
                                      "least",  "think ms"};
  if (isWhole)
    columns.insert(columns.end(),
                   {"problems", "searches", "median %", "p90 %", "worst %"});
  Table table(columns);
  auto quality = [](double value) { return formatv("{0:f4}", value).str(); };
  auto percent = [](double value) {
    return formatv("{0:f2}", 100 * value).str();
  };
  for (const Standing &standing : standings) {
    size_t searches = standing.searches().size();
    if (searches == 0)
      continue;
    Ratio mean = standing.overProblems();
    std::vector<std::string> cells = {
        standing.policy,
        std::to_string(standing.measurements),
        quality(mean.value),
        quality(mean.low),
        quality(mean.high),
        quality(standing.quantileOf(0.1)),
        quality(standing.quantileOf(0)),
        formatv("{0:f3}", 1e3 * standing.secondsPerProposal())};
    if (isWhole)
      cells.insert(cells.end(),
                   {std::to_string(standing.qualities.size()),
                    std::to_string(searches), percent(standing.lossOf(0.5)),
                    percent(standing.lossOf(0.9)),
                    percent(standing.lossOf(1))});
    table.addRow(cells);
  }
  return table;
}

static Chart chartOf(llvm::ArrayRef<Standing> standings, size_t problems,
                     int64_t seeds) {
  Chart chart;
  chart.title = formatv("Search in recorded tables: {0} problems, {1} seed{2}",
                        problems, seeds, seeds == 1 ? "" : "s");
  chart.xLabel = "measurements (0: the first proposal alone)";
  chart.yLabel = "best of the table / best found, geometric mean";
  for (const Standing &standing : standings) {
    if (standing.qualities.empty())
      continue;
    if (chart.curves.empty() || chart.curves.back().name != standing.policy)
      chart.curves.push_back({standing.policy, {}});
    Ratio mean = standing.overProblems();
    chart.curves.back().points.push_back(
        {double(standing.measurements), mean.value, mean.low, mean.high});
  }
  return chart;
}

static Error writeText(StringRef path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return llvm::createStringError(formatv(
        "expected a file to write, but got '{0}': {1}", path, code.message()));
  stream << text;
  return Error::success();
}

static Error report(const Settings &settings, const Tables &tables,
                    llvm::ArrayRef<Standing> standings) {
  if (settings.json)
    llvm::outs() << formatv("{0:2}\n", tableOf(standings, true).toJson());
  else
    tableOf(standings, false).print(llvm::outs());
  if (!settings.csv.empty())
    if (Error error = writeCsv(tableOf(standings, true), settings.csv))
      return error;
  if (settings.svg.empty())
    return Error::success();
  return writeText(settings.svg,
                   svgOf(chartOf(standings, tables.searched.size(),
                                 settings.comparison.seeds)));
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static OptionList optionsOf(Settings &settings, std::string &weights) {
  ComparisonOptions &comparison = settings.comparison;
  OptionList list("bench policies --replay=FILE,... [options]",
                  "Searches in dense tables of times, and says how close to "
                  "their best it comes:\nbest of the table / best found, 1 is "
                  "all there is. Bands of 95 % are over problems.");
  list.add("replay", "FILE,...", settings.paths, "dense tables");
  list.add("arch", "NAME", settings.archName, "chip of the times");
  list.add("tenths", "N,...", settings.tenths,
           "shapes of these tenths only, 0 to 9; built-in weights saw 2 to 9",
           /*least=*/0);
  list.add("half", "1|2", settings.half,
           "every other shape, 1 those that evolution saw; 0: all");
  list.add("policies", "NAME,...", settings.policies,
           "default: all but cover, the same list everywhere, of other shapes");
  list.add("trials", "N,...", comparison.measurements,
           "beside the default (default 1,2,4,8,16,32,64)");
  list.add("seeds", "N", comparison.seeds, "searches of each shape and policy");
  list.add("noise", "PERCENT", settings.noise, "standard deviation of a time");
  list.add("weights", "FILE", weights, "of hone train; default: built in");
  list.add("csv", "FILE", settings.csv, "every column");
  list.add("svg", "FILE", settings.svg, "curves");
  list.add("json", settings.json, "print JSON, every column");
  return list;
}

int hone::benchPolicies(llvm::ArrayRef<StringRef> args) {
  Settings settings;
  std::string weights;
  if (std::optional<int> status = optionsOf(settings, weights).parse(args))
    return *status;
  auto arch = Arch::lookup(settings.archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  if (Error error = checkNumbers(settings))
    return reportError(std::move(error), kExitUsage);
  if (!weights.empty()) {
    auto model = Model::readFile(weights);
    if (!model)
      return reportError(model.takeError(), kExitUsage);
    settings.given = std::move(*model);
  }
  auto tables = readTables(settings);
  if (!tables)
    return reportError(tables.takeError(), kExitUsage);
  if (Error error = addPolicies(settings, *tables))
    return reportError(std::move(error), kExitUsage);
  ComparisonOptions &comparison = settings.comparison;
  comparison.noise = 0.01 * settings.noise;
  Progress progress(comparison.policies.size() * comparison.seeds *
                    tables->searched.size());
  comparison.progress = [&](StringRef policy) { progress.step(policy); };
  auto standings =
      comparePolicies(tables->searched, *arch, settings.model(), comparison);
  progress.clear();
  if (!standings)
    return reportError(standings.takeError());
  if (Error error = report(settings, *tables, *standings))
    return reportError(std::move(error));
  return kExitSuccess;
}
