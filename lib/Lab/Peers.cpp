//===- Peers.cpp - Reference policies for comparisons ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Comparison.h.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "hone/Policy/Tasks.h"
#include "hone/Sources/UnseenSource.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <map>

using namespace hone;

llvm::ArrayRef<llvm::StringRef> hone::peerNames() {
  static constexpr llvm::StringRef kNames[] = {kCoverPolicy, kNearestPolicy,
                                               kTreesPolicy, kMutationPolicy,
                                               kNetworksPolicy};
  return kNames;
}

std::vector<Schedule> hone::coverOf(const DenseTable &table, size_t count) {
  struct Column {
    Schedule schedule;
    std::vector<std::pair<size_t, double>> logQualities; ///< by problem
  };
  // Sorted by text, so that ties do not depend on the order of the tables.
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
    double max = -1;
    for (auto at = columns.begin(); at != columns.end(); ++at)
      if (double gain = gainOf(at->second); gain > max) {
        max = gain;
        chosen = at;
      }
    for (const auto &[at, quality] : chosen->second.logQualities)
      reached[at] = std::max(reached[at], quality);
    cover.push_back(chosen->second.schedule);
    columns.erase(chosen);
  }
  return cover;
}

Peers hone::peersOf(const DenseTable &others, const Arch &arch,
                    llvm::ArrayRef<std::string> names, size_t coverCount,
                    const TreesOptions &trees) {
  Peers peers;
  if (llvm::is_contained(names, kCoverPolicy))
    peers.cover = coverOf(others, coverCount);
  if (llvm::is_contained(names, kNearestPolicy))
    for (const DenseShape &shape : others) {
      if (shape.seconds.empty())
        continue;
      size_t best = llvm::min_element(shape.seconds) - shape.seconds.begin();
      peers.problems.push_back(shape.problem);
      peers.winners.push_back(shape.schedules[best]);
    }
  if (llvm::is_contained(names, kTreesPolicy) ||
      llvm::is_contained(names, kMutationPolicy))
    peers.trees = growTrees(tasksOf(others, arch), trees);
  return peers;
}

static bool mayRun(const Schedule &schedule, const Problem &problem,
                   const Arch &arch, const Within &isWithin) {
  return isLegal(schedule, problem, arch) &&
         (!isWithin || isWithin(problem, schedule));
}

std::vector<Schedule> hone::coveredFor(const Peers &peers,
                                       const Problem &problem, const Arch &arch,
                                       const Within &isWithin) {
  std::vector<Schedule> list;
  for (const Schedule &schedule : peers.cover)
    if (mayRun(schedule, problem, arch, isWithin))
      list.push_back(schedule);
  return list;
}

std::vector<Schedule> hone::nearestFor(const Peers &peers,
                                       const Problem &problem, const Arch &arch,
                                       const Within &isWithin) {
  std::vector<Schedule> list;
  llvm::StringSet<> seen;
  for (const Neighbour &each : neighboursOf(problem, peers.problems)) {
    const Schedule &schedule =
        peers.winners[each.problem - peers.problems.data()];
    if (mayRun(schedule, problem, arch, isWithin) &&
        seen.insert(toString(schedule)).second)
      list.push_back(schedule);
  }
  return list;
}
