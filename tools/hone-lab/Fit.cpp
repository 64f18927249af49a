//===- Fit.cpp - hone-lab fit ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the cost model on tables of times, and fits it to one part of them.
//
//===----------------------------------------------------------------------===//

#include "Lab.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Search/CostFit.h"
#include "lib/Lab/Comparison.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::formatv;

/// Adds the losses of the best schedule in short lists, a line per length.
static void addLosses(const char *half, const DenseTable &table,
                      const Arch &arch, const CostCoefficients &by,
                      Table &lines) {
  for (size_t top : {64, 24, 8, 1}) {
    std::vector<double> all = losses(table, arch, top, by);
    auto percent = [&](double part) {
      return formatv("{0:f1} %", 100 * quantile(all, part)).str();
    };
    lines.addRow({half, std::to_string(table.size()), std::to_string(top),
                  percent(0.5), percent(0.9), percent(1)});
  }
}

/// The five shapes with the largest losses, and their best schedules.
static Table worstOf(const DenseTable &table, const Arch &arch,
                     const CostCoefficients &by) {
  std::vector<double> all = losses(table, arch, 24, by);
  std::vector<size_t> order(table.size());
  for (size_t at = 0; at < order.size(); ++at)
    order[at] = at;
  llvm::stable_sort(order, [&](size_t a, size_t b) { return all[a] > all[b]; });
  Table lines({"m", "n", "k", "loss", "us", "estimate", "best schedule"});
  for (size_t at : llvm::ArrayRef(order).take_front(5)) {
    const DenseShape &shape = table[at];
    const Problem &problem = shape.problem;
    size_t best = std::min_element(shape.seconds.begin(), shape.seconds.end()) -
                  shape.seconds.begin();
    double estimate = estimateSeconds(problem, arch, shape.schedules[best], by);
    lines.addRow({std::to_string(problem.m), std::to_string(problem.n),
                  std::to_string(problem.k), formatv("{0:f1} %", 100 * all[at]),
                  formatv("{0:f2}", 1e6 * shape.seconds[best]),
                  formatv("{0:f2}", 1e6 * estimate),
                  toString(shape.schedules[best])});
  }
  return lines;
}

static void printCoefficients(CostCoefficients &by) {
  CostCoefficients::visit(by, [](llvm::StringRef name, double &value) {
    llvm::outs() << formatv("  double {0} = {1};\n", name,
                            llvm::format("%.4g", value));
  });
}

namespace {
struct FitSettings {
  std::string paths, archName = "h200", pack;
  int64_t rounds = 12;
  bool judge = false;
  std::vector<int64_t> tenths;
};
} // namespace

static llvm::Expected<DenseTable> readForFit(llvm::StringRef paths) {
  DenseTable all;
  for (llvm::StringRef path : llvm::split(paths, ',')) {
    llvm::Expected<DenseTable> table = readDenseTable(path.str());
    if (!table)
      return table.takeError();
    llvm::append_range(all, std::move(*table));
  }
  // Sorted like a single table: the halves alternate by work.
  llvm::stable_sort(all, byWork);
  if (all.size() < 2)
    return llvm::createStringError(
        formatv("expected times of two shapes or more, but got {0}; use "
                "hone bench gemm --candidates-csv=FILE",
                all.size()));
  return all;
}

static llvm::Error writePacked(const std::string &path,
                               const DenseTable &table) {
  auto text = denseTableText(table);
  if (!text)
    return text.takeError();
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << *text;
  return code ? llvm::errorCodeToError(code) : llvm::Error::success();
}

int hone::labFit(llvm::ArrayRef<llvm::StringRef> args) {
  FitSettings settings;
  OptionList list("hone-lab fit --candidates-csv=FILE,... [options]",
                  "Fits the cost model to one part of the shapes of some files "
                  "and judges it by the other.\n"
                  "Example: hone-lab fit "
                  "--candidates-csv=data/h200/dense.csv --judge");
  list.add("candidates-csv", "FILE,...", settings.paths,
           "times: hone bench gemm's, or dense tables");
  list.require("candidates-csv");
  list.add("arch", "NAME", settings.archName, "chip of the times", checkArch);
  list.add("rounds", "N", settings.rounds, "passes over the coefficients");
  list.add("judge", settings.judge, "judge the coefficients that are built in");
  list.add("tenths", "N,...", settings.tenths,
           "judge by shapes of these tenths, 0 to 9, rather than by a half",
           /*min=*/0);
  list.add("pack", "FILE", settings.pack, "write the times as a dense table");
  if (std::optional<int> status = list.parse(args))
    return *status;
  auto arch = Arch::lookup(settings.archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  auto table = readForFit(settings.paths);
  if (!table)
    return reportError(table.takeError());
  if (!settings.pack.empty())
    if (llvm::Error error = writePacked(settings.pack, *table))
      return reportError(std::move(error));
  bool byTenths = !settings.tenths.empty();
  DenseTable fitted = byTenths
                          ? tenthsOf(*table, settings.tenths, /*others=*/true)
                          : halfOf(*table, 0);
  DenseTable judged =
      byTenths ? tenthsOf(*table, settings.tenths) : halfOf(*table, 1);
  if (fitted.empty() || judged.empty())
    return reportError(llvm::createStringError(
        "--tenths: expected shapes of these tenths and of others, but the "
        "tables have none; use others, or more tables"));
  CostCoefficients by;
  if (!settings.judge)
    by = fitCoefficients(
        fitted, *arch, by, settings.rounds, [](double objective) {
          llvm::errs() << formatv("objective {0:f5}\n", objective);
        });
  Table lines({"part", "shapes", "top", "median", "p90", "worst"});
  addLosses("fitted", fitted, *arch, by, lines);
  addLosses("judged", judged, *arch, by, lines);
  lines.print(llvm::outs());
  llvm::outs() << "\n";
  worstOf(judged, *arch, by).print(llvm::outs());
  if (!settings.judge) {
    llvm::outs() << "\n";
    printCoefficients(by);
  }
  return kExitSuccess;
}
