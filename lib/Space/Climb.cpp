//===- Climb.cpp - Exploration of the space by moves ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Climb.h. Most rows break a law, which is checked first; the cost model
// ranks the rest.
//
//===----------------------------------------------------------------------===//

#include "Climb.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace hone;
using namespace hone::detail;

/// Schedules within this factor of the best price are explored further.
static constexpr double kPromising = 1.5;

/// The same on every machine and in every run, unlike llvm::hash_value.
static uint64_t hashOf(const Kind &kind, llvm::ArrayRef<int64_t> numbers) {
  llvm::ArrayRef bytes(reinterpret_cast<const uint8_t *>(numbers.data()),
                       numbers.size() * sizeof(int64_t));
  return llvm::xxh3_64bits(bytes) ^ llvm::xxh3_64bits(kind.name);
}

/// A hash of the numbers that define the kernel.
static uint64_t kernelHash(const Schedule &schedule, const Levers &levers) {
  llvm::SmallVector<int64_t, 16> numbers(schedule.numbers());
  for (const Place &place : levers.places)
    if (place.isOfLaunch())
      numbers[place.at] = 0;
  return hashOf(schedule.kind(), numbers);
}

/// The same without slots, the order of tiles and the rarely changed decisions.
static uint64_t cutHash(const Schedule &schedule, const Levers &levers) {
  llvm::SmallVector<int64_t, 16> numbers(schedule.numbers());
  for (const Place &place : levers.places)
    if (place.isOfLaunch() || place.isOrder || place.decision->quiet ||
        place.at == levers.slots)
      numbers[place.at] = 0;
  return hashOf(schedule.kind(), numbers);
}

Climb::Climb(const Problem &problem, const Arch &arch, Kinds kinds)
    : moves(problem, arch, kinds), problem(problem), arch(arch) {}

//===----------------------------------------------------------------------===//
// Visits
//===----------------------------------------------------------------------===//

bool Climb::isLegal(const Schedule &schedule) const {
  for (const Place &place : moves.leversOf(schedule.kind()).places)
    if (!place.choice->has(schedule.numbers()[place.at]))
      return false;
  return hone::isLegal(schedule, problem, arch);
}

/// The niche is the form of a schedule in numbers, and the presence of sharing.
/// Rarely changed decisions make no niche.
size_t Climb::nicheOf(const Schedule &schedule, const BlockFacts &facts) {
  std::vector<int64_t> key(schedule.kind().name.begin(),
                           schedule.kind().name.end());
  for (const Place &place : moves.leversOf(schedule.kind()).places)
    if (place.isOfForm() && !place.isOrder && !place.decision->quiet)
      key.push_back(schedule.numbers()[place.at]);
  key.push_back(facts.splits > 1);
  key.push_back(facts.cluster[0] * facts.cluster[1] > 1);
  auto [at, isNew] = nicheNumbers.try_emplace(key, byNiche.size());
  if (isNew)
    byNiche.emplace_back();
  return at->second;
}

std::optional<double> Climb::secondsOf(const Schedule &given) const {
  Schedule schedule = settled(given, problem);
  if (!isLegal(schedule))
    return std::nullopt;
  return estimateSeconds(problem, arch, schedule);
}

Climb::Found Climb::look(const Schedule &given) {
  Schedule schedule = settled(given, problem);
  if (!known.insert(hashOf(schedule.kind(), schedule.numbers())).second)
    return Found::known;
  // A legal schedule costs the time of an estimate as well.
  constexpr size_t kOfLegal = 8;
  ++tried;
  if (!isLegal(schedule))
    return Found::illegal;
  tried += kOfLegal - 1;
  constexpr double kOfNewKernel = 1.005;
  const Levers &by = moves.leversOf(schedule.kind());
  BlockFacts facts = blockFacts(problem, schedule);
  double seconds = estimateSeconds(problem, arch, facts);
  double price =
      seconds * (inUse.count(kernelHash(schedule, by)) ? 1 : kOfNewKernel);
  size_t niche = nicheOf(schedule, facts);
  all.push_back({schedule, seconds, price, niche, cutHash(schedule, by),
                 hashOf(schedule.kind(), {facts.tile[0], facts.tile[1]})});
  byNiche[niche].members.push_back(all.size() - 1);
  byNiche[niche].best = std::min(byNiche[niche].best, price);
  min = std::min(min, price);
  return Found::fresh;
}

void Climb::begin(llvm::ArrayRef<Schedule> schedules) {
  for (const Schedule &schedule : schedules)
    if (moves.has(schedule.kind()))
      inUse.insert(kernelHash(settled(schedule, problem),
                              moves.leversOf(schedule.kind())));
  for (const Schedule &schedule : schedules)
    if (moves.has(schedule.kind()))
      look(schedule);
}

//===----------------------------------------------------------------------===//
// Climbing
//===----------------------------------------------------------------------===//

/// A tile may be faster if it is shared along the other extent; an illegal tile
/// may be legal with more or fewer sharers.
bool Climb::lookOrShare(const Schedule &schedule, const Levers &by) {
  Found found = look(schedule);
  if (found == Found::known)
    return true;
  bool isLegal = found == Found::fresh;
  if (by.rows != Levers::npos)
    moves.forEachSharing(
        schedule, /*asMany=*/found == Found::fresh,
        [&](const Schedule &other) { isLegal |= look(other) == Found::fresh; });
  return isLegal;
}

/// The tiles that fill the processors, with the least waste, change from one
/// size to the next. Steps between neighbours miss the best of them.
void Climb::lookAtTiles(const Schedule &from) {
  const Levers &by = moves.leversOf(from.kind());
  size_t before = all.size();
  moves.forEachTile(
      from, [&](const Schedule &moved) { return lookOrShare(moved, by); });
  for (size_t at = before, end = all.size(); at < end; ++at)
    if (all[at].price < kPromising * min)
      moves.forEachRoomier(Schedule(all[at].schedule),
                           [&](const Schedule &roomier) { look(roomier); });
}

void Climb::lookAtFullWaves(const Schedule &from) {
  const Levers &by = moves.leversOf(from.kind());
  moves.forEachFullWave(
      from, [&](const Schedule &moved) { return lookOrShare(moved, by); });
}

void Climb::lookAround(size_t index, bool alsoQuiet) {
  all[index].wasLookedAround = true;
  const Schedule from = all[index].schedule;
  const Levers &by = moves.leversOf(from.kind());
  moves.forEach(
      from,
      [&](const Schedule &moved) {
        bool isOtherTile =
            by.rows != Levers::npos &&
            (moved.numbers()[by.rows] != from.numbers()[by.rows] ||
             moved.numbers()[by.cols] != from.numbers()[by.cols]);
        if (isOtherTile)
          lookOrShare(moved, by);
        else
          look(moved);
      },
      alsoQuiet);
}

/// Explores around the best of a niche, skipping cuts and tiles that were
/// explored often.
bool Climb::lookAroundNext(size_t number) {
  constexpr int kOfCut = 1, kOfTile = 3;
  Niche &niche = byNiche[number];
  std::optional<size_t> best;
  for (size_t at : niche.members) {
    const Seen &one = all[at];
    if (one.wasLookedAround || (best && one.price >= all[*best].price))
      continue;
    auto count = [](const std::unordered_map<uint64_t, int> &counts,
                    uint64_t key) {
      auto found = counts.find(key);
      return found == counts.end() ? 0 : found->second;
    };
    if (count(niche.aroundCuts, one.cut) < kOfCut &&
        count(niche.aroundTiles, one.tile) < kOfTile)
      best = at;
  }
  if (!best)
    return false;
  constexpr size_t kQuietAt = 4;
  bool isFirst = niche.aroundCuts.empty() && niche.best < kPromising * min;
  ++niche.aroundCuts[all[*best].cut];
  ++niche.aroundTiles[all[*best].tile];
  bool alsoQuiet = niche.aroundCuts.size() == kQuietAt;
  if (isFirst)
    lookAtTiles(Schedule(all[*best].schedule));
  lookAround(*best, alsoQuiet);
  return true;
}

/// The first schedule of a niche has the tile of another one, and may be slow
/// for that reason alone.
void Climb::fitNewNiches() {
  constexpr double kHopeless = 3;
  for (size_t number = 0; number < byNiche.size(); ++number) {
    Niche &niche = byNiche[number];
    if (niche.wasFitted || niche.best >= kHopeless * min)
      continue;
    niche.wasFitted = true;
    size_t best = niche.members[0];
    for (size_t at : niche.members)
      if (all[at].price < all[best].price)
        best = at;
    // The budget is for the climb.
    const size_t before = tried;
    lookAtFullWaves(Schedule(all[best].schedule));
    tried = before;
  }
}

/// Explores the niches in turns, the more promising ones more often.
void Climb::climb(size_t looks) {
  size_t end = tried + looks;
  bool goesOn = true;
  for (size_t round = 0; goesOn && tried < end; ++round) {
    goesOn = false;
    fitNewNiches();
    const double best = min;
    std::vector<std::pair<double, size_t>> order;
    for (size_t at = 0; at < byNiche.size(); ++at)
      order.emplace_back(byNiche[at].best, at);
    llvm::sort(order);
    for (auto [price, niche] : order) {
      constexpr double kHopeful = 1.3, kHopeless = 2;
      size_t every = price < kHopeful * best    ? 1
                     : price < kHopeless * best ? 4
                                                : 16;
      if (tried >= end)
        break;
      if (round % every != every - 1)
        goesOn = true;
      else
        goesOn |= lookAroundNext(niche);
    }
  }
  fitNewNiches();
}
