//===- PoliciesGoal.cpp - Cost of searches with a goal --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line for each policy. The last columns compare: the measurements that the
// best of the common alternatives takes, over the policy's own, and the band of
// that ratio. Both searched the same problems, so the band is over each
// problem's ratio: a hard problem is hard for both.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// A policy's standings; the first is that of the first proposal.
using Standings = llvm::ArrayRef<Standing>;

struct TablePart {
  const char *name;
  DenseTable table;
};
} // namespace

static bool isAligned(const Problem &problem) {
  constexpr int64_t kBytes = 16;
  return problem.a.align >= kBytes && problem.b.align >= kBytes;
}

static std::vector<TablePart> partsOf(const DenseTable &table) {
  std::vector<TablePart> parts = {{"aligned", {}}, {"not aligned", {}}};
  for (const DenseShape &shape : table)
    parts[!isAligned(shape.problem)].table.push_back(shape);
  llvm::erase_if(parts,
                 [](const TablePart &part) { return part.table.empty(); });
  return parts;
}

/// The best of the cost model, boosted trees with mutation and evolution, among
/// those that are compared; none if none is compared.
static Standings rivalOf(llvm::ArrayRef<Standings> all) {
  static constexpr StringRef kRivals[] = {"model", kMutationPolicy,
                                          "evolution"};
  Standings best;
  double min = HUGE_VAL;
  for (Standings standings : all) {
    if (!llvm::is_contained(kRivals, standings.back().policy))
      continue;
    double mean = geometricMean(standings.back().untilGoal).value;
    if (mean < min)
      best = standings, min = mean;
  }
  return best;
}

static void addRow(const TablePart &part, Standings standings, Standings rival,
                   int64_t max, Table &table) {
  auto quality = [](double value) { return formatv("{0:f3}", value).str(); };
  const Standing &first = standings.front(), &last = standings.back();
  Ratio until = geometricMean(last.untilGoal);
  size_t searches = 0, reached = 0;
  for (const std::vector<double> &problem : last.untilGoal)
    for (double count : problem) {
      ++searches;
      reached += count < double(max);
    }
  auto count = [](double value) { return formatv("{0:f2}", value).str(); };
  std::vector<std::string> fewer(3);
  if (!rival.empty()) {
    Ratio ratio = ratioByProblem(rival.back().untilGoal, last.untilGoal);
    fewer = {count(ratio.value), count(ratio.low), count(ratio.high)};
  }
  table.addRow(
      {part.name, std::to_string(part.table.size()), last.policy,
       quality(first.overProblems().value), quality(first.quantileOf(0.1)),
       quality(first.quantileOf(0)), quality(last.overProblems().value),
       quality(last.quantileOf(0.1)), count(until.value), count(until.low),
       count(until.high),
       formatv("{0:f1}", searches ? 100.0 * reached / searches : 0).str(),
       fewer[0], fewer[1], fewer[2]});
}

llvm::Expected<Table> hone::goalTable(const DenseTable &searched,
                                      const Arch &arch, const Model &model,
                                      const ComparisonOptions &options) {
  std::string after = std::to_string(*llvm::max_element(options.measurements));
  Table table({"part", "problems", "policy", "first", "p10", "least",
               "after " + after, "p10 " + after, "until goal", "low", "high",
               "reached %", "fewer", "fewer low", "fewer high"});
  for (const TablePart &part : partsOf(searched)) {
    auto standings = comparePolicies(part.table, arch, model, options);
    if (!standings)
      return standings.takeError();
    std::vector<Standings> all;
    Standings left = *standings;
    for (size_t each = left.size() / options.policies.size(); !left.empty();
         left = left.drop_front(each))
      all.push_back(left.take_front(each));
    Standings rival = rivalOf(all);
    for (Standings policy : all)
      addRow(part, policy, rival, options.max, table);
  }
  return table;
}
