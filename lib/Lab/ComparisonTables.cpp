//===- ComparisonTables.cpp - Tables for policy comparisons ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Comparison.h. Peers.cpp trains the peers on them.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "hone/Policy/Tasks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace hone;

DenseTable hone::joinTables(llvm::ArrayRef<DenseTable> tables) {
  DenseTable all;
  llvm::StringMap<size_t> places;
  std::vector<llvm::StringSet<>> known;
  for (const DenseTable &table : tables)
    for (const DenseShape &shape : table) {
      auto [at, isNew] = places.try_emplace(shape.problem.str(), all.size());
      if (isNew) {
        all.push_back({shape.problem, {}, {}, {}});
        known.emplace_back();
      }
      DenseShape &into = all[at->second];
      for (auto [schedule, seconds] :
           llvm::zip_equal(shape.schedules, shape.seconds)) {
        if (checkMemory(schedule, shape.problem) ||
            !known[at->second].insert(toString(schedule)).second)
          continue;
        into.schedules.push_back(schedule);
        into.seconds.push_back(seconds);
      }
    }
  llvm::erase_if(
      all, [](const DenseShape &shape) { return shape.schedules.empty(); });
  llvm::stable_sort(all, byWork);
  return all;
}

llvm::Expected<DenseTable> hone::readJoined(llvm::StringRef paths) {
  std::vector<DenseTable> all;
  for (llvm::StringRef path : llvm::split(paths, ',')) {
    llvm::Expected<DenseTable> table = readDenseTable(path.str());
    if (!table)
      return table.takeError();
    all.push_back(std::move(*table));
  }
  return joinTables(all);
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
