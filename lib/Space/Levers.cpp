//===- Levers.cpp - Effects of a kind's numbers on a block ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Levers.h.
//
//===----------------------------------------------------------------------===//

#include "Levers.h"
#include <tuple>

using namespace hone;
using namespace hone::detail;

static std::vector<Place> placesOf(const Kind &kind) {
  std::vector<Place> places;
  for (const Decision &decision : kind.decisions) {
    size_t first = places.size();
    for (size_t part = 0; part < decision.size(); ++part)
      places.push_back(
          {&decision, &decision.choices[part], first, places.size()});
  }
  return places;
}

/// Compares all facts but the order in which tiles are walked.
static bool areAlike(const BlockFacts &one, const BlockFacts &other) {
  auto made = [](const BlockFacts &facts) {
    return std::tuple(facts.tile, facts.stages, facts.splits, facts.parts,
                      facts.cluster, facts.persistent, facts.teams,
                      facts.sharers, facts.slices, facts.productCols,
                      facts.sharedBytesPerStep, facts.threads,
                      facts.sharedBytes, facts.registers);
  };
  return made(one) == made(other);
}

static bool isAnotherOrder(const BlockFacts &one, const BlockFacts &other) {
  return areAlike(one, other) && std::pair(one.group, one.bandsAlongN) !=
                                     std::pair(other.group, other.bandsAlongN);
}

/// Facts are functions of the numbers, whether these keep the laws or not.
/// Twice a number always changes the tile or count that it defines.
Levers::Levers(const Kind &kind, const Problem &problem, const Arch &arch)
    : places(placesOf(kind)) {
  Schedule usual = kind.makeDefault(problem, arch);
  BlockFacts before = blockFacts(problem, usual);
  for (Place &place : places) {
    Schedule changed = usual;
    int64_t &value = changed.numbers()[place.at];
    value = value * 2 <= place.choice->max ? value * 2 : place.choice->min;
    BlockFacts after = blockFacts(problem, changed);
    place.isOrder = isAnotherOrder(before, after);
    if (place.isOfForm() || place.isOfLaunch())
      continue;
    if (after.tile[0] != before.tile[0])
      rows = place.at;
    else if (after.tile[1] != before.tile[1])
      cols = place.at;
    else if (after.stages != before.stages)
      slots = place.at;
    else if (after.sharers != before.sharers && !sharers)
      sharers = place.decision;
    else if (after.cluster != before.cluster && !cluster)
      cluster = place.decision;
  }
}

SlotSizes Levers::slotSizes(Schedule schedule, const Problem &problem) const {
  const Choice &choice = *places[slots].choice;
  schedule.numbers()[slots] = choice.max;
  BlockFacts facts = blockFacts(problem, schedule);
  schedule.numbers()[slots] = choice.max - 1;
  int64_t fewer = blockFacts(problem, schedule).sharedBytes;
  return {facts.sharedBytes, facts.sharedBytes - fewer, facts.persistent};
}

/// Bytes grow by the same amount for every slot, where slots are the largest
/// part.
std::optional<int64_t> Levers::slotsThatFit(const SlotSizes &sizes,
                                            int64_t bytes) const {
  const Choice &choice = *places[slots].choice;
  if (sizes.all <= bytes)
    return choice.max;
  if (sizes.slot <= 0)
    return std::nullopt;
  int64_t count =
      choice.max - (sizes.all - bytes + sizes.slot - 1) / sizes.slot;
  if (count < choice.min)
    return std::nullopt;
  return count;
}
