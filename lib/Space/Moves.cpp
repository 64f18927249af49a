//===- Moves.cpp - Moves from one schedule to others ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Moves.h.
//
//===----------------------------------------------------------------------===//

#include "Moves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

Moves::Moves(const Problem &problem, const Arch &arch, Kinds kinds)
    : problem(problem), arch(arch) {
  for (const Kind *kind : kinds)
    if (!kind->refuseArch(arch) && !kind->refuseTypes(problem))
      levers.try_emplace(kind, *kind, problem, arch);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Sizes for about the same number of tiles: the smallest for each number, also
/// rounded up to units that more laws accept.
void Moves::addTight(const Place &place, int64_t value, int64_t extent,
                     Values &values) const {
  constexpr int64_t kLargestUnit = 64;
  int64_t tiles = llvm::divideCeilSigned(extent, value);
  for (int64_t count :
       {tiles - 1, tiles, tiles + 1, tiles + 2, tiles / 2, 2 * tiles}) {
    if (count < 1)
      continue;
    int64_t size = llvm::divideCeilSigned(extent, count);
    int64_t min = std::max<int64_t>(place.choice->step, 1);
    for (int64_t unit = min; unit <= kLargestUnit; unit *= 2)
      values.push_back(llvm::alignTo(size, unit));
  }
}

/// All kinds accept multiples of this for the sides of a tile.
static constexpr int64_t kWideUnit = 64;

/// The smallest multiple of a unit for each number of tiles.
Moves::Values Moves::tightSides(const Place &place, int64_t extent) const {
  constexpr int64_t kUnits[] = {8, kWideUnit}, kMax = 256;
  Values sides;
  for (int64_t unit : kUnits)
    for (int64_t size = kMax, tiles = 0; size > 0; size -= unit) {
      int64_t count = llvm::divideCeilSigned(extent, size);
      if (!place.choice->has(size))
        continue;
      if (count == tiles)
        sides.back() = size;
      else
        sides.push_back(size);
      tiles = count;
    }
  // The sides that more laws accept come first.
  llvm::sort(sides, [](int64_t one, int64_t other) {
    return std::pair(one % kWideUnit != 0, one) <
           std::pair(other % kWideUnit != 0, other);
  });
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  return sides;
}

Moves::Values Moves::valuesFor(const Levers &by, const Place &place,
                               int64_t value) const {
  constexpr int64_t kFew = 8, kMany = 256;
  const Choice &choice = *place.choice;
  Values values;
  if (choice.count() <= kFew) {
    for (int64_t at = 0; at < choice.count(); ++at)
      values.push_back(choice.at(at));
  } else {
    values = {value * 2, value / 2};
    if (choice.step && choice.count() <= kMany)
      for (int64_t steps : {-4, -2, -1, 1, 2, 4})
        values.push_back(value + steps * choice.step);
    if (place.at == by.rows)
      addTight(place, value, problem.m, values);
    if (place.at == by.cols)
      addTight(place, value, problem.n, values);
  }
  llvm::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  llvm::erase_if(values, [&](int64_t other) {
    return other == value || !choice.has(other);
  });
  return values;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

void Moves::forEachQuietChange(const Levers &by, const Schedule &schedule,
                               VisitFn visit) const {
  constexpr int64_t kFew = 8;
  for (const Place &place : by.places) {
    const Decision &decision = *place.decision;
    const Choice &choice = *place.choice;
    if (!decision.quiet || decision.isRewrite || decision.isSettled ||
        decision.size() != 1 || choice.count() > kFew ||
        (decision.matters && !decision.matters(schedule)))
      continue;
    for (int64_t number = 0; number < choice.count(); ++number) {
      Schedule other = schedule;
      other.numbers()[place.at] = choice.at(number);
      if (!(other == schedule))
        visit(other);
    }
  }
}

/// Visits the schedule with the maximum number of slots for one block, and with
/// the maximum for two blocks if one may hide the start and end of the other.
void Moves::visitFilled(const Levers &by, const Schedule &schedule,
                        VisitFn visit) const {
  if (by.slots == Levers::npos)
    return visit(schedule);
  constexpr int64_t kReserved = 1024;
  const SlotSizes sizes = by.slotSizes(schedule, problem);
  Schedule filled = schedule;
  for (int64_t blocks : {1, 2}) {
    if (blocks > 1 && sizes.isPersistent)
      break;
    int64_t bytes = std::min(arch.sharedPerProcessor / blocks - kReserved,
                             arch.sharedPerBlock);
    std::optional<int64_t> slots = by.slotsThatFit(sizes, bytes);
    if (!slots || (blocks > 1 && *slots == filled.numbers()[by.slots]))
      continue;
    filled.numbers()[by.slots] = *slots;
    visit(filled);
  }
}

/// The first number of a decision.
static const Place &firstOf(const Levers &by, const Decision *decision) {
  return *llvm::find_if(by.places, [&](const Place &place) {
    return place.decision == decision;
  });
}

/// Resets decisions that no longer matter (law 4).
static void tidy(const Levers &by, Schedule &schedule) {
  for (const Place &place : by.places)
    if (place.decision->matters && !place.decision->matters(schedule))
      schedule.numbers()[place.at] = place.choice->usual;
}

/// Changes both numbers of a decision at once, as in `consumers = 2x1` to 1x2.
template <typename VisitT>
static void visitPairs(const Place &place, const Schedule &from, VisitT visit) {
  constexpr int64_t kMax = 16, kShared[] = {1, 2, 4};
  const Decision &decision = *place.decision;
  if (place.at != place.first || decision.size() != 2 ||
      place.choice->count() > kMax)
    return;
  for (int64_t first : kShared)
    for (int64_t second : kShared) {
      Schedule moved = from;
      moved.numbers()[place.at] = first;
      moved.numbers()[place.at + 1] = second;
      bool isBoth = first != from.numbers()[place.at] &&
                    second != from.numbers()[place.at + 1];
      if (isBoth && decision.choices[0].has(first) &&
          decision.choices[1].has(second))
        visit(moved, place);
    }
}

void Moves::forEach(const Schedule &from, VisitFn visit, bool alsoQuiet) const {
  const Levers &by = leversOf(from.kind());
  auto visitTidy = [&](Schedule moved, const Place &place) {
    tidy(by, moved);
    if (place.isOfLaunch() || place.at == by.slots)
      return visit(moved);
    visitFilled(by, moved, visit);
  };
  for (const Place &place : by.places) {
    if (place.decision->isRewrite || place.decision->isSettled ||
        (place.decision->quiet && !alsoQuiet) ||
        (place.decision->matters && !place.decision->matters(from)))
      continue;
    for (int64_t value : valuesFor(by, place, from.numbers()[place.at])) {
      Schedule moved = from;
      moved.numbers()[place.at] = value;
      visitTidy(moved, place);
    }
    visitPairs(place, from, visitTidy);
  }
}

void Moves::forEachQuiet(const Schedule &schedule, VisitFn visit) const {
  const Levers &by = leversOf(schedule.kind());
  forEachQuietChange(by, schedule, [&](const Schedule &other) {
    visit(other);
    visitFilled(by, other, [&](const Schedule &filled) {
      if (!(filled == other))
        visit(filled);
    });
  });
}

void Moves::forEachRoomier(const Schedule &schedule, VisitFn visit) const {
  constexpr int64_t kEnough = 4;
  const Levers &by = leversOf(schedule.kind());
  if (by.slots == Levers::npos || schedule.numbers()[by.slots] >= kEnough)
    return;
  // The cheapest of the changes that free the same memory.
  std::map<int64_t, std::pair<int64_t, Schedule>> best;
  forEachQuietChange(by, schedule, [&](Schedule other) {
    std::optional<int64_t> slots =
        by.slotsThatFit(by.slotSizes(other, problem), arch.sharedPerBlock);
    if (!slots || *slots <= schedule.numbers()[by.slots])
      return;
    other.numbers()[by.slots] = *slots;
    int64_t bytes = blockFacts(problem, other).sharedBytes;
    auto [at, isNew] = best.try_emplace(*slots, bytes, other);
    if (!isNew && bytes > at->second.first)
      at->second = {bytes, other};
  });
  for (auto &[slots, one] : best)
    visit(one.second);
}

void Moves::forEachSides(
    const Levers &by, llvm::function_ref<void(int64_t, int64_t)> visit) const {
  if (by.rows == Levers::npos || by.cols == Levers::npos)
    return;
  auto sidesOf = [&](size_t at, int64_t extent) {
    const Place &place = *llvm::find_if(
        by.places, [&](const Place &place) { return place.at == at; });
    return tightSides(place, extent);
  };
  Values cols = sidesOf(by.cols, problem.n);
  for (int64_t row : sidesOf(by.rows, problem.m))
    for (int64_t col : cols)
      visit(row, col);
}

bool Moves::visitTile(const Levers &by, Schedule schedule, int64_t row,
                      int64_t col, TileFn visit) const {
  schedule.numbers()[by.rows] = row;
  schedule.numbers()[by.cols] = col;
  bool isLegal = false;
  visitFilled(by, schedule,
              [&](const Schedule &filled) { isLegal |= visit(filled); });
  return isLegal;
}

void Moves::forEachTile(const Schedule &schedule, TileFn visit) const {
  constexpr int64_t kRounds = 8;
  // A side that is illegal with this many others counts as illegal with all.
  constexpr int kProbes = 6;
  const Levers &by = leversOf(schedule.kind());
  constexpr int kLegal = -1;
  std::map<int64_t, int> illegalRows, illegalCols; ///< probes
  forEachSides(by, [&](int64_t row, int64_t col) {
    int64_t tiles = llvm::divideCeilSigned(problem.m, row) *
                    llvm::divideCeilSigned(problem.n, col) *
                    problem.batch.value_or(1);
    int &ofRow = illegalRows[row], &ofCol = illegalCols[col];
    if (tiles > kRounds * arch.processors || ofRow == kProbes ||
        ofCol == kProbes)
      return;
    if (visitTile(by, schedule, row, col, visit))
      ofRow = ofCol = kLegal;
    for (int *count : {&ofRow, &ofCol})
      if (*count != kLegal)
        ++*count;
  });
}

void Moves::forEachFullWave(const Schedule &schedule, TileFn visit) const {
  constexpr int64_t kRounds = 2;
  constexpr size_t kMaxTried = 8, kMaxLegal = 2;
  const Levers &by = leversOf(schedule.kind());
  auto clusterOf = [&](const Schedule &one) {
    return blockFacts(problem, one).cluster;
  };
  bool isAlone = clusterOf(schedule) == std::array<int64_t, 2>{1, 1};
  forEachCluster(schedule, [&](const Schedule &shared) {
    std::array<int64_t, 2> cluster = clusterOf(shared);
    int64_t size = cluster[0] * cluster[1];
    if (isAlone != (size == 1))
      return;
    int64_t atATime = arch.residentClusters(size) * size;
    if (atATime == 0)
      return;
    // By number of rounds of tiles: their area, and the sides of a tile.
    std::array<std::vector<std::array<int64_t, 3>>, kRounds> best;
    forEachSides(by, [&](int64_t row, int64_t col) {
      if (row % kWideUnit != 0 && col % kWideUnit != 0)
        return;
      auto tilesOf = [](int64_t extent, int64_t side, int64_t together) {
        return llvm::alignTo(llvm::divideCeilSigned(extent, side), together);
      };
      int64_t tiles = tilesOf(problem.m, row, cluster[0]) *
                      tilesOf(problem.n, col, cluster[1]) *
                      problem.batch.value_or(1);
      int64_t rounds = llvm::divideCeilSigned(tiles, atATime);
      if (rounds <= kRounds)
        best[rounds - 1].push_back({rounds * row * col, row, col});
    });
    for (auto &tiles : best) {
      llvm::sort(tiles);
      size_t legal = 0;
      for (auto [area, row, col] : llvm::ArrayRef(tiles).take_front(kMaxTried))
        if (visitTile(by, shared, row, col, visit) && ++legal == kMaxLegal)
          break;
    }
  });
}

void Moves::forEachCluster(const Schedule &schedule, VisitFn visit) const {
  const Levers &by = leversOf(schedule.kind());
  if (!by.cluster || by.cluster->size() != 2)
    return visit(schedule);
  const Place &place = firstOf(by, by.cluster);
  Schedule other = schedule;
  for (int64_t along : {1, 2})
    for (int64_t across : {1, 2}) {
      other.numbers()[place.first] = along;
      other.numbers()[place.first + 1] = across;
      visit(other);
    }
}

void Moves::forEachSharing(const Schedule &schedule, bool asMany,
                           VisitFn visit) const {
  const Levers &by = leversOf(schedule.kind());
  if (!by.sharers)
    return;
  const Place &first = firstOf(by, by.sharers);
  Schedule other = schedule;
  size_t size = by.sharers->size();
  const Choice &inner = by.sharers->choices[size - 1];
  const Choice &outer = by.sharers->choices[0];
  auto sharersOf = [&](const Schedule &one) {
    return one.numbers()[first.at] * one.numbers()[first.at + size - 1];
  };
  for (int64_t at = 0; at < outer.count(); ++at)
    for (int64_t last = 0; last < inner.count(); ++last) {
      other.numbers()[first.at] = outer.at(at);
      other.numbers()[first.at + size - 1] = inner.at(last);
      if (!asMany || sharersOf(other) == sharersOf(schedule))
        visitFilled(by, other, visit);
    }
}
