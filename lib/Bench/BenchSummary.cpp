//===- BenchSummary.cpp - Summary of many shapes --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups rows by the key of a summary line, then by shape.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchSummary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// The key of a summary line, in the order of the lines.
struct Group {
  std::string protocol, baseline, programmatic, types;
  int work = 0;
  bool operator<(const Group &other) const {
    auto key = [](const Group &group) {
      return std::tie(group.types, group.protocol, group.baseline, group.work);
    };
    // "on" comes before "off".
    return key(*this) != key(other) ? key(*this) < key(other)
                                    : programmatic > other.programmatic;
  }
};

/// One shape's rows, by layout.
using Layouts = std::map<std::string, const BenchRow *>;
/// By extents, and the name of a convolution.
using Shapes = std::map<std::pair<Extents, std::string>, Layouts>;
} // namespace

static constexpr StringRef kWork[] = {"< 1e9", "1e9 .. 1e11", ">= 1e11", "all"};
static constexpr int kAllWork = 3;

static int workOf(const BenchRow &row) {
  return row.flops() < 1e9 ? 0 : row.flops() < 1e11 ? 1 : 2;
}

/// Adds a line over all work where a table has several classes of it.
static void addAllWork(std::map<Group, Shapes> &groups) {
  std::map<Group, Shapes> all;
  std::map<Group, unsigned> classes;
  for (const auto &[group, shapes] : groups) {
    Group whole = group;
    whole.work = kAllWork;
    ++classes[whole];
    all[whole].insert(shapes.begin(), shapes.end());
  }
  for (auto &[group, shapes] : all)
    if (classes[group] > 1)
      groups[group] = std::move(shapes);
}

static std::map<Group, Shapes> grouped(llvm::ArrayRef<BenchRow> rows,
                                       std::set<std::string> &layouts) {
  std::map<Group, Shapes> groups;
  for (const BenchRow &row : rows) {
    if (row.protocol == "search")
      continue;
    // All convolutions of the same types are one group.
    auto [types, name] = StringRef(row.types).split(kConvolution);
    std::string kind = name.empty() ? types.str() : types.str() + "conv";
    Group group = {row.protocol, row.baseline, row.programmatic, kind,
                   workOf(row)};
    groups[group][{row.shape, name.str()}][row.layout] = &row;
    layouts.insert(row.layout);
  }
  addAllWork(groups);
  return groups;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The ratio of a shape if both sides choose their layout. If they choose
/// differently, the intervals of two rows are joined as independent errors.
static std::optional<Ratio> betterLayout(const Layouts &layouts) {
  const BenchRow *ours = nullptr, *theirs = nullptr;
  for (const auto &[layout, row] : layouts) {
    if (row->isTimed() && (!ours || row->ours.median < ours->ours.median))
      ours = row;
    if (row->theirs.median > 0 &&
        (!theirs || row->theirs.median < theirs->theirs.median))
      theirs = row;
  }
  if (!ours || !theirs)
    return std::nullopt;
  if (ours == theirs)
    return ours->ratio;
  double value = theirs->theirs.median / ours->ours.median;
  double squares = 0;
  for (const BenchRow *row : {ours, theirs})
    if (row->ratio.value > 0) {
      double half = std::log(row->ratio.high / row->ratio.value);
      squares += half * half;
    }
  double factor = std::exp(std::sqrt(squares));
  return Ratio{value, value / factor, value * factor};
}

static double partOfRoofline(const Layouts &layouts) {
  double best = 0;
  for (const auto &[layout, row] : layouts)
    if (row->isTimed())
      best = std::max(best, row->roofline / row->ours.median);
  return best;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::string number(double value, const char *format = "{0:F3}") {
  return value > 0 ? formatv(format, value).str() : "-";
}

static double arithmeticMean(llvm::ArrayRef<double> values) {
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values.empty() ? 0 : sum / values.size();
}

/// Counts of shapes whose interval lies above and below 1.
static std::vector<std::string> verdicts(llvm::ArrayRef<Ratio> ratios) {
  if (ratios.empty())
    return {"-", "-"};
  size_t won =
      llvm::count_if(ratios, [](Ratio ratio) { return ratio.low > 1; });
  size_t lost =
      llvm::count_if(ratios, [](Ratio ratio) { return ratio.high < 1; });
  return {std::to_string(won), std::to_string(lost)};
}

static std::vector<std::string> lineOf(const Group &group, const Shapes &shapes,
                                       const std::set<std::string> &layouts) {
  std::vector<Ratio> ratios;
  std::vector<double> values, parts;
  std::map<std::string, std::vector<double>> byLayout;
  for (const auto &[shape, rows] : shapes) {
    for (const auto &[layout, row] : rows)
      if (row->isTimed() && row->ratio.value > 0)
        byLayout[layout].push_back(row->ratio.value);
    if (double part = partOfRoofline(rows))
      parts.push_back(part);
    if (std::optional<Ratio> ratio = betterLayout(rows)) {
      ratios.push_back(*ratio);
      values.push_back(ratio->value);
    }
  }
  size_t measured = group.baseline == "none" ? parts.size() : ratios.size();
  std::string count = std::to_string(measured);
  if (measured < shapes.size())
    count += formatv(" of {0}", shapes.size());
  std::vector<std::string> line = {kWork[group.work].str(),
                                   group.types,
                                   group.protocol,
                                   group.baseline,
                                   group.programmatic,
                                   count,
                                   number(geometricMean(values)),
                                   number(arithmeticMean(values))};
  for (const std::string &layout : layouts)
    line.push_back(number(geometricMean(byLayout[layout])));
  line.push_back(number(values.empty() ? 0 : *llvm::min_element(values)));
  llvm::append_range(line, verdicts(ratios));
  line.push_back(number(100 * quantiles(parts).median, "{0:F0} %"));
  return line;
}

Table hone::summaryOf(llvm::ArrayRef<BenchRow> rows) {
  std::set<std::string> layouts;
  std::map<Group, Shapes> groups = grouped(rows, layouts);
  std::vector<std::string> columns = {"2MNK", "types",  "protocol", "baseline",
                                      "pdl",  "shapes", "geomean",  "mean"};
  llvm::append_range(columns, layouts);
  for (const char *column : {"min", "won", "lost", "roof"})
    columns.push_back(column);
  Table table(std::move(columns));
  for (const auto &[group, shapes] : groups)
    table.addRow(lineOf(group, shapes, layouts));
  return table;
}

Table hone::tableOf(llvm::ArrayRef<BenchRow> rows) {
  Table table({"m", "n", "k", "layout", "types", "protocol", "programmatic",
               "baseline", "status", "us", "p10", "p90", "base us", "ratio",
               "low", "high", "schedule"});
  auto us = [](double seconds) { return number(seconds * 1e6, "{0:F2}"); };
  for (const BenchRow &row : rows)
    table.addRow({std::to_string(row.shape[0]), std::to_string(row.shape[1]),
                  std::to_string(row.shape[2]), row.layout, row.types,
                  row.protocol, row.programmatic, row.baseline, row.status,
                  us(row.ours.median), us(row.ours.p10), us(row.ours.p90),
                  us(row.theirs.median), number(row.ratio.value),
                  number(row.ratio.low), number(row.ratio.high), row.schedule});
  return table;
}
