//===- Space.cpp - Schedules that a policy may propose --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Space.h. Most rows break a law, so every move is a number of tries.
//
//===----------------------------------------------------------------------===//

#include "Space.h"
#include "hone/Search/Catalogue.h"
#include "hone/Search/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace hone;
using namespace hone::detail;

//===----------------------------------------------------------------------===//
// Schedules and rows
//===----------------------------------------------------------------------===//

Row detail::rowOf(const Schedule &schedule) { return Row(schedule.numbers()); }

Schedule detail::withRow(Schedule schedule, llvm::ArrayRef<int64_t> row) {
  llvm::copy(row, schedule.numbers().begin());
  return schedule;
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

Space::Space(const Problem &problem, const Arch &arch, Within isWithin,
             Kinds kinds)
    : problem(problem), arch(arch), isWithin(std::move(isWithin)) {
  for (const Schedule &schedule : catalogue(problem, arch))
    if (llvm::is_contained(kinds, &schedule.kind()) && contains(schedule)) {
      list.push_back(schedule);
      add(schedule);
    }
  for (const Kind *kind : kinds) {
    Schedule usual = kind->makeDefault(problem, arch);
    if (contains(usual))
      add(usual);
  }
  for (auto &[kind, places] : valuesOf)
    for (std::vector<int64_t> &values : places) {
      llvm::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
}

void Space::add(const Schedule &schedule) {
  Row row = rowOf(schedule);
  members.push_back(schedule);
  std::vector<std::vector<int64_t>> &places = valuesOf[schedule.kind().name];
  places.resize(row.size());
  size_t at = 0;
  for (const Decision &decision : schedule.kind().decisions)
    for (size_t end = at + decision.size(); at < end; ++at) {
      places[at].push_back(row[at]);
      for (size_t word = 1; word <= decision.words.size(); ++word)
        places[at].push_back(word);
      if (!decision.words.empty())
        continue;
      places[at].push_back(row[at] * 2);
      if (row[at] % 2 == 0)
        places[at].push_back(row[at] / 2);
    }
}

bool Space::contains(const Schedule &schedule) const {
  return !check(schedule, &problem, &arch) && !checkMemory(schedule, problem) &&
         (!isWithin || isWithin(problem, schedule));
}

std::vector<Schedule> Space::ranked() const {
  std::vector<std::pair<double, const Schedule *>> order;
  for (const Schedule &schedule : list)
    order.emplace_back(estimateSeconds(problem, arch, schedule), &schedule);
  // Equal estimates stay in the kinds' order.
  llvm::stable_sort(order, llvm::less_first());
  std::vector<Schedule> result;
  for (const auto &[seconds, schedule] : order)
    result.push_back(*schedule);
  return result;
}

std::optional<Schedule> Space::fallback() const {
  Schedule usual = defaultSchedule(problem, arch);
  return contains(usual) ? std::optional(usual) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

std::optional<Schedule> Space::made(const Schedule &base,
                                    llvm::ArrayRef<int64_t> row) const {
  Schedule schedule = withRow(base, row);
  return contains(schedule) ? std::optional(schedule) : std::nullopt;
}

std::optional<Schedule> Space::draw(Dice &dice) const {
  if (members.empty())
    return std::nullopt;
  // Decisions exclude each other, so rows that are all luck are seldom legal.
  constexpr int kTries = 200;
  for (int tries = 0; tries < kTries; ++tries) {
    const Schedule &member = members[dice.below(members.size())];
    Row row = rowOf(member);
    const std::vector<std::vector<int64_t>> &values =
        valuesOf.find(member.kind().name)->second;
    for (size_t place = 0; place < row.size(); ++place)
      if (dice.below(2))
        row[place] = values[place][dice.below(values[place].size())];
    if (std::optional<Schedule> drawn = made(member, row))
      return drawn;
  }
  return members[dice.below(members.size())];
}

std::optional<Schedule> Space::change(const Schedule &schedule,
                                      Dice &dice) const {
  auto at = valuesOf.find(schedule.kind().name);
  if (at == valuesOf.end())
    return std::nullopt;
  const Row before = rowOf(schedule);
  constexpr int kTries = 30;
  for (int tries = 0; tries < kTries; ++tries) {
    Row row = before;
    for (size_t changes = 1 + dice.below(2); changes > 0; --changes) {
      size_t place = dice.below(row.size());
      const std::vector<int64_t> &values = at->second[place];
      row[place] = values[dice.below(values.size())];
    }
    if (row == before)
      continue;
    if (std::optional<Schedule> changed = made(schedule, row))
      return changed;
  }
  return std::nullopt;
}

std::optional<Schedule> Space::cross(const Schedule &one, const Schedule &other,
                                     Dice &dice) const {
  const Row first = rowOf(one), second = rowOf(other);
  constexpr int kTries = 10;
  for (int tries = 0; tries < kTries; ++tries) {
    Row row = first;
    for (size_t place = 0; place < row.size(); ++place)
      if (dice.below(2))
        row[place] = second[place];
    if (row == first || row == second)
      continue;
    if (std::optional<Schedule> crossed = made(one, row))
      return crossed;
  }
  return std::nullopt;
}
