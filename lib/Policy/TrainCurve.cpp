//===- TrainCurve.cpp - Learning curve of hone train ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainCurve.h. The picture is made from the CSV's cells, so that both
// agree, also about an earlier run.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/TrainCurve.h"
#include "hone/Text/File.h"
#include "hone/Text/Number.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

static const std::vector<std::string> &columns() {
  static const std::vector<std::string> names = {
      "phase",      "network",        "step",       "measured", "seconds",
      "loss",       "first",          "first p10",  "four",     "four p10",
      "four heard", "four heard p10", "eight heard"};
  return names;
}
/// The columns of these values in a row.
enum { kPhase, kNetwork, kStep, kFirst = 6, kWithResults = 10 };

TrainCurve::TrainCurve(std::string csv, std::string svg)
    : csv(std::move(csv)), svg(std::move(svg)) {}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

Error TrainCurve::goOn() {
  if (csv.empty() || !llvm::sys::fs::exists(csv))
    return Error::success();
  auto refused = [&] {
    return llvm::createStringError(formatv(
        "--curve: expected the curve of this training, but got '{0}'; use "
        "another path, or remove it",
        csv));
  };
  constexpr uint64_t kMaxBytes = 256 * kMiB;
  auto buffer = readFile(csv, {"the curve of this training", kMaxBytes});
  if (!buffer)
    return buffer.takeError();
  auto [head, lines] = (*buffer)->getBuffer().split('\n');
  if (head != llvm::join(columns(), ","))
    return refused();
  for (StringRef line : llvm::split(lines, '\n')) {
    if (line.empty())
      continue;
    Row row;
    for (StringRef cell : llvm::split(line, ','))
      row.push_back(cell.str());
    if (row.size() != columns().size())
      return refused();
    rows.push_back(std::move(row));
  }
  return Error::success();
}

void TrainCurve::add(const CurvePoint &point) {
  auto text = [](double value) { return formatv("{0:f4}", value).str(); };
  rows.push_back(
      {point.phase, std::to_string(point.network), std::to_string(point.step),
       std::to_string(point.measured), formatv("{0:f0}", point.seconds),
       text(point.loss), text(point.first.mean), text(point.first.tenth),
       text(point.four.mean), text(point.four.tenth),
       text(point.fourWithResults.mean), text(point.fourWithResults.tenth),
       text(point.eightWithResults.mean)});
  llvm::errs() << formatv("{0} {1}, step {2}: first {3:f4} ({4:f4}), best of 4 "
                          "{5:f4} ({6:f4}), heard {7:f4} ({8:f4}), of 8 {9:f4}"
                          "; {10:f0} s\n",
                          point.phase, point.network, point.step,
                          point.first.mean, point.first.tenth, point.four.mean,
                          point.four.tenth, point.fourWithResults.mean,
                          point.fourWithResults.tenth,
                          point.eightWithResults.mean, point.seconds);
  llvm::consumeError(write());
}

Error TrainCurve::write() const {
  if (!csv.empty()) {
    Table table(columns());
    for (const Row &row : rows)
      table.addRow(row);
    if (Error error = table.writeCsv(csv))
      return error;
  }
  if (svg.empty())
    return Error::success();
  return writeFile(svg, svgOf(curveChart(rows)));
}

//===----------------------------------------------------------------------===//
// The picture
//===----------------------------------------------------------------------===//

static double numberIn(StringRef cell) { return realNumber(cell).value_or(0); }

namespace {
/// The progress of a network: steps of a phase count from those before it.
struct Progressed {
  std::string phase;
  double before = 0, steps = 0;

  double stepsAt(const std::vector<std::string> &row) {
    if (row[kPhase] != phase)
      before = steps;
    phase = row[kPhase];
    return steps = before + numberIn(row[kStep]);
  }
};
} // namespace

Chart hone::curveChart(llvm::ArrayRef<std::vector<std::string>> rows) {
  Chart chart;
  chart.title = "Learning, judged by problems that were held out";
  chart.xLabel = "steps of a network";
  chart.yLabel = "best of the table / best found; band: to the 10th percentile";
  std::map<std::string, Progressed> progressed;
  std::map<std::string, std::vector<ChartPoint>> points;
  std::vector<std::string> order;
  for (const std::vector<std::string> &row : rows) {
    // A row about all networks has no steps of its own.
    bool isWhole = row[kNetwork] == "-1";
    if (isWhole)
      continue;
    double steps = progressed[row[kNetwork]].stepsAt(row);
    for (auto [column, what] : {std::pair(kFirst, "first proposal"),
                                {kWithResults, "best of 4, heard"}}) {
      std::string name = formatv("network {0}, {1}", row[kNetwork], what).str();
      if (!points.count(name))
        order.push_back(name);
      double mean = numberIn(row[column]), low = numberIn(row[column + 1]);
      points[name].push_back({steps, mean, low, mean});
    }
  }
  for (const std::string &name : order)
    chart.curves.push_back({name, points[name]});
  return chart;
}
