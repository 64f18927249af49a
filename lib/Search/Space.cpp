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

static void forEachOf(int64_t &knob, llvm::function_ref<void(int64_t &)> each) {
  each(knob);
}
template <size_t size>
static void forEachOf(std::array<int64_t, size> &knob,
                      llvm::function_ref<void(int64_t &)> each) {
  for (int64_t &number : knob)
    each(number);
}

static void forEachNumber(Schedule &schedule,
                          llvm::function_ref<void(int64_t &)> each) {
  std::visit(
      [&](auto &family) {
        std::decay_t<decltype(family)>::visit(
            family, [&](llvm::StringRef, When, auto &knob, llvm::StringRef) {
              forEachOf(knob, each);
            });
      },
      schedule);
}

Row detail::rowOf(Schedule schedule) {
  Row row;
  forEachNumber(schedule, [&](int64_t &number) { row.push_back(number); });
  return row;
}

Schedule detail::withRow(Schedule schedule, llvm::ArrayRef<int64_t> row) {
  forEachNumber(schedule, [&](int64_t &number) {
    number = row.front();
    row = row.drop_front();
  });
  return schedule;
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

/// Operands that the copy engine can not address are multiplied by the sibling
/// of whatever was chosen. Then the default is of the one family that runs as
/// it is.
static llvm::StringRef onlyFamilyOf(const Problem &problem, const Arch &arch) {
  Schedule fallback = defaultSchedule(problem, arch);
  return std::holds_alternative<MmaSync>(fallback) ? familyOf(fallback) : "";
}

Space::Space(const Problem &problem, const Arch &arch, Within isWithin)
    : problem(problem), arch(arch), isWithin(std::move(isWithin)),
      onlyFamily(onlyFamilyOf(problem, arch)) {
  for (const Schedule &schedule : catalogue(problem, arch))
    if (contains(schedule)) {
      list.push_back(schedule);
      add(schedule);
    }
  for (llvm::StringRef family : familyNames()) {
    Schedule usual = llvm::cantFail(defaultSchedule(family, problem, arch));
    if (contains(usual))
      add(usual);
  }
  for (auto &[family, kind] : kinds)
    for (std::vector<int64_t> &values : kind.values) {
      llvm::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
}

void Space::add(const Schedule &schedule) {
  Row row = rowOf(schedule);
  Kind &kind = kinds[familyOf(schedule)];
  kind.members.push_back(schedule);
  kind.values.resize(row.size());
  for (auto [values, number] : llvm::zip_equal(kind.values, row)) {
    values.push_back(number);
    values.push_back(number * 2);
    if (number % 2 == 0)
      values.push_back(number / 2);
  }
}

bool Space::contains(const Schedule &schedule) const {
  if (!onlyFamily.empty() && familyOf(schedule) != onlyFamily)
    return false;
  return !check(schedule, &problem, &arch) &&
         (!isWithin || isWithin(problem, schedule));
}

std::vector<Schedule> Space::ranked() const {
  std::vector<std::pair<double, const Schedule *>> order;
  for (const Schedule &schedule : list)
    order.emplace_back(estimateSeconds(problem, arch, schedule), &schedule);
  // Equal estimates stay in the families' order.
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
  if (kinds.empty())
    return std::nullopt;
  const Kind &kind = std::next(kinds.begin(), dice.below(kinds.size()))->second;
  constexpr int kTries = 2000;
  for (int tries = 0; tries < kTries; ++tries) {
    Row row;
    for (const std::vector<int64_t> &values : kind.values)
      row.push_back(values[dice.below(values.size())]);
    if (std::optional<Schedule> drawn = made(kind.members.front(), row))
      return drawn;
  }
  // Rows at random miss a table; what is in the catalogue does not.
  return kind.members[dice.below(kind.members.size())];
}

std::optional<Schedule> Space::change(const Schedule &schedule,
                                      Dice &dice) const {
  auto at = kinds.find(familyOf(schedule));
  if (at == kinds.end())
    return std::nullopt;
  const Kind &kind = at->second;
  const Row before = rowOf(schedule);
  constexpr int kTries = 30;
  for (int tries = 0; tries < kTries; ++tries) {
    Row row = before;
    for (size_t changes = 1 + dice.below(2); changes > 0; --changes) {
      size_t place = dice.below(row.size());
      const std::vector<int64_t> &values = kind.values[place];
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
