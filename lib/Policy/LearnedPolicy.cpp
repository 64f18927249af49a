//===- LearnedPolicy.cpp - Proposals of a trained model -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearnedPolicy.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/LearnedPolicy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <deque>
#include <map>
#include <set>

using namespace hone;
using llvm::StringRef;

static constexpr size_t kInMind = 96; ///< candidates that are judged again
static constexpr size_t kMostInRound = 8;
static constexpr size_t kParents = 4, kMoves = 6; ///< of each parent
static constexpr size_t kLuckEvery = 8;
/// Who has candidates in mind.
static constexpr StringRef kListed = "catalogue", kBred = "children",
                           kLucky = "luck", kAdvised = "advice";

namespace {
/// A schedule that may be proposed.
struct Candidate {
  Schedule schedule;
  Reading reading;
  StringRef origin;  ///< who had it in mind first
  double judged = 0; ///< log of seconds
  size_t place = 0;  ///< among what was proposed
};
/// By text, so that nothing depends on the order in which they came.
using Candidates = std::map<std::string, Candidate>;

class LearnedPolicy : public Policy {
public:
  LearnedPolicy(const Model &model, Space moved, uint64_t seed,
                LearnedOptions options, std::unique_ptr<Policy> adviser)
      : model(model), space(std::move(moved)), options(options), dice(seed),
        reader(space.problem, space.arch, {}, space.kinds),
        adviser(std::move(adviser)) {}

  std::vector<Schedule> propose(size_t count) override;
  void hear(const Schedule &schedule, const Measurement &result) override;
  bool isWaiting() const override { return !awaited.empty(); }
  StringRef originOf(const Schedule &schedule) const override;

private:
  void begin();
  void beginRound();
  void judge(Candidates &candidates) const;
  void keepBest();
  void breed();
  bool addToMind(const Schedule &schedule, StringRef origin);
  void enlist(Candidates::iterator chosen);
  Candidates::iterator mostPromising();
  bool enlistLuck();
  void enlistAdvice();
  bool mayPropose(const Schedule &schedule) const;

  const Model &model;
  const Space space;
  const LearnedOptions options;
  Dice dice;
  const Reader reader;
  const std::unique_ptr<Policy> adviser; ///< may be null
  bool hasBegun = false;
  size_t rounds = 0, proposals = 0;
  Candidates mind;
  std::map<std::string, Candidate> proposed; ///< with what was thought of them
  std::map<std::string, Tried> heard;
  std::deque<Schedule> round;
  std::set<std::string> awaited;
};
} // namespace

//===----------------------------------------------------------------------===//
// Proposing and hearing
//===----------------------------------------------------------------------===//

std::vector<Schedule> LearnedPolicy::propose(size_t count) {
  if (!hasBegun)
    begin();
  else if (round.empty() && awaited.empty())
    beginRound();
  std::vector<Schedule> some;
  for (; some.size() < count && !round.empty(); round.pop_front()) {
    some.push_back(round.front());
    std::string text = toString(some.back());
    if (!heard.count(text))
      awaited.insert(text);
  }
  return some;
}

void LearnedPolicy::hear(const Schedule &schedule, const Measurement &result) {
  std::string text = toString(schedule);
  awaited.erase(text);
  mind.erase(text);
  Tried &tried = heard[text];
  tried.reading = reader.read(schedule);
  tried.logSeconds.reset();
  if (result.isOk())
    tried.logSeconds = logOf(result.times.median);
  if (adviser)
    adviser->hear(schedule, result);
}

/// A policy that never leaves the catalogue has one source.
StringRef LearnedPolicy::originOf(const Schedule &schedule) const {
  auto at = proposed.find(toString(schedule));
  return options.leaves && at != proposed.end() ? at->second.origin : "";
}

/// What is as usual wherever the model does not know a decision.
bool LearnedPolicy::mayPropose(const Schedule &schedule) const {
  for (const Schedule::Decided &one : schedule.decided())
    if (!model.knows(schedule.kind(), *one.decision)) {
      Schedule usual(schedule.kind());
      if (usual[one.decision->name] != one.numbers)
        return false;
    }
  return true;
}

bool LearnedPolicy::addToMind(const Schedule &schedule, StringRef origin) {
  std::string text = toString(schedule);
  if (heard.count(text) || proposed.count(text) || !mayPropose(schedule))
    return false;
  return mind
      .try_emplace(text,
                   Candidate{schedule, reader.read(schedule), origin, 0, 0})
      .second;
}

void LearnedPolicy::begin() {
  hasBegun = true;
  for (const Schedule &schedule : space.listed())
    addToMind(schedule, kListed);
  judge(mind);
  keepBest();
  // It is tried whatever a policy says, so its time is known first.
  if (std::optional<Schedule> fallback = space.fallback())
    if (!heard.count(toString(*fallback))) {
      addToMind(*fallback, kListed);
      if (auto at = mind.find(toString(*fallback)); at != mind.end())
        enlist(at);
    }
  if (round.empty())
    beginRound();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

void LearnedPolicy::judge(Candidates &candidates) const {
  // What others proposed (stale records) came before; the rest in the order in
  // which it was proposed, whenever it was heard.
  std::vector<std::pair<size_t, const Tried *>> order;
  for (const auto &[text, tried] : heard) {
    auto at = proposed.find(text);
    order.emplace_back(at == proposed.end() ? 0 : at->second.place, &tried);
  }
  llvm::stable_sort(order, llvm::less_first());
  std::vector<Tried> context;
  for (const auto &[place, tried] : order)
    context.push_back(*tried);
  std::vector<Reading> readings;
  for (const auto &[text, candidate] : candidates)
    readings.push_back(candidate.reading);
  std::vector<double> said = model.judge(context, readings);
  for (auto [entry, value] : llvm::zip_equal(candidates, said))
    entry.second.judged = value;
}

void LearnedPolicy::keepBest() {
  if (mind.size() <= kInMind)
    return;
  std::vector<double> all;
  for (const auto &[text, candidate] : mind)
    all.push_back(candidate.judged);
  std::nth_element(all.begin(), all.begin() + kInMind, all.end());
  double most = all[kInMind];
  for (auto at = mind.begin(); at != mind.end();)
    at = at->second.judged >= most ? mind.erase(at) : std::next(at);
}

/// Children of the fastest so far.
void LearnedPolicy::breed() {
  std::vector<std::pair<double, const Candidate *>> fastest;
  for (const auto &[text, candidate] : proposed)
    if (auto at = heard.find(text); at != heard.end() && at->second.logSeconds)
      fastest.emplace_back(*at->second.logSeconds, &candidate);
  llvm::stable_sort(fastest, llvm::less_first());
  fastest.resize(std::min(fastest.size(), kParents));
  for (const auto &[time, parent] : fastest)
    for (size_t move = 0; move < kMoves; ++move) {
      std::optional<Schedule> child =
          move % 3
              ? space.change(parent->schedule, dice)
              : space.cross(
                    parent->schedule,
                    fastest[dice.below(fastest.size())].second->schedule, dice);
      if (child)
        addToMind(*child, kBred);
    }
}

/// The one that should be fastest: where all are judged alike well, that is
/// also where most can be gained.
Candidates::iterator LearnedPolicy::mostPromising() {
  return llvm::min_element(mind, [](const auto &one, const auto &other) {
    return one.second.judged < other.second.judged;
  });
}

void LearnedPolicy::enlist(Candidates::iterator chosen) {
  round.push_back(chosen->second.schedule);
  chosen->second.place = ++proposals;
  proposed.insert(*chosen);
  mind.erase(chosen);
}

/// Any schedule of the space that is new.
bool LearnedPolicy::enlistLuck() {
  constexpr int kTries = 20;
  for (int tries = 0; tries < kTries; ++tries)
    if (std::optional<Schedule> drawn = space.draw(dice)) {
      std::string text = toString(*drawn);
      if (!mind.count(text) && !addToMind(*drawn, kLucky))
        continue;
      enlist(mind.find(text));
      return true;
    }
  return false;
}

/// It asks again only when it has heard of what it said.
void LearnedPolicy::enlistAdvice() {
  if (!adviser)
    return;
  for (const Schedule &schedule : adviser->propose(kMostInRound)) {
    // Numbers of what breaks a law say nothing, and nobody would try it.
    if (!space.contains(schedule) || !mayPropose(schedule)) {
      Measurement refused;
      refused.status = Status::illegal;
      adviser->hear(schedule, refused);
      continue;
    }
    std::string text = toString(schedule);
    if (mind.count(text) || addToMind(schedule, kAdvised))
      enlist(mind.find(text));
  }
}

void LearnedPolicy::beginRound() {
  size_t size = std::min<size_t>(rounds < 2 ? 1 : size_t(1) << (rounds - 1),
                                 kMostInRound);
  ++rounds;
  enlistAdvice();
  if (options.leaves)
    breed();
  judge(mind);
  while (round.size() < size && !mind.empty()) {
    bool isLucky = options.leaves && proposals % kLuckEvery == kLuckEvery - 1;
    if (!isLucky || !enlistLuck())
      enlist(mostPromising());
  }
}

std::unique_ptr<Policy>
hone::makeLearnedPolicy(const Model &model, Space space, uint64_t seed,
                        LearnedOptions options,
                        std::unique_ptr<Policy> adviser) {
  return std::make_unique<LearnedPolicy>(model, std::move(space), seed, options,
                                         std::move(adviser));
}
