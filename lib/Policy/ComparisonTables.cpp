//===- ComparisonTables.cpp - What policies are compared on ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Comparison.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Comparison.h"
#include "hone/Policy/Tasks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <map>

using namespace hone;

DenseTable hone::joinTables(llvm::ArrayRef<DenseTable> tables) {
  DenseTable all;
  llvm::StringMap<size_t> places;
  std::vector<llvm::StringSet<>> known;
  for (const DenseTable &table : tables)
    for (const DenseShape &shape : table) {
      auto [at, isNew] = places.try_emplace(shape.problem.str(), all.size());
      if (isNew) {
        all.push_back({shape.problem, {}, {}});
        known.emplace_back();
      }
      DenseShape &into = all[at->second];
      for (auto [schedule, seconds] :
           llvm::zip_equal(shape.schedules, shape.seconds)) {
        if (!known[at->second].insert(toString(schedule)).second)
          continue;
        into.schedules.push_back(schedule);
        into.seconds.push_back(seconds);
      }
    }
  llvm::stable_sort(all, [](const DenseShape &one, const DenseShape &other) {
    return *one.problem.flops() < *other.problem.flops();
  });
  return all;
}

DenseTable hone::tenthsOf(const DenseTable &table,
                          llvm::ArrayRef<int64_t> tenths, bool others) {
  DenseTable some;
  for (const DenseShape &shape : table)
    if (llvm::is_contained(tenths, int64_t(partOf(shape.problem, 10))) !=
        others)
      some.push_back(shape);
  return some;
}

std::vector<Schedule> hone::coverOf(const DenseTable &table, size_t count) {
  struct Column {
    Schedule schedule;
    std::vector<std::pair<size_t, double>> logQualities; ///< by problem
  };
  // By text, so that a tie does not depend on the tables' order.
  std::map<std::string, Column> columns;
  for (const auto &[at, shape] : llvm::enumerate(table)) {
    double best = shape.best();
    for (auto [schedule, seconds] :
         llvm::zip_equal(shape.schedules, shape.seconds)) {
      Column &column = columns[toString(schedule)];
      column.schedule = schedule;
      column.logQualities.emplace_back(at, std::log(best / seconds));
    }
  }
  std::vector<double> reached(table.size(), std::log(0.1));
  std::vector<Schedule> cover;
  while (cover.size() < count && !columns.empty()) {
    auto gainOf = [&](const Column &column) {
      double gain = 0;
      for (const auto &[at, quality] : column.logQualities)
        gain += std::max(0.0, quality - reached[at]);
      return gain;
    };
    auto chosen = columns.end();
    double most = -1;
    for (auto at = columns.begin(); at != columns.end(); ++at)
      if (double gain = gainOf(at->second); gain > most) {
        most = gain;
        chosen = at;
      }
    for (const auto &[at, quality] : chosen->second.logQualities)
      reached[at] = std::max(reached[at], quality);
    cover.push_back(chosen->second.schedule);
    columns.erase(chosen);
  }
  return cover;
}
