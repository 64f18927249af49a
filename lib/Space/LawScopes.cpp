//===- LawScopes.cpp - Numbers that laws depend on, and nogoods -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone/Space/Completion.h. The search is in LawSearch.cpp.
//
//===----------------------------------------------------------------------===//

#include "LawSearch.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace hone;
using namespace hone::detail;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// All values, or the first few and then two of each doubling.
static std::vector<int64_t> valuesWorthWriting(const Choice &choice) {
  constexpr int64_t kAll = 256, kFirst = 8;
  std::vector<int64_t> values;
  if (choice.count() <= kAll) {
    for (int64_t at = 0; at < choice.count(); ++at)
      values.push_back(choice.at(at));
    return values;
  }
  auto add = [&](int64_t value) {
    if (choice.has(value))
      values.push_back(value);
  };
  for (int64_t at = 0; at < kFirst; ++at)
    add(choice.at(at));
  for (int64_t value = choice.at(kFirst - 1); value <= choice.max; value *= 2) {
    add(value);
    add(value + value / 2);
  }
  add(choice.usual);
  add(choice.max);
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  return values;
}

LawSearch::LawSearch(const Kind &kind, const Problem &problem, const Arch &arch,
                     bool rewrites)
    : problem(problem), arch(arch), laws(lawsOf(kind)) {
  for (const Decision &decision : kind.decisions)
    for (size_t part = 0; part < decision.size(); ++part) {
      const Choice &choice = decision.choices[part];
      bool isFrozen =
          namesWholeKernel(decision) || (decision.isRewrite && !rewrites);
      numbers.push_back({&decision, &choice, isFrozen,
                         isFrozen ? std::vector<int64_t>{choice.usual}
                                  : valuesWorthWriting(choice)});
    }
  nogoods.resize(numbers.size());
}

void LawSearch::tidy(Schedule &row, const Fixed &fixed) const {
  for (size_t at = fixed.count; at < numbers.size(); ++at) {
    int64_t &value = row.numbers()[at];
    const Number &number = numbers[at];
    if (value != number.choice->usual &&
        !llvm::is_contained(fixed.pinned, at) && number.decision->matters &&
        !number.decision->matters(row))
      value = number.choice->usual;
  }
}

/// The assignment of some numbers with an index.
void LawSearch::assign(Schedule &row, llvm::ArrayRef<uint16_t> slots,
                       size_t index) const {
  for (uint16_t slot : slots) {
    const std::vector<int64_t> &values = numbers[slot].values;
    row.numbers()[slot] = values[index % values.size()];
    index /= values.size();
  }
}

Slots LawSearch::freeOf(llvm::ArrayRef<uint16_t> slots,
                        const Fixed &fixed) const {
  Slots free;
  for (uint16_t slot : slots)
    if (isFree(slot, fixed))
      free.push_back(slot);
  return free;
}

//===----------------------------------------------------------------------===//
// Laws and their scopes
//===----------------------------------------------------------------------===//

LawSearch::Answer LawSearch::ask(const Schedule &row) {
  KnownFacts facts = {&problem, &arch};
  for (size_t law = 0; law < laws.size(); ++law) {
    ++asked;
    if (Broken broken = laws[law].broken(row, facts))
      return {law, std::move(*broken)};
  }
  return {laws.size(), ""};
}

LawSearch::Answer LawSearch::askOne(size_t law, const Schedule &row) {
  ++asked;
  Broken broken = laws[law].broken(row, {&problem, &arch});
  return broken ? Answer{law, std::move(*broken)} : Answer{laws.size(), ""};
}

/// By a hash of the law and of the message without its digits.
LawSearch::Scope &LawSearch::scopeOf(const Answer &answer) {
  constexpr uint64_t kPrime = 1099511628211u;
  uint64_t hash = answer.law;
  for (char letter : answer.message)
    if (!llvm::isDigit(letter))
      hash = (hash ^ uint8_t(letter)) * kPrime;
  return scopes[hash];
}

/// Adds the numbers of `row` whose change is seen in the answer.
const Slots &LawSearch::learn(const Answer &answer, const Schedule &row) {
  constexpr unsigned kEnough = 3;
  constexpr size_t kFew = 4;
  Scope &scope = scopeOf(answer);
  if (scope.inVain >= kEnough)
    return scope.slots;
  size_t before = scope.slots.size();
  for (size_t at = 0; at < numbers.size(); ++at) {
    llvm::ArrayRef<int64_t> values = numbers[at].values;
    if (values.size() == 1 || llvm::is_contained(scope.slots, at))
      continue;
    llvm::SmallVector<int64_t, 4> others = {values.front(), values.back()};
    if (values.size() <= kFew)
      others.assign(values.begin(), values.end());
    Schedule trial = row;
    for (int64_t value : others) {
      trial.numbers()[at] = value;
      if (askOne(answer.law, trial).message == answer.message)
        continue;
      scope.slots.push_back(uint16_t(at));
      break;
    }
  }
  bool isNew = scope.slots.size() > before;
  scope.inVain = isNew ? 0 : scope.inVain + 1;
  if (isNew) {
    llvm::sort(scope.slots);
    // They may depend on the smaller scope.
    for (std::vector<Nogoods> &some : nogoods)
      some.clear();
  }
  return scope.slots;
}

//===----------------------------------------------------------------------===//
// Nogoods
//===----------------------------------------------------------------------===//

static uint64_t hashOf(const Schedule &row, llvm::ArrayRef<uint16_t> slots) {
  llvm::SmallVector<int64_t, 12> values;
  for (uint16_t slot : slots)
    values.push_back(row.numbers()[slot]);
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(values.data()),
                     values.size() * sizeof(int64_t)));
}

/// Prefixes that end earlier are known to have a completion.
bool LawSearch::isDead(const Schedule &row, const Fixed &fixed) const {
  if (fixed.count == 0)
    return false;
  return llvm::any_of(nogoods[fixed.count - 1], [&](const Nogoods &some) {
    return some.hashes.count(hashOf(row, some.slots)) > 0;
  });
}

void LawSearch::bury(const Schedule &row, Slots slots, const Fixed &fixed) {
  llvm::erase_if(slots, [&](uint16_t slot) { return isFree(slot, fixed); });
  llvm::sort(slots);
  if (slots.empty())
    return;
  std::vector<Nogoods> &ofLast = nogoods[slots.back()];
  auto same = llvm::find_if(
      ofLast, [&](const Nogoods &some) { return some.slots == slots; });
  if (same == ofLast.end())
    same = ofLast.insert(ofLast.end(), Nogoods{slots, {}});
  same->hashes.insert(hashOf(row, slots));
}
