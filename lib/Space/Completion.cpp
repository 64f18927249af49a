//===- Completion.cpp - Legal completions of partial schedules ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Completion.h. The search is in LawSearch.cpp.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Completion.h"
#include "LawSearch.h"
#include "hone/Space/CostModel.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;

Completion::Completion(const Problem &problem, const Arch &arch, Kinds kinds,
                       CompletionOptions options)
    : problem(problem), arch(arch), kinds(kinds) {
  for (const Kind *kind : kinds)
    searches[kind] = std::make_unique<LawSearch>(*kind, this->problem,
                                                 this->arch, options.rewrites);
}

Completion::~Completion() = default;

std::optional<Schedule> Completion::begin(const Kind &kind) {
  if (kind.refuseArch(arch) || kind.refuseTypes(problem))
    return std::nullopt;
  return complete(settled(kind.makeDefault(problem, arch), problem), 0,
                  /*isThorough=*/true);
}

std::optional<Schedule> Completion::complete(const Schedule &wish, size_t fixed,
                                             bool isThorough) {
  Schedule row = wish;
  bool isFound = searches.at(&wish.kind())
                     ->solve(row, {fixed, {}},
                             isThorough ? LawSearch::Effort::thorough
                                        : LawSearch::Effort::usual);
  return isFound ? std::optional(row) : std::nullopt;
}

bool Completion::gaveUp(const Kind &kind) const {
  return searches.at(&kind)->gaveUp();
}

llvm::ArrayRef<int64_t> Completion::valuesOf(const Kind &kind,
                                             size_t at) const {
  return searches.at(&kind)->all()[at].values;
}

bool Completion::offersAll(const Kind &kind, size_t at) const {
  const LawSearch::Number &number = searches.at(&kind)->all()[at];
  return number.isFrozen ||
         int64_t(number.values.size()) == number.choice->count();
}

size_t Completion::answers() const {
  size_t sum = 0;
  for (const auto &[kind, search] : searches)
    sum += search->answers();
  return sum;
}

//===----------------------------------------------------------------------===//
// Improvement
//===----------------------------------------------------------------------===//

/// Values to try instead of this one: of few, all; else steps up and down.
static llvm::SmallVector<int64_t, 8> movesFrom(llvm::ArrayRef<int64_t> values,
                                               int64_t value) {
  constexpr size_t kFew = 5;
  llvm::SmallVector<int64_t, 8> moves;
  if (values.size() <= kFew) {
    moves.append(values.begin(), values.end());
  } else {
    auto at = llvm::lower_bound(values, value);
    if (at != values.end() && std::next(at) != values.end())
      moves.push_back(*std::next(at));
    if (at != values.begin())
      moves.push_back(*std::prev(at));
    for (int64_t other : {value * 2, value / 2})
      if (std::binary_search(values.begin(), values.end(), other))
        moves.push_back(other);
  }
  llvm::erase(moves, value);
  return moves;
}

/// Legal schedules in which one free number of `row`, `at` or a later one, has
/// another value: about `kTogether`, all of each number. Sets `at` to the
/// number after them.
std::vector<Schedule> Completion::changesOf(const Schedule &row, size_t fixed,
                                            size_t &at) {
  constexpr size_t kTogether = 16;
  LawSearch &search = *searches.at(&row.kind());
  std::vector<Schedule> changes;
  for (; at < row.numbers().size() && changes.size() < kTogether; ++at) {
    const LawSearch::Number &number = search.all()[at];
    const Decision &decision = *number.decision;
    if (number.isFrozen || decision.isRewrite || decision.isSettled ||
        (decision.matters && !decision.matters(row)))
      continue;
    for (int64_t value : movesFrom(number.values, row.numbers()[at])) {
      Schedule trial = row;
      trial.numbers()[at] = value;
      if (search.solve(trial, {fixed, {uint16_t(at)}},
                       LawSearch::Effort::brief))
        changes.push_back(std::move(trial));
    }
  }
  return changes;
}

Schedule Completion::improved(const Schedule &witness, size_t fixed,
                              size_t looks, Prices pricesOf) {
  Schedule best = witness;
  if (looks == 0)
    return best;
  double min = pricesOf(best).front();
  for (size_t at = fixed, since = 0, used = 0;
       used < looks && since < best.numbers().size() - fixed;) {
    size_t first = at;
    std::vector<Schedule> changes = changesOf(best, fixed, at);
    since += at - first;
    if (at == best.numbers().size())
      at = fixed;
    if (changes.empty())
      continue;
    used += changes.size();
    std::vector<double> prices = pricesOf(changes);
    auto lowest = llvm::min_element(prices);
    if (*lowest >= min)
      continue;
    min = *lowest;
    best = changes[lowest - prices.begin()];
    since = 0;
  }
  return best;
}
