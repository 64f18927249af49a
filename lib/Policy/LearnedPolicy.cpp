//===- LearnedPolicy.cpp - Proposals of a trained model -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearnedPolicy.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/LearnedPolicy.h"
#include "CandidatePool.h"
#include "hone/Space/Ascending.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

/// Random schedules cover the case that the model is wrong about everything.
/// With every eighth trial they decided none of 220 problems.
static constexpr size_t kRandomEvery = 24;
/// Of the first proposals so many have a tile of C not proposed yet, whatever
/// the estimates are: judges are most accurate close to measured schedules.
static constexpr size_t kNewEvery = 8, kNew = 3, kNewUntil = 32;
/// Schedules close to the fastest so far get equally good estimates, and there
/// are very many of them. So among the first proposals of a hybrid, one in so
/// many may have the same tile of C; among later ones, two in three.
static constexpr size_t kTileUntil = 32, kTileEvery = 4;

//===----------------------------------------------------------------------===//
// Proposals and measurements
//===----------------------------------------------------------------------===//

std::vector<Schedule> LearnedPolicy::propose(size_t count) {
  if (!hasBegun)
    begin();
  else if (round.empty() && awaited.empty())
    beginRound();
  else
    takeAdvice();
  std::vector<Schedule> some;
  for (; some.size() < count && !round.empty(); round.pop_front()) {
    some.push_back(round.front());
    std::string text = toString(some.back());
    if (!measured.count(text))
      awaited.insert(text);
  }
  return some;
}

void LearnedPolicy::receive(const Schedule &schedule,
                            const Measurement &result) {
  std::string text = toString(schedule);
  awaited.erase(text);
  pool.erase(text);
  others.erase(text);
  // A reader may fail at its numbers, and no time follows from a law.
  if (result.status == Status::illegal &&
      check(schedule, &space.problem, &space.arch)) {
    if (adviser)
      adviser->receive(schedule, result);
    return;
  }
  std::optional<double> logSeconds;
  if (result.isOk())
    logSeconds = logOf(result.times.median);
  measured.insert_or_assign(
      text,
      Measured{judges.caseOf(schedule, reader.read(schedule)), logSeconds});
  if (adviser)
    adviser->receive(schedule, result);
}

/// A policy restricted to the catalogue has a single source.
StringRef LearnedPolicy::originOf(const Schedule &schedule) const {
  if (illegal.count(toString(schedule)))
    return kAdvised;
  auto at = proposed.find(toString(schedule));
  return options.leaves && at != proposed.end() ? at->second.origin : "";
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Schedules proposed elsewhere (stale records) come first; the rest in the
/// order of proposal, whatever the order of the results.
std::vector<const Measured *> LearnedPolicy::inOrder() const {
  std::vector<std::pair<size_t, const Measured *>> order;
  for (const auto &[text, one] : measured) {
    auto at = proposed.find(text);
    order.emplace_back(at == proposed.end() ? 0 : at->second.place, &one);
  }
  llvm::stable_sort(order, llvm::less_first());
  std::vector<const Measured *> all;
  for (const auto &[place, one] : order)
    all.push_back(one);
  return all;
}

std::vector<Tried> LearnedPolicy::writersContext() const {
  std::vector<Tried> context;
  for (const Measured *one : inOrder())
    context.push_back({writersReader.read(one->of.schedule), one->logSeconds});
  return context;
}

std::vector<Precedent> LearnedPolicy::precedents() const {
  std::vector<Precedent> precedents;
  for (const Measured *one : inOrder())
    precedents.push_back({&one->of, one->logSeconds});
  return precedents;
}

void LearnedPolicy::judge(Candidates &candidates) const {
  std::vector<const Case *> cases;
  for (const auto &[text, candidate] : candidates)
    cases.push_back(&candidate);
  for (auto [entry, value] :
       llvm::zip_equal(candidates, judges.judge(precedents(), cases)))
    entry.second.judged = value;
}

std::vector<Schedule> LearnedPolicy::ranked(std::vector<Schedule> schedules) {
  std::vector<Schedule> result;
  for (size_t at : ascending(judges.judge(precedents(), reader, schedules)))
    result.push_back(schedules[at]);
  return result;
}

/// The most promising candidate whose tile was not proposed yet.
Candidates::iterator LearnedPolicy::bestOfNewTile() {
  auto best = pool.end();
  for (auto at = pool.begin(); at != pool.end(); ++at)
    if (!ofTile.count(at->second.tile) &&
        (best == pool.end() || at->second.judged < best->second.judged))
      best = at;
  return best;
}

bool LearnedPolicy::isTriedEnough(const Candidate &candidate) const {
  auto at = ofTile.find(candidate.tile);
  if (!options.leaves || at == ofTile.end())
    return false;
  size_t first = std::min(proposals, kTileUntil);
  return at->second > first / kTileEvery + (proposals - first) * size_t(2) / 3;
}

/// The candidate with the best estimate, of a tile without enough proposals:
/// where all estimates are equally good, such a tile also offers the largest
/// gain.
Candidates::iterator LearnedPolicy::bestOf() {
  auto rank = [&](const auto &entry) {
    return std::make_pair(isTriedEnough(entry.second), entry.second.judged);
  };
  return llvm::min_element(pool, [&](const auto &one, const auto &other) {
    return rank(one) < rank(other);
  });
}

void LearnedPolicy::enlist(Candidates::iterator chosen) {
  round.push_back(chosen->second.schedule);
  chosen->second.place = ++proposals;
  ++ofTile[chosen->second.tile];
  proposed.insert(*chosen);
  pool.erase(chosen);
}

void LearnedPolicy::beginRound() {
  size_t size =
      std::min<size_t>(rounds < 2 ? 1 : size_t(1) << (rounds - 1), kMaxInRound);
  ++rounds;
  enlistAdvice();
  if (options.leaves)
    breed();
  if (options.writes)
    return enlistWritten(size);
  if (options.leaves)
    remember();
  judge(pool);
  while (round.size() < size && !pool.empty()) {
    bool isRandom =
        options.leaves && proposals % kRandomEvery == kRandomEvery - 1;
    bool isNew = options.leaves && proposals < kNewUntil &&
                 proposals * kNew % kNewEvery < kNew;
    if (isRandom && enlistRandom())
      continue;
    auto next = isNew ? bestOfNewTile() : pool.end();
    enlist(next != pool.end() ? next : bestOf());
  }
}

std::unique_ptr<Policy>
hone::makeLearnedPolicy(const Model &model, Space space, uint64_t seed,
                        LearnedOptions options,
                        std::unique_ptr<Policy> adviser) {
  return std::make_unique<LearnedPolicy>(model, std::move(space), seed, options,
                                         std::move(adviser));
}
