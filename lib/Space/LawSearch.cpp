//===- LawSearch.cpp - Search for schedules that keep the laws ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone/Space/Completion.h. Scopes and nogoods are in LawScopes.cpp.
//
//===----------------------------------------------------------------------===//

#include "LawSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using namespace hone::detail;

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Other values of a number, the closest first: all, or of many some.
static llvm::SmallVector<int64_t, 32> nearest(llvm::ArrayRef<int64_t> values,
                                              int64_t value) {
  constexpr size_t kMax = 18;
  llvm::SmallVector<int64_t, 32> order;
  const int64_t *above = llvm::upper_bound(values, value);
  const int64_t *below = llvm::lower_bound(values, value);
  while (order.size() < kMax &&
         (above != values.end() || below != values.begin())) {
    // Which of the two differs by the smaller factor?
    bool isAbove =
        below == values.begin() ||
        (above != values.end() && *above * below[-1] < value * value);
    order.push_back(isAbove ? *above++ : *--below);
  }
  for (int64_t end : {values.front(), values.back()})
    if (!llvm::is_contained(order, end) && end != value)
      order.push_back(end);
  return order;
}

/// The distance of a schedule from keeping a law: the difference of the first
/// number of the message and of the one that it got.
static double missOf(llvm::StringRef message) {
  auto firstNumber = [](llvm::StringRef text) {
    int64_t number = 0;
    text = text.drop_until(llvm::isDigit);
    text.consumeInteger(10, number);
    return double(number);
  };
  llvm::StringRef got = message.split(", but got ").second;
  return std::abs(firstNumber(got) - firstNumber(message));
}

/// A value of 0: no end is always better.
void LawSearch::noteEnd(Scope &scope, uint16_t at, int64_t end) const {
  auto [known, isNew] = scope.ends.try_emplace(at, end);
  if (!isNew && known->second != end)
    known->second = 0;
}

/// True if a limit is exceeded even with every free number of its scope at the
/// end of its range towards which the limit was kept before; where no end is
/// always better, with the best of some values. The fixed numbers of the scope
/// then count as a nogood.
bool LawSearch::isBeyond(const Schedule &row, const Answer &answer,
                         const Fixed &fixed) {
  const Scope &scope = scopeOf(answer);
  if (!llvm::StringRef(answer.message).contains("at most "))
    return false;
  Schedule min = row;
  Slots mixed;
  for (uint16_t at : scope.slots) {
    if (!isFree(at, fixed))
      continue;
    auto end = scope.ends.find(at);
    if (end == scope.ends.end())
      return false;
    if (end->second == 0)
      mixed.push_back(at);
    else
      min.numbers()[at] = end->second;
  }
  auto missOfRow = [&](const Schedule &schedule) {
    Schedule tidied = schedule;
    tidy(tidied, fixed);
    Answer other = askOne(answer.law, tidied);
    bool isSame = other.law == answer.law && &scopeOf(other) == &scope;
    return isSame ? missOf(other.message) : 0;
  };
  double miss = missOfRow(min);
  for (uint16_t at : mixed) {
    constexpr size_t kFew = 5;
    llvm::ArrayRef<int64_t> values = numbers[at].values;
    Schedule trial = min;
    for (size_t part = 0; part < std::min(kFew, values.size()) && miss > 0;
         ++part) {
      size_t place = values.size() <= kFew
                         ? part
                         : part * (values.size() - 1) / (kFew - 1);
      trial.numbers()[at] = values[place];
      if (double other = missOfRow(trial); other < miss) {
        miss = other;
        min.numbers()[at] = values[place];
      }
    }
  }
  if (miss == 0)
    return false;
  bury(row, scope.slots, fixed);
  return true;
}

/// True if one law alone is broken with every assignment of the free numbers
/// that it depends on, where these are few.
bool LawSearch::isImpossible(const Schedule &row, const Answer &answer,
                             const Fixed &fixed) {
  constexpr size_t kMax = 24;
  Slots scope = learn(answer, row);
  const Slots free = freeOf(scope, fixed);
  size_t count = 1;
  for (uint16_t slot : free)
    if ((count *= numbers[slot].values.size()) > kMax)
      return false;
  for (size_t index = 0; index < count; ++index) {
    Schedule trial = row;
    assign(trial, free, index);
    tidy(trial, fixed);
    Answer other = askOne(answer.law, trial);
    if (isKept(other))
      return false;
    for (uint16_t slot : scopeOf(other).slots) {
      if (llvm::is_contained(scope, slot))
        continue;
      if (isFree(slot, fixed))
        return false;
      scope.push_back(slot);
    }
  }
  bury(row, scope, fixed);
  return true;
}

/// True if any law cannot be kept. The first one that is broken may be easy to
/// keep, and a later one impossible.
bool LawSearch::breaksForGood(const Schedule &row, const Fixed &fixed) {
  for (size_t law = 0; law < laws.size(); ++law) {
    Answer answer = askOne(law, row);
    if (!isKept(answer) &&
        (isImpossible(row, answer, fixed) || isBeyond(row, answer, fixed)))
      return true;
  }
  return false;
}

/// The free numbers of a scope: the one that helped last, then the later ones
/// first, because earlier numbers matter more.
Slots LawSearch::orderOf(const Scope &scope, const Fixed &fixed) const {
  Slots order = freeOf(scope.slots, fixed);
  std::reverse(order.begin(), order.end());
  if (scope.helped)
    llvm::stable_sort(order, [&](uint16_t one, uint16_t other) {
      return (one == *scope.helped) > (other == *scope.helped);
    });
  return order;
}

/// Rows with another value of one number that keep the law, or of which it says
/// something else; of rows that keep all laws, just one.
std::vector<LawSearch::Tried>
LawSearch::changesOf(const Schedule &row, const Answer &answer, uint16_t at,
                     const Fixed &fixed, Task &task) {
  constexpr size_t kMax = 3;
  Scope &scope = scopeOf(answer);
  const double before = missOf(answer.message);
  std::vector<Tried> found;
  for (int64_t value : nearest(numbers[at].values, row.numbers()[at])) {
    if (task.left == 0 || found.size() == kMax)
      break;
    --task.left;
    Tried trial{{}, row, at};
    trial.row.numbers()[at] = value;
    tidy(trial.row, fixed);
    trial.answer = askOne(answer.law, trial.row);
    bool isBroken = trial.answer.law == answer.law;
    bool isSame = isBroken && &scopeOf(trial.answer) == &scope;
    double miss = isSame ? missOf(trial.answer.message) : 0;
    bool isUp = (value > row.numbers()[at]) == (miss < before);
    if (!isBroken || (isSame && miss != before))
      noteEnd(scope, at,
              isUp ? numbers[at].values.back() : numbers[at].values.front());
    if (isSame)
      continue;
    trial.answer = ask(trial.row);
    if (isKept(trial.answer))
      return {std::move(trial)};
    found.push_back(std::move(trial));
  }
  // It had no effect here.
  if (!scope.ends.count(at))
    noteEnd(scope, at, 0);
  return found;
}

/// Changes one number after the other, each so that the broken law is kept, or
/// says something else. A number that was changed stays. Rows of which a later
/// law is the first broken one are continued at once, the others at the end.
bool LawSearch::climb(Schedule &row, const Answer &answer, const Fixed &fixed,
                      Task &task, unsigned depth) {
  constexpr size_t kWays = 3, kOfStep = 8;
  if (depth == 0 || task.left == 0)
    return false;
  task.left -= std::min(task.left, kOfStep);
  learn(answer, row);
  if (!task.isThorough && isBeyond(row, answer, fixed))
    return false;
  auto goOn = [&](Tried &way) {
    Fixed more = fixed;
    more.pinned.push_back(way.changed);
    if (!isKept(way.answer) &&
        !climb(way.row, way.answer, more, task, depth - 1))
      return false;
    row = way.row;
    scopeOf(answer).helped = way.changed;
    return true;
  };
  std::vector<Tried> others;
  const Slots order = orderOf(scopeOf(answer), fixed);
  for (uint16_t at : order)
    for (Tried &way : changesOf(row, answer, at, fixed, task)) {
      if (way.answer.law <= answer.law)
        others.push_back(std::move(way));
      else if (goOn(way))
        return true;
    }
  for (Tried &way :
       llvm::MutableArrayRef(others).take_front(std::min(others.size(), kWays)))
    if (goOn(way))
      return true;
  return false;
}

/// Tries every assignment of the free numbers that the broken laws depend on,
/// if there are not too many. If all break a law, the fixed numbers among them
/// have no completion.
LawSearch::Found LawSearch::tryAll(Schedule &row, const Answer &first,
                                   const Fixed &fixed, size_t max) {
  Slots reasons;
  llvm::DenseSet<const Scope *> known;
  auto add = [&](const Answer &answer, const Schedule &at) {
    bool isNew = false;
    if (!known.insert(&scopeOf(answer)).second)
      return isNew;
    for (uint16_t slot : learn(answer, at))
      if (!llvm::is_contained(reasons, slot)) {
        reasons.push_back(slot);
        isNew = isNew || isFree(slot, fixed);
      }
    return isNew;
  };
  add(first, row);
  for (bool again = true; again;) {
    again = false;
    Slots free = freeOf(reasons, fixed);
    size_t count = 1;
    for (uint16_t slot : free)
      if ((count *= numbers[slot].values.size()) > max)
        return Found::tooMany;
    for (size_t index = 0; index < count && !again; ++index) {
      Schedule trial = row;
      assign(trial, free, index);
      tidy(trial, fixed);
      Answer answer = askOne(first.law, trial);
      if (isKept(answer))
        answer = ask(trial);
      if (isKept(answer)) {
        row = trial;
        return Found::one;
      }
      again = add(answer, trial);
    }
  }
  bury(row, reasons, fixed);
  return Found::none;
}

/// Pairs of numbers at the ends of their ranges.
bool LawSearch::tryPairs(Schedule &row, const Answer &first, const Fixed &fixed,
                         Task &task) {
  constexpr unsigned kDepth = 3;
  Slots free = freeOf(scopeOf(first).slots, fixed);
  auto endsOf = [&](uint16_t at) {
    const Number &number = numbers[at];
    return std::array<int64_t, 3>{number.values.front(), number.choice->usual,
                                  number.values.back()};
  };
  for (size_t one = 0; one < free.size(); ++one)
    for (size_t other = one + 1; other < free.size(); ++other)
      for (int64_t value : endsOf(free[one]))
        for (int64_t second : endsOf(free[other])) {
          if (task.left == 0)
            return false;
          --task.left;
          Schedule trial = row;
          trial.numbers()[free[one]] = value;
          trial.numbers()[free[other]] = second;
          tidy(trial, fixed);
          if (askOne(first.law, trial).law == first.law)
            continue;
          Answer answer = ask(trial);
          Fixed more = fixed;
          more.pinned.append({free[one], free[other]});
          if (!isKept(answer) && !climb(trial, answer, more, task, kDepth))
            continue;
          row = trial;
          return true;
        }
  return false;
}

bool LawSearch::solve(Schedule &row, const Fixed &fixed, Effort effort) {
  constexpr size_t kFew = 24, kBrief = 24, kUsual = 80, kThorough = 20000;
  constexpr size_t kSome = 200, kMany = 20000, kPairs = 2000;
  constexpr unsigned kDepth = 6, kFlat = 2;
  const bool isBrief = effort == Effort::brief;
  const bool isThorough = effort == Effort::thorough;
  isOpen = false;
  if (effort == Effort::usual && isDead(row, fixed))
    return false;
  tidy(row, fixed);
  const Answer answer = ask(row);
  if (isKept(answer))
    return true;
  Task task{isBrief ? kBrief : isThorough ? kThorough : kUsual, isThorough};
  if (isBrief)
    return climb(row, answer, fixed, task, kFlat);
  if (!isThorough && breaksForGood(row, fixed))
    return false;
  Found found = tryAll(row, answer, fixed, kFew);
  // A thorough search does not rely on the scopes that are known so far.
  if (found == Found::one || (found == Found::none && !isThorough))
    return found == Found::one;
  Schedule wish = row;
  if (climb(row, answer, fixed, task, kDepth))
    return true;
  row = wish;
  if (!isThorough && isDead(row, fixed))
    return false;
  found = tryAll(row, answer, fixed, isThorough ? kMany : kSome);
  if (found != Found::tooMany)
    return found == Found::one;
  isOpen = true;
  if (!isThorough)
    return false;
  task.left = kPairs;
  return tryPairs(row, answer, fixed, task);
}
