//===- Space.cpp - Schedules that a policy may propose --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Space.h. Most rows break a law, so every move makes several attempts.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Space.h"
#include "Moves.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Draw.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

//===----------------------------------------------------------------------===//
// Schedules and rows
//===----------------------------------------------------------------------===//

Row hone::rowOf(const Schedule &schedule) { return Row(schedule.numbers()); }

static bool isOfForm(const Decision &decision) {
  return !decision.isSettled &&
         (!decision.words.empty() || decision.choices[0].count() <= 2);
}

std::string hone::formOf(const Schedule &schedule) {
  std::string form = schedule.kind().name.str();
  for (const Schedule::Decided &one : schedule.decided())
    if (isOfForm(*one.decision) && !one.decision->isRewrite)
      form += (", " + one.decision->name + " = " + one.text()).str();
  return form;
}

/// Changes one decision of the form at random.
static void changeForm(const Kind &kind, Row &row, Dice &dice) {
  llvm::SmallVector<std::pair<size_t, const Choice *>> ofForm;
  size_t at = 0;
  for (const Decision &decision : kind.decisions) {
    if (isOfForm(decision) && !decision.isRewrite)
      ofForm.emplace_back(at, decision.choices);
    at += decision.size();
  }
  if (ofForm.empty())
    return;
  auto [place, choice] = ofForm[dice.below(ofForm.size())];
  row[place] = choice->at(dice.below(choice->count()));
}

Schedule hone::withRow(Schedule schedule, llvm::ArrayRef<int64_t> row) {
  llvm::copy(row, schedule.numbers().begin());
  return schedule;
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

static std::vector<Schedule> drawnFor(const Problem &problem, const Arch &arch,
                                      Kinds kinds) {
  DrawOptions options;
  options.kinds = kinds;
  std::vector<Schedule> all;
  for (const Priced &one : drawn(problem, arch, options))
    all.push_back(one.schedule);
  return all;
}

Space::Space(const Problem &problem, const Arch &arch, Within isWithin,
             Kinds kinds)
    : problem(problem), arch(arch), kinds(kinds), isWithin(std::move(isWithin)),
      moves(std::make_shared<const detail::Moves>(problem, arch, kinds)) {
  for (const Schedule &known : catalogue(problem, arch)) {
    Schedule schedule = settledHere(known);
    if (llvm::is_contained(kinds, &schedule.kind()) && contains(schedule))
      list.push_back(schedule);
  }
  ofCatalogue = list.size();
  if (this->isWithin)
    addAll(listedWithin());
  else
    addAll(drawnFor(problem, arch, kinds));
  for (const Schedule &schedule : list)
    add(schedule);
  for (const Kind *kind : kinds) {
    Schedule usual = settledHere(kind->makeDefault(problem, arch));
    if (contains(usual))
      add(usual);
  }
  for (auto &[name, form] : forms)
    for (std::vector<int64_t> &values : form.values) {
      llvm::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
}

/// A table has the times of kernels as they were when it was recorded.
Schedule Space::settledHere(Schedule schedule) const {
  Schedule other = settled(schedule, problem);
  return isWithin && !isWithin(problem, other) ? schedule : other;
}

std::vector<Schedule> Space::listedWithin() const {
  std::vector<Schedule> all = isWithin.listOf(problem);
  llvm::erase_if(all, [&](const Schedule &schedule) {
    return !llvm::is_contained(kinds, &schedule.kind()) || !contains(schedule);
  });
  return all;
}

void Space::addAll(llvm::ArrayRef<Schedule> others) {
  llvm::DenseSet<llvm::hash_code> seen;
  for (const Schedule &schedule : list)
    seen.insert(hash_value(schedule));
  for (const Schedule &other : others)
    if (seen.insert(hash_value(other)).second)
      list.push_back(other);
}

void Space::add(const Schedule &schedule) {
  Row row = rowOf(schedule);
  Form &form = forms[formOf(schedule)];
  form.members.push_back(schedule);
  form.values.resize(row.size());
  size_t at = 0;
  for (const Decision &decision : schedule.kind().decisions)
    for (size_t end = at + decision.size(); at < end; ++at) {
      form.values[at].push_back(row[at]);
      if (isOfForm(decision) || namesWholeKernel(decision))
        continue;
      form.values[at].push_back(row[at] * 2);
      if (row[at] % 2 == 0)
        form.values[at].push_back(row[at] / 2);
    }
}

static bool mayPropose(const Schedule &schedule, const Problem &problem,
                       const Arch &arch, const Within &isWithin) {
  // To look into a table takes less time than the rest, and refuses more. A
  // whole kernel replaces one schedule and fits no other.
  return (!isWithin || isWithin(problem, schedule)) &&
         !wholeKernelOf(schedule) && isLegal(schedule, problem, arch);
}

bool Space::contains(const Schedule &schedule) const {
  return mayPropose(schedule, problem, arch, isWithin);
}

std::vector<Schedule> Space::ranked() const {
  std::vector<std::pair<double, const Schedule *>> order;
  for (const Schedule &schedule : list)
    order.emplace_back(estimateSeconds(problem, arch, schedule), &schedule);
  // Equal estimates keep the order of the kinds.
  llvm::stable_sort(order, llvm::less_first());
  std::vector<Schedule> result;
  for (const auto &[seconds, schedule] : order)
    result.push_back(*schedule);
  return result;
}

Schedule hone::usualSchedule(const Problem &problem, const Arch &arch,
                             const Within &isWithin, Kinds kinds) {
  Schedule usual = defaultSchedule(problem, arch, kinds);
  return isWithin && !isWithin(problem, usual)
             ? usual.kind().makeDefault(problem, arch)
             : usual;
}

std::optional<Schedule> hone::legalDefault(const Problem &problem,
                                           const Arch &arch,
                                           const Within &isWithin,
                                           Kinds kinds) {
  Schedule usual = usualSchedule(problem, arch, isWithin, kinds);
  return mayPropose(usual, problem, arch, isWithin) ? std::optional(usual)
                                                    : std::nullopt;
}

std::optional<Schedule> Space::fallback() const {
  return legalDefault(problem, arch, isWithin, kinds);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

std::optional<Schedule> Space::made(const Schedule &base,
                                    llvm::ArrayRef<int64_t> row) const {
  Schedule schedule = settledHere(withRow(base, row));
  return contains(schedule) ? std::optional(schedule) : std::nullopt;
}

std::optional<Schedule> Space::draw(Dice &dice) const {
  if (forms.empty())
    return std::nullopt;
  const Form &form = std::next(forms.begin(), dice.below(forms.size()))->second;
  constexpr int kTries = 2000, kOtherForm = 8;
  Row row;
  for (int tries = 0; tries < kTries; ++tries) {
    row.clear();
    for (const std::vector<int64_t> &values : form.values)
      row.push_back(values[dice.below(values.size())]);
    if (dice.below(kOtherForm) == 0)
      changeForm(form.members.front().kind(), row, dice);
    if (std::optional<Schedule> drawn = made(form.members.front(), row))
      return drawn;
  }
  // A random row is rarely in a table; a schedule of the catalogue is.
  return form.members[dice.below(form.members.size())];
}

/// One of the moves that a draw uses to climb.
std::optional<Schedule> Space::moved(const Schedule &schedule,
                                     Dice &dice) const {
  if (!moves->has(schedule.kind()))
    return std::nullopt;
  std::vector<Schedule> all;
  moves->forEach(schedule, [&](Schedule other) { all.push_back(other); });
  constexpr int kTries = 30;
  for (int tries = 0; tries < kTries && !all.empty(); ++tries) {
    Schedule other = settledHere(all[dice.below(all.size())]);
    if (contains(other))
      return other;
  }
  return std::nullopt;
}

std::optional<Schedule> Space::change(const Schedule &schedule,
                                      Dice &dice) const {
  if (!isWithin && dice.below(2))
    if (std::optional<Schedule> other = moved(schedule, dice))
      return other;
  auto at = forms.find(formOf(schedule));
  if (at == forms.end())
    return std::nullopt;
  const Row before = rowOf(schedule);
  constexpr int kTries = 30;
  for (int tries = 0; tries < kTries; ++tries) {
    Row row = before;
    for (size_t changes = 1 + dice.below(2); changes > 0; --changes) {
      size_t place = dice.below(row.size());
      const std::vector<int64_t> &values = at->second.values[place];
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
