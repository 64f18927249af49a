//===- BenchFit.cpp - hone bench fit --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges the cost model by a dense table, and fits it to one half of it.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Options.h"
#include "Table.h"
#include "hone/Search/CostFit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::formatv;

/// Adds what the best of short lists loses, a line for each length.
static void addLosses(const char *half, const DenseTable &table,
                      const Arch &arch, const CostCoefficients &by,
                      Table &lines) {
  for (size_t top : {24, 8, 1}) {
    std::vector<double> all = losses(table, arch, top, by);
    auto percent = [&](double part) {
      return formatv("{0:f1} %", 100 * quantile(all, part)).str();
    };
    lines.addRow({half, std::to_string(table.size()), std::to_string(top),
                  percent(0.5), percent(0.9), percent(1)});
  }
}

/// The shapes that lose most, and what would have been found.
static Table worstOf(const DenseTable &table, const Arch &arch,
                     const CostCoefficients &by, int64_t count) {
  std::vector<double> all = losses(table, arch, 24, by);
  std::vector<size_t> order(table.size());
  for (size_t at = 0; at < order.size(); ++at)
    order[at] = at;
  llvm::stable_sort(order, [&](size_t a, size_t b) { return all[a] > all[b]; });
  Table lines({"m", "n", "k", "loss", "us", "estimate", "best schedule"});
  for (size_t at : llvm::ArrayRef(order).take_front(count)) {
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

int hone::benchFit(llvm::ArrayRef<llvm::StringRef> args) {
  std::string path, archName = "h200", pack;
  int64_t rounds = 12, worst = 5;
  bool judge = false;
  OptionList list("bench fit --candidates-csv=FILE [options]",
                  "Fits the cost model to one half of a file's shapes and "
                  "judges it by the other.");
  list.add("candidates-csv", "FILE", path,
           "times: hone bench gemm's, or a dense table");
  list.add("arch", "NAME", archName, "chip of the times");
  list.add("rounds", "N", rounds, "passes over the coefficients");
  list.add("judge", judge, "judge the coefficients that are built in");
  list.add("worst", "N", worst, "shapes that lose most, shown");
  list.add("pack", "FILE", pack, "write the times as a dense table");
  if (std::optional<int> status = list.parse(args))
    return *status;
  auto arch = Arch::lookup(archName);
  if (!arch)
    return reportError(arch.takeError(), kExitUsage);
  auto table = readDenseTable(path);
  if (!table)
    return reportError(table.takeError());
  if (table->size() < 2)
    return reportError(llvm::createStringError(
        formatv("expected times of two shapes or more, but got {0}; use "
                "hone bench gemm --candidates-csv=FILE",
                table->size())));
  if (!pack.empty()) {
    auto text = denseTableText(*table);
    if (!text)
      return reportError(text.takeError());
    std::error_code code;
    llvm::raw_fd_ostream(pack, code) << *text;
    if (code)
      return reportError(llvm::errorCodeToError(code));
  }
  DenseTable fitted = halfOf(*table, 0), judged = halfOf(*table, 1);
  CostCoefficients by;
  if (!judge)
    by = fitCoefficients(fitted, *arch, by, rounds, [](double objective) {
      llvm::errs() << formatv("objective {0:f5}\n", objective);
    });
  Table lines({"half", "shapes", "top", "median", "p90", "worst"});
  addLosses("fitted", fitted, *arch, by, lines);
  addLosses("judged", judged, *arch, by, lines);
  lines.print(llvm::outs());
  llvm::outs() << "\n";
  worstOf(judged, *arch, by, worst).print(llvm::outs());
  if (!judge) {
    llvm::outs() << "\n";
    printCoefficients(by);
  }
  return kExitSuccess;
}
