//===- EvolutionPolicy.cpp - Evolution from the fastest schedules ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model chooses the first generation. The next one is made when all
// results of the last one have arrived:
//
//   children  of the fastest so far, changed or crossed   } those that are
//   catalogue its untried schedules                       } expected to be fast
//   luck      one at random
//
// The expected time is the cost model's, corrected by its error for similar
// measured schedules. So schedules that are slower than the model predicts are
// abandoned after a few trials, and faster ones are followed. Children may lie
// outside of the range to which the model was fitted, so they are few.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Location.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <deque>
#include <map>
#include <set>

using namespace hone;
using namespace hone::detail;

static constexpr size_t kFirst = 16;     ///< the first generation
static constexpr size_t kGeneration = 8; ///< each other
static constexpr size_t kOfChildren = 2, kOfRandom = 1;
static constexpr size_t kParents = 6, kMoves = 8; ///< of each parent

namespace {
/// A schedule with its expected and its measured time. Times are logarithms of
/// seconds.
struct Individual {
  Schedule schedule;
  Location place;
  double estimate = 0;        ///< by the cost model
  std::optional<double> time; ///< none: not measured, or it failed
  bool wasReceived = false;
};
/// By text, so that proposals do not depend on the order of arrival.
using Population = std::map<std::string, Individual>;

class EvolutionPolicy : public Policy {
public:
  EvolutionPolicy(Space space, uint64_t seed);
  std::vector<Schedule> propose(size_t count) override;
  void receive(const Schedule &schedule, const Measurement &result) override;
  bool isWaiting() const override { return !awaited.empty(); }

private:
  Individual individualOf(const Schedule &schedule) const;
  void begin();
  void breed();
  void enlist(const Schedule &schedule);
  /// The most promising of a population join the next generation.
  void select(const Population &from, size_t count);
  void selectRandom(size_t count);
  Population children();
  double expectedTime(const Individual &candidate) const;

  const Space space;
  Dice dice;
  bool hasBegun = false;
  Population untried;              ///< of the catalogue
  Population known;                ///< proposed, or with a result
  std::deque<Schedule> generation; ///< schedules to propose
  std::set<std::string> awaited;   ///< proposed, without a result
};
} // namespace

EvolutionPolicy::EvolutionPolicy(Space moved, uint64_t seed)
    : space(std::move(moved)), dice(seed) {
  for (const Schedule &schedule : space.listed())
    untried.emplace(toString(schedule), individualOf(schedule));
}

Individual EvolutionPolicy::individualOf(const Schedule &schedule) const {
  Individual one = {schedule, locationOf(schedule), 0, std::nullopt};
  one.estimate = std::log(estimateSeconds(space.problem, space.arch, schedule));
  return one;
}

std::vector<Schedule> EvolutionPolicy::propose(size_t count) {
  if (generation.empty() && awaited.empty())
    hasBegun ? breed() : begin();
  std::vector<Schedule> some;
  for (; some.size() < count && !generation.empty(); generation.pop_front()) {
    some.push_back(generation.front());
    std::string text = toString(some.back());
    if (!known.at(text).wasReceived)
      awaited.insert(text);
  }
  return some;
}

void EvolutionPolicy::receive(const Schedule &schedule,
                              const Measurement &result) {
  std::string text = toString(schedule);
  awaited.erase(text);
  untried.erase(text);
  // An estimate may fail at its numbers, and no time follows from a law.
  if (result.status == Status::illegal &&
      check(schedule, &space.problem, &space.arch))
    return;
  Individual &one =
      known.try_emplace(text, individualOf(schedule)).first->second;
  one.wasReceived = true;
  one.time.reset();
  if (result.isOk())
    one.time = std::log(result.times.median);
}

//===----------------------------------------------------------------------===//
// Generations
//===----------------------------------------------------------------------===//

/// Removes the schedule from the children and the catalogue.
void EvolutionPolicy::enlist(const Schedule &schedule) {
  std::string text = toString(schedule);
  untried.erase(text);
  if (known.try_emplace(text, individualOf(schedule)).second)
    generation.push_back(schedule);
}

/// The default is tried with every policy, and its result is awaited, too:
/// otherwise the first generation that uses it would depend on timing.
void EvolutionPolicy::begin() {
  hasBegun = true;
  if (std::optional<Schedule> fallback = space.fallback())
    enlist(*fallback);
  std::vector<Schedule> ranked = space.ranked();
  ranked.resize(std::min(ranked.size(), kFirst));
  for (const Schedule &schedule : ranked)
    enlist(schedule);
  if (generation.empty())
    breed();
}

void EvolutionPolicy::breed() {
  Population young = children();
  select(young, kOfChildren);
  select(untried, kGeneration - kOfRandom - generation.size());
  selectRandom(kOfRandom);
  // In the end only children are left, and after them only random schedules.
  select(young, kGeneration - generation.size());
  selectRandom(kGeneration - generation.size());
}

void EvolutionPolicy::select(const Population &from, size_t count) {
  std::vector<std::pair<double, Schedule>> order;
  for (const auto &[text, one] : from)
    if (!known.count(text))
      order.emplace_back(expectedTime(one), one.schedule);
  llvm::stable_sort(order, llvm::less_first());
  order.resize(std::min(order.size(), count));
  for (const auto &[time, schedule] : order)
    enlist(schedule);
}

void EvolutionPolicy::selectRandom(size_t count) {
  constexpr int kTries = 20;
  for (int tries = 0; count > 0 && tries < kTries; ++tries) {
    size_t before = generation.size();
    if (std::optional<Schedule> drawn = space.draw(dice))
      enlist(*drawn);
    count -= generation.size() - before;
  }
}

Population EvolutionPolicy::children() {
  std::vector<std::pair<double, const Schedule *>> parents;
  for (const auto &[text, one] : known)
    if (one.time)
      parents.emplace_back(*one.time, &one.schedule);
  llvm::stable_sort(parents, llvm::less_first());
  parents.resize(std::min(parents.size(), kParents));
  Population young;
  auto add = [&](const std::optional<Schedule> &child) {
    if (child)
      young.try_emplace(toString(*child), individualOf(*child));
  };
  for (auto [time, parent] : parents)
    for (size_t moves = 0; moves < kMoves; ++moves) {
      add(space.change(*parent, dice));
      const Schedule &other = *parents[dice.below(parents.size())].second;
      if (formOf(other) == formOf(*parent))
        add(space.cross(*parent, other, dice));
    }
  return young;
}

//===----------------------------------------------------------------------===//
// Expected times
//===----------------------------------------------------------------------===//

/// The mean of the model's errors, weighted by closeness, with an error of zero
/// at a small weight. A candidate with no close neighbour may be better than
/// its estimate.
double EvolutionPolicy::expectedTime(const Individual &candidate) const {
  constexpr double kNoError = 0.4, kOfFailed = 0.5, kCurious = 0.1;
  double weights = kNoError, errors = 0;
  for (const auto &[text, one] : known) {
    if (!one.wasReceived)
      continue;
    double weight = closeness(candidate.place, one.place);
    weights += weight;
    errors += weight * (one.time ? *one.time - one.estimate : kOfFailed);
  }
  return candidate.estimate + errors / weights - kCurious / std::sqrt(weights);
}

std::unique_ptr<Policy> detail::makeEvolutionPolicy(Space space,
                                                    uint64_t seed) {
  return std::make_unique<EvolutionPolicy>(std::move(space), seed);
}
