//===- Policies.cpp - hone-lab policies -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs searches in dense tables, policy by policy, and reports how close to the
// tables' best they are after a number of measurements
// (hone/Policy/Comparison.h).
//
//===----------------------------------------------------------------------===//

#include "Policies.h"
#include "Lab.h"
#include "hone/Command/Options.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Text/Chart.h"
#include "hone/Text/File.h"
#include "lib/Lab/Comparison.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <set>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct Settings {
  std::string paths, learnFrom, archName = "h200", policies, csv, svg;
  std::vector<int64_t> tenths;
  int64_t noise = 0, half = 0, goal = 0;
  bool json = false;
  ComparisonOptions comparison;
  std::optional<Model> given; ///< read before the first search

  const Model &model() const { return *given; }
};

/// Milliseconds of a candidate for `hone tune` on an H200 with sixteen cores: 61
/// a second are built, checked and timed.
constexpr int kMeasureMs = 16;

/// The tables to search in, and those that peers learn from.
struct Tables {
  DenseTable searched, others;
};
} // namespace

//===----------------------------------------------------------------------===//
// The compared tables and policies
//===----------------------------------------------------------------------===//

static Error checkSettings(const Settings &settings) {
  if (settings.half > 2)
    return llvm::createStringError(
        formatv("--half: expected 1 or 2, but got {0}; use 2", settings.half));
  if (settings.goal > 100)
    return llvm::createStringError(formatv(
        "--goal: expected 1 to 100, but got {0}; use 98", settings.goal));
  for (int64_t tenth : settings.tenths)
    if (tenth > 9)
      return llvm::createStringError(
          formatv("--tenths: expected 0 to 9, but got {0}; use 0,1", tenth));
  return Error::success();
}

/// The table without the problems whose extents are searched, in any layout.
static DenseTable without(DenseTable table, const DenseTable &searched) {
  std::set<std::array<int64_t, 3>> extents;
  for (const DenseShape &shape : searched)
    extents.insert({shape.problem.m, shape.problem.n, shape.problem.k});
  llvm::erase_if(table, [&](const DenseShape &shape) {
    const Problem &problem = shape.problem;
    return extents.count({problem.m, problem.n, problem.k}) > 0;
  });
  return table;
}

static Expected<Tables> readTables(const Settings &settings) {
  Expected<DenseTable> whole = readJoined(settings.paths);
  if (!whole)
    return whole.takeError();
  Tables tables{std::move(*whole), {}};
  if (settings.half) {
    tables.others = halfOf(tables.searched, 2 - int(settings.half));
    tables.searched = halfOf(tables.searched, int(settings.half) - 1);
  }
  bool wasEmpty = tables.searched.empty();
  if (!settings.tenths.empty()) {
    if (!settings.half)
      tables.others = tables.searched;
    // No shape is on both sides, not even in another layout.
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
  if (settings.learnFrom.empty())
    return tables;
  Expected<DenseTable> others = readJoined(settings.learnFrom);
  if (!others)
    return others.takeError();
  tables.others = without(std::move(*others), tables.searched);
  return tables;
}

static Error addPolicies(Settings &settings, const Tables &tables) {
  std::vector<std::string> &policies = settings.comparison.policies;
  std::vector<StringRef> names = allPolicyNames();
  if (settings.policies.empty()) {
    for (StringRef name : names)
      policies.push_back(name.str());
    return Error::success();
  }
  llvm::append_range(names, peerNames());
  if (settings.comparison.beside)
    names.push_back(kBesidePolicy);
  for (StringRef name : llvm::split(settings.policies, ',')) {
    policies.push_back(name.str());
    if (!llvm::is_contained(names, name))
      return unknownPolicy(name, names);
    bool learns =
        llvm::is_contained(peerNames(), name) && name != kNetworksPolicy;
    if (learns && tables.others.empty())
      return llvm::createStringError(
          formatv("--policies: expected shapes for {0} to learn from, but all "
                  "are searched; use --tenths, --half or --learn-from",
                  name));
  }
  return Error::success();
}

static void addBeside(ComparisonOptions &comparison) {
  if (comparison.beside &&
      !llvm::is_contained(comparison.policies, kBesidePolicy))
    comparison.policies.push_back(kBesidePolicy.str());
}

/// Trains the peers, which takes some twenty seconds.
static void addPeers(Settings &settings, const Tables &tables,
                     const Arch &arch) {
  ComparisonOptions &comparison = settings.comparison;
  std::optional<Progress> progress;
  TreesOptions trees;
  trees.progress = [&](int64_t count) {
    if (!progress)
      progress.emplace(count);
    progress->step("trees");
  };
  comparison.peers =
      peersOf(tables.others, arch, comparison.policies,
              size_t(*llvm::max_element(comparison.measurements)), trees);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// The standing at the same place in the searches of the model next to it.
static const Standing *besideOf(llvm::ArrayRef<Standing> standings,
                                int64_t measurements) {
  for (const Standing &standing : standings)
    if (standing.policy == kBesidePolicy &&
        standing.measurements == measurements)
      return &standing;
  return nullptr;
}

/// Files and JSON get every column, a screen those that fit.
static Table tableOf(llvm::ArrayRef<Standing> standings, bool isWhole) {
  std::vector<std::string> columns = {"policy", "measured", "geomean",
                                      "low",    "high",     "p10",
                                      "least",  "think ms"};
  bool hasBeside = besideOf(standings, 0) != nullptr;
  if (hasBeside)
    columns.insert(columns.end(), {"over", "over low", "over high"});
  if (isWhole)
    columns.insert(columns.end(), {"problems", "searches", "median %", "p90 %",
                                   "worst %", "wall seconds"});
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
    if (hasBeside) {
      Ratio over = standing.over(*besideOf(standings, standing.measurements));
      cells.insert(cells.end(), {quality(over.value), quality(over.low),
                                 quality(over.high)});
    }
    if (isWhole)
      cells.insert(
          cells.end(),
          {std::to_string(standing.problems()), std::to_string(searches),
           percent(standing.lossOf(0.5)), percent(standing.lossOf(0.9)),
           percent(standing.lossOf(1)),
           formatv("{0:f4}", standing.wallSeconds(1e-3 * kMeasureMs)).str()});
    table.addRow(cells);
  }
  return table;
}

/// `xOf` returns the position of a standing, or nothing if it has none.
static std::vector<ChartCurve>
curvesOf(llvm::ArrayRef<Standing> standings,
         llvm::function_ref<std::optional<double>(const Standing &)> xOf) {
  std::vector<ChartCurve> curves;
  for (const Standing &standing : standings) {
    std::optional<double> x = xOf(standing);
    if (standing.problems() == 0 || !x)
      continue;
    if (curves.empty() || curves.back().name != standing.policy)
      curves.push_back({standing.policy, {}});
    Ratio mean = standing.overProblems();
    curves.back().points.push_back({*x, mean.value, mean.low, mean.high});
  }
  return curves;
}

static std::vector<Chart> chartsOf(llvm::ArrayRef<Standing> standings,
                                   size_t problems, const Settings &settings) {
  int64_t seeds = settings.comparison.seeds;
  Chart measured, timed;
  measured.title =
      formatv("Search in recorded tables: {0} problems, {1} seed{2}", problems,
              seeds, seeds == 1 ? "" : "s");
  measured.xLabel = "measurements (0: the first proposal alone)";
  measured.yLabel = timed.yLabel =
      "best of the table / best found, geometric mean";
  measured.curves = curvesOf(standings, [](const Standing &standing) {
    return double(standing.measurements);
  });
  timed.title = "The same against the clock";
  timed.xLabel = formatv(
      "seconds of a search: thinking, and {0} ms a measurement", kMeasureMs);
  timed.curves = curvesOf(
      standings, [&](const Standing &standing) -> std::optional<double> {
        if (standing.measurements == 0)
          return std::nullopt;
        return standing.wallSeconds(1e-3 * kMeasureMs);
      });
  return {std::move(measured), std::move(timed)};
}

static Error report(const Settings &settings, const Tables &tables,
                    llvm::ArrayRef<Standing> standings) {
  Table whole = tableOf(standings, true);
  if (settings.json)
    llvm::outs() << formatv("{0:2}\n", whole.toJson());
  else
    tableOf(standings, false).print(llvm::outs());
  if (!settings.csv.empty())
    if (Error error = whole.writeCsv(settings.csv))
      return error;
  if (settings.svg.empty())
    return Error::success();
  return writeFile(
      settings.svg,
      svgOf(chartsOf(standings, tables.searched.size(), settings)));
}

static Error reportGoal(const Settings &settings, const Table &table) {
  if (settings.json)
    llvm::outs() << formatv("{0:2}\n", table.toJson());
  else
    table.print(llvm::outs());
  return settings.csv.empty() ? Error::success() : table.writeCsv(settings.csv);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

namespace {
struct ModelFiles {
  std::string weights, trees, beside;
};
} // namespace

static OptionList optionsOf(Settings &settings, ModelFiles &files) {
  ComparisonOptions &comparison = settings.comparison;
  OptionList list("hone-lab policies --replay=FILE,... [options]",
                  "Searches in dense tables of times, and reports the quality: "
                  "the best time of the table\nover the best time found. Bands "
                  "of 95 % are over problems.\n"
                  "Example: hone-lab policies --replay=data/h200/dense.csv "
                  "--policies=model --tenths=0");
  list.add("replay", "FILE,...", settings.paths, "dense tables");
  list.require("replay");
  list.add("arch", "NAME", settings.archName, "chip of the times", checkArch);
  list.add("tenths", "N,...", settings.tenths,
           "shapes of these tenths only, 0 to 9; built-in weights saw 2 to 9",
           /*min=*/0);
  list.add("half", "1|2", settings.half,
           "every other shape, 1: those that evolution was tuned on; 0: all");
  list.add("policies", "NAME,...", settings.policies,
           "default: all of hone tune; and cover, nearest, trees, mutation, "
           "networks");
  list.add("learn-from", "FILE,...", settings.learnFrom,
           "tables for peers; default: other tenths, or the other half");
  list.add(
      "trials", "N,...", comparison.measurements,
      "measurements after the default schedule (default 1,2,4,8,16,32,64)");
  list.add("goal", "PERCENT", settings.goal,
           "count measurements until the quality is PERCENT");
  list.add("most", "N", comparison.max,
           "maximum of measurements of a search with --goal");
  list.add("seeds", "N", comparison.seeds, "searches of each shape and policy");
  list.add("noise", "PERCENT", settings.noise, "standard deviation of a time");
  list.add("weights", "FILE", files.weights,
           "weights of hone train; default: built in");
  list.add("trees", "FILE", files.trees,
           "trees of hone train, in addition to the weights");
  list.add("beside", "FILE", files.beside,
           "other weights, to compare with problem by problem");
  list.add("csv", "FILE", settings.csv, "every column");
  list.add("svg", "FILE", settings.svg,
           "curves, by measurements and by seconds");
  list.add("json", settings.json, "print JSON, every column");
  return list;
}

static Error readModels(Settings &settings, const ModelFiles &files) {
  if (Error error =
          Model::readFiles(files.weights, files.trees).moveInto(settings.given))
    return error;
  if (files.beside.empty())
    return Error::success();
  return Model::readFile(files.beside).moveInto(settings.comparison.beside);
}

int hone::labPolicies(llvm::ArrayRef<StringRef> args) {
  Settings settings;
  ModelFiles files;
  if (std::optional<int> status = optionsOf(settings, files).parse(args))
    return *status;
  auto arch = Arch::lookup(settings.archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  if (Error error = checkSettings(settings))
    return reportError(std::move(error), kExitUsage);
  if (Error error = readModels(settings, files))
    return reportError(std::move(error), kExitUsage);
  auto tables = readTables(settings);
  if (!tables)
    return reportError(tables.takeError(), kExitUsage);
  if (Error error = addPolicies(settings, *tables))
    return reportError(std::move(error), kExitUsage);
  addBeside(settings.comparison);
  addPeers(settings, *tables, *arch);
  ComparisonOptions &comparison = settings.comparison;
  comparison.noise = 0.01 * settings.noise;
  comparison.goal = 0.01 * double(settings.goal);
  Progress progress(comparison.policies.size() * comparison.seeds *
                    tables->searched.size());
  comparison.progress = [&](StringRef policy) { progress.step(policy); };
  if (settings.goal) {
    auto table =
        goalTable(tables->searched, *arch, settings.model(), comparison);
    progress.clear();
    if (!table)
      return reportError(table.takeError());
    if (Error error = reportGoal(settings, *table))
      return reportError(std::move(error));
    return kExitSuccess;
  }
  auto standings =
      comparePolicies(tables->searched, *arch, settings.model(), comparison);
  progress.clear();
  if (!standings)
    return reportError(standings.takeError());
  if (Error error = report(settings, *tables, *standings))
    return reportError(std::move(error));
  return kExitSuccess;
}
