//===- Draw.cpp - Drawn schedules for a problem ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Draw.h. The choice from the schedules that the climb visited, and
// samples.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Draw.h"
#include "Climb.h"
#include "Moves.h"
#include "hone/Schedule/BySchedule.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace hone;
using namespace hone::detail;

DrawOptions hone::quickDraw() {
  DrawOptions options;
  options.max = 64;
  options.looks = 30000;
  return options;
}

static void begin(const Problem &problem, const Arch &arch, Kinds kinds,
                  Climb &climb) {
  climb.begin(catalogue(problem, arch));
  for (const Kind *kind : kinds)
    if (!kind->refuseArch(arch) && !kind->refuseTypes(problem))
      climb.look(kind->makeDefault(problem, arch));
}

namespace {
/// Limits the number of similar schedules: of those that differ only in slots
/// and in numbers of the launch, of those with one tile, and of those in a
/// niche.
class Choosing {
public:
  explicit Choosing(size_t max) : max(max) {}
  void take(const Seen &one) {
    constexpr size_t kOfCut = 2, kOfTile = 6, kOfNiche = 3;
    if (cuts[one.cut] < kOfCut && tiles[one.tile] < kOfTile &&
        niches[one.niche] <= max / kOfNiche)
      fill(one);
  }
  void fill(const Seen &one) {
    if (chosen.size() >= max || !taken.insert(&one).second)
      return;
    ++cuts[one.cut];
    ++tiles[one.tile];
    ++niches[one.niche];
    chosen.push_back(&one);
  }
  std::vector<const Seen *> chosen;

private:
  const size_t max;
  std::map<uint64_t, size_t> cuts, tiles;
  std::map<size_t, size_t> niches;
  std::set<const Seen *> taken;
};
} // namespace

static bool isCheaper(const Seen *one, const Seen *other) {
  return one->price < other->price;
}

/// The best by price; a long list contains the best of every promising niche,
/// too.
static std::vector<Priced> diverse(const Climb &climb, size_t max) {
  constexpr double kPromising = 1.5, kHopeless = 3;
  std::vector<const Seen *> order;
  for (const Seen &one : climb.seen())
    order.push_back(&one);
  llvm::stable_sort(order, isCheaper);
  Choosing choosing(max);
  std::set<size_t> niches;
  if (max >= 4 * climb.niches())
    for (const Seen *one : order)
      if (one->price < kPromising * order[0]->price &&
          niches.insert(one->niche).second)
        choosing.take(*one);
  for (const Seen *one : order)
    if (one->price < kHopeless * order[0]->price)
      choosing.take(*one);
  llvm::stable_sort(choosing.chosen, isCheaper);
  // The remaining room goes to similar schedules.
  for (const Seen *one : order)
    choosing.fill(*one);
  std::vector<Priced> result;
  for (const Seen *one : choosing.chosen)
    result.push_back({one->schedule, one->seconds, one->price});
  return result;
}

std::vector<Priced> hone::drawn(const Problem &problem, const Arch &arch,
                                const DrawOptions &options) {
  Climb climb(problem, arch, options.kinds);
  begin(problem, arch, options.kinds, climb);
  climb.climb(options.looks);
  return diverse(climb, options.max);
}

std::vector<Schedule> hone::quietVariants(const Schedule &schedule,
                                          const Problem &problem,
                                          const Arch &arch) {
  Moves moves(problem, arch, &schedule.kind());
  std::vector<Schedule> variants;
  if (moves.has(schedule.kind()))
    moves.forEachQuiet(schedule, [&](const Schedule &given) {
      Schedule other = settled(given, problem);
      if (!(other == schedule) && isLegal(other, problem, arch))
        variants.push_back(std::move(other));
    });
  return variants;
}

std::vector<Schedule> hone::neighboursOf(const Schedule &schedule,
                                         const Problem &problem,
                                         const Arch &arch, double seconds) {
  Climb climb(problem, arch, &schedule.kind());
  if (!climb.moves.has(schedule.kind()) ||
      climb.look(schedule) != Climb::Found::fresh)
    return {};
  climb.lookAround(/*index=*/0, /*alsoQuiet=*/true);
  std::vector<Schedule> variants;
  for (const Seen &one : climb.seen().drop_front())
    if (one.seconds <= seconds)
      variants.push_back(one.schedule);
  return variants;
}

std::vector<Schedule> hone::tileVariants(const Schedule &schedule,
                                         const Problem &problem,
                                         const Arch &arch, double seconds) {
  Climb climb(problem, arch, &schedule.kind());
  std::vector<Schedule> variants;
  if (!climb.moves.has(schedule.kind()))
    return variants;
  climb.moves.forEachCluster(
      schedule, [&](const Schedule &shared) { climb.lookAtTiles(shared); });
  for (const Seen &one : climb.seen())
    if (one.seconds <= seconds)
      variants.push_back(one.schedule);
  return variants;
}

std::optional<Schedule> hone::fittedTile(const Schedule &schedule,
                                         const Problem &problem,
                                         const Arch &arch) {
  Climb climb(problem, arch, &schedule.kind());
  std::optional<Schedule> best;
  double min = 0;
  if (climb.moves.has(schedule.kind()))
    climb.moves.forEachTile(schedule, [&](const Schedule &other) {
      std::optional<double> seconds = climb.secondsOf(other);
      if (seconds && (!best || *seconds < min)) {
        best = settled(other, problem);
        min = *seconds;
      }
      return seconds.has_value();
    });
  return best;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// A walk of legal moves; it accepts each step that is not far too slow.
static std::optional<Schedule> walked(const Climb &climb, const Schedule &start,
                                      double max, Dice &dice) {
  constexpr size_t kSteps = 24;
  std::optional<Schedule> at;
  Schedule here = start;
  for (size_t step = 0; step < kSteps; ++step) {
    std::vector<Schedule> moves;
    climb.moves.forEach(here,
                        [&](const Schedule &moved) { moves.push_back(moved); });
    constexpr size_t kTries = 40;
    for (size_t tries = 0; tries < kTries && !moves.empty(); ++tries) {
      const Schedule &moved = moves[dice.below(moves.size())];
      if (std::optional<double> seconds = climb.secondsOf(moved);
          seconds && *seconds <= max) {
        here = settled(moved, climb.problem);
        at = here;
        break;
      }
    }
  }
  return at;
}

/// `schedule` with one or two rewrites drawn from the menu; none if no law
/// allows them.
static std::optional<Schedule> withRewrites(Schedule schedule,
                                            const Climb &climb, Dice &dice) {
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> menu;
  for (const Decision &decision : schedule.kind().decisions)
    if (decision.isRewrite && (!decision.matters || decision.matters(schedule)))
      for (llvm::StringRef word : decision.words)
        menu.emplace_back(decision.name, word);
  if (menu.empty())
    return std::nullopt;
  for (size_t left = 1 + dice.below(2); left > 0; --left) {
    auto [name, word] = menu[dice.below(menu.size())];
    llvm::cantFail(schedule.decide(name, word));
  }
  if (schedule.rewrites().empty() || !climb.secondsOf(schedule))
    return std::nullopt;
  return schedule;
}

std::vector<Schedule> hone::sampled(const Problem &problem, const Arch &arch,
                                    size_t count, uint64_t seed) {
  constexpr double kFarTooSlow = 3;
  Climb climb(problem, arch, allKinds());
  begin(problem, arch, allKinds(), climb);
  climb.climb(DrawOptions().looks);
  std::vector<Schedule> sample;
  detail::ScheduleSet seen;
  auto add = [&](const Schedule &schedule) {
    if (seen.insert(schedule).second)
      sample.push_back(schedule);
  };
  for (const Priced &one : diverse(climb, (count + 1) / 2))
    add(one.schedule);
  std::map<size_t, std::vector<size_t>> niches;
  double min = HUGE_VAL;
  for (const Seen &one : climb.seen())
    min = std::min(min, one.seconds);
  for (auto [at, one] : llvm::enumerate(climb.seen()))
    if (one.seconds <= kFarTooSlow * min)
      niches[one.niche].push_back(at);
  Dice dice(seed);
  constexpr size_t kTries = 8;
  for (size_t tries = 0;
       sample.size() < count && tries < kTries * count && !niches.empty();
       ++tries) {
    const auto &members =
        std::next(niches.begin(), tries % niches.size())->second;
    const Schedule start =
        climb.seen()[members[dice.below(members.size())]].schedule;
    if (std::optional<Schedule> found =
            walked(climb, start, kFarTooSlow * min, dice))
      add(*found);
  }
  // The last eighth are rewritten, half of them the most promising.
  constexpr size_t kEvery = 8;
  const size_t plain = sample.size() - sample.size() / kEvery;
  sample.resize(plain);
  for (size_t tries = 0;
       sample.size() < plain + plain / (kEvery - 1) && tries < kTries * plain;
       ++tries) {
    size_t among = tries % 2 ? plain : (plain + kEvery - 1) / kEvery;
    if (std::optional<Schedule> found =
            withRewrites(sample[dice.below(among)], climb, dice))
      add(*found);
  }
  return sample;
}
