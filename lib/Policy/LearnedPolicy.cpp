//===- LearnedPolicy.cpp - Proposals of a trained model -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearnedPolicy.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/LearnedPolicy.h"
#include "Judge.h"
#include "hone/Policy/Writer.h"
#include "hone/Search/Draw.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <set>

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

static constexpr size_t kInMind = 96; ///< of the catalogue, judged again
static constexpr size_t kMostInRound = 8;
static constexpr size_t kParents = 4, kMoves = 12; ///< of each parent
static constexpr size_t kLuckEvery = 8;
/// Of the first proposals so many have a tile of C that was not proposed yet,
/// whatever promises more: judges are surest of what they have heard of.
static constexpr size_t kNewEvery = 8, kNew = 3, kNewUntil = 32;
/// What is close to the fastest so far is judged alike well, and there is no end
/// of it. So of a hybrid's first proposals one in so many may have the same tile
/// of C, and of those behind them two in three.
static constexpr size_t kTileUntil = 32, kTileEvery = 4;
/// Who has candidates in mind.
static constexpr StringRef kListed = "catalogue", kDrawn = "drawn",
                           kBred = "children", kLucky = "luck",
                           kAdvised = "advice";

/// Whose names count, where something is written.
static const Ensemble &writerOf(const Model &model) {
  return model.writer ? *model.writer : model;
}

/// The likeliest of a pool, each word by word.
static std::vector<Schedule> likeliestOf(const Model &model, Kinds kinds,
                                         llvm::ArrayRef<Schedule> pool,
                                         llvm::ArrayRef<Reading> readings,
                                         llvm::ArrayRef<Tried> context,
                                         size_t count) {
  // Without networks it says what the cost model says.
  const Ensemble untrained = untrainedWriter({}, 0, kinds);
  Language language(kinds);
  Trie mask(language, pool, readings);
  std::vector<Schedule> schedules;
  for (const Written &written :
       Writer(model.writer ? *model.writer : untrained, language, mask, context)
           .likeliest(count))
    schedules.push_back(written.schedule);
  return schedules;
}

std::optional<Schedule> hone::writtenSchedule(const Model &model,
                                              const Space &space) {
  Reader reader(space.problem, space.arch, {}, space.kinds);
  std::vector<Schedule> pool;
  std::vector<Reading> readings;
  for (const Schedule &schedule : space.listed())
    if (writerOf(model).knows(schedule)) {
      pool.push_back(schedule);
      readings.push_back(reader.read(schedule));
    }
  if (pool.empty())
    return std::nullopt;
  return likeliestOf(model, space.kinds, pool, readings, {}, 1).front();
}

namespace {
/// A schedule that may be proposed.
struct Candidate : Case {
  Candidate(Case judged, StringRef origin, Tile tile)
      : Case(std::move(judged)), origin(origin), tile(tile) {}

  StringRef origin; ///< who had it in mind first
  Tile tile;
  double judged = 0; ///< log of seconds
  size_t place = 0;  ///< among what was proposed
};
/// By text, so that nothing depends on the order in which they came.
using Candidates = std::map<std::string, Candidate>;
/// What was heard of.
struct Heard {
  Case of;
  std::optional<double> logSeconds; ///< none: it failed
};

class LearnedPolicy : public Policy {
public:
  LearnedPolicy(const Model &model, Space moved, uint64_t seed,
                LearnedOptions options, std::unique_ptr<Policy> adviser)
      : model(model), space(std::move(moved)), options(options), dice(seed),
        reader(space.problem, space.arch, {}, space.kinds), judges(model),
        adviser(std::move(adviser)) {}

  std::vector<Schedule> propose(size_t count) override;
  void hear(const Schedule &schedule, const Measurement &result) override;
  bool isWaiting() const override { return !awaited.empty(); }
  StringRef originOf(const Schedule &schedule) const override;

private:
  /// Whose opinion counts.
  const Ensemble &asked() const {
    return options.writes ? writerOf(model) : model;
  }
  void begin();
  void beginRound();
  bool mayPropose(const Schedule &schedule) const;
  std::vector<const Heard *> inOrder() const;
  std::vector<Tried> context() const;
  void judge(Candidates &candidates) const;
  std::vector<Schedule> written(size_t count) const;
  void enlistWritten(size_t count);
  void remember();
  void keepBest();
  void vary();
  void breed();
  bool addToMind(const Schedule &schedule, StringRef origin);
  void enlist(Candidates::iterator chosen);
  Candidates::iterator mostPromising();
  bool isTriedEnough(const Candidate &candidate) const;
  Candidates::iterator mostPromisingNew();
  bool enlistLuck();
  void enlistAdvice();

  const Model &model;
  const Space space;
  const LearnedOptions options;
  Dice dice;
  const Reader reader;
  const Judge judges;
  const std::unique_ptr<Policy> adviser; ///< may be null
  bool hasBegun = false;
  size_t rounds = 0, proposals = 0;
  Candidates mind;
  Candidates beside; ///< what is not in mind but may be written
  std::map<std::string, Candidate> proposed; ///< with what was thought of them
  std::map<std::string, Heard> heard;
  std::map<Tile, size_t> ofTile; ///< proposals
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
  beside.erase(text);
  std::optional<double> logSeconds;
  if (result.isOk())
    logSeconds = logOf(result.times.median);
  heard.insert_or_assign(
      text, Heard{judges.caseOf(schedule, reader.read(schedule)), logSeconds});
  if (adviser)
    adviser->hear(schedule, result);
}

/// A policy that never leaves the catalogue has one source.
StringRef LearnedPolicy::originOf(const Schedule &schedule) const {
  auto at = proposed.find(toString(schedule));
  return options.leaves && at != proposed.end() ? at->second.origin : "";
}

/// Only who writes has to know every word.
bool LearnedPolicy::mayPropose(const Schedule &schedule) const {
  return !options.writes || asked().knows(schedule);
}

bool LearnedPolicy::addToMind(const Schedule &schedule, StringRef origin) {
  std::string text = toString(schedule);
  if (heard.count(text) || proposed.count(text) || mind.count(text) ||
      !mayPropose(schedule))
    return false;
  beside.erase(text);
  mind.emplace(text, Candidate(judges.caseOf(schedule, reader.read(schedule)),
                               origin, tileOf(space.problem, schedule)));
  return true;
}

void LearnedPolicy::begin() {
  hasBegun = true;
  for (const Schedule &schedule : space.known())
    addToMind(schedule, kListed);
  if (!options.writes) {
    judge(mind);
    keepBest();
  }
  for (const Schedule &schedule :
       space.listed().drop_front(space.known().size()))
    addToMind(schedule, kDrawn);
  if (options.leaves)
    vary();
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

/// What others proposed (stale records) came before; the rest in the order in
/// which it was proposed, whenever it was heard.
std::vector<const Heard *> LearnedPolicy::inOrder() const {
  std::vector<std::pair<size_t, const Heard *>> order;
  for (const auto &[text, one] : heard) {
    auto at = proposed.find(text);
    order.emplace_back(at == proposed.end() ? 0 : at->second.place, &one);
  }
  llvm::stable_sort(order, llvm::less_first());
  std::vector<const Heard *> all;
  for (const auto &[place, one] : order)
    all.push_back(one);
  return all;
}

std::vector<Tried> LearnedPolicy::context() const {
  std::vector<Tried> context;
  for (const Heard *one : inOrder())
    context.push_back({one->of.reading, one->logSeconds});
  return context;
}

void LearnedPolicy::judge(Candidates &candidates) const {
  std::vector<Precedent> precedents;
  for (const Heard *one : inOrder())
    precedents.push_back({&one->of, one->logSeconds});
  std::vector<const Case *> cases;
  for (const auto &[text, candidate] : candidates)
    cases.push_back(&candidate);
  for (auto [entry, value] :
       llvm::zip_equal(candidates, judges.judge(precedents, cases)))
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
  for (auto at = mind.begin(); at != mind.end();) {
    if (at->second.judged < most) {
      ++at;
      continue;
    }
    if (model.writer && options.leaves)
      beside.insert(*at);
    at = mind.erase(at);
  }
}

/// Of all that is in mind, with a decision that is rarely taken, what promises
/// most: nobody draws them, but the model has seen what they do.
void LearnedPolicy::vary() {
  constexpr size_t kVariants = 32;
  std::vector<Case> cases;
  for (const auto &[text, candidate] : mind)
    for (const Schedule &variant :
         quietVariants(candidate.schedule, space.problem, space.arch))
      if (space.contains(variant))
        cases.push_back(judges.caseOf(variant, reader.read(variant)));
  std::vector<const Case *> asked;
  for (const Case &one : cases)
    asked.push_back(&one);
  std::vector<double> said = judges.judge({}, asked);
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(
      order, [&](size_t one, size_t other) { return said[one] < said[other]; });
  order.resize(std::min(order.size(), kVariants));
  for (size_t at : order)
    addToMind(cases[at].schedule, kDrawn);
}

/// Children of the fastest so far, of which few have the same tile.
void LearnedPolicy::breed() {
  constexpr size_t kOfTile = 2;
  std::vector<std::pair<double, const Candidate *>> fastest;
  for (const auto &[text, candidate] : proposed)
    if (auto at = heard.find(text); at != heard.end() && at->second.logSeconds)
      fastest.emplace_back(*at->second.logSeconds, &candidate);
  llvm::stable_sort(fastest, llvm::less_first());
  std::map<Tile, size_t> parents;
  llvm::erase_if(fastest, [&](const auto &entry) {
    return ++parents[entry.second->tile] > kOfTile;
  });
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

/// Of those whose tile was not proposed.
Candidates::iterator LearnedPolicy::mostPromisingNew() {
  auto best = mind.end();
  for (auto at = mind.begin(); at != mind.end(); ++at)
    if (!ofTile.count(at->second.tile) &&
        (best == mind.end() || at->second.judged < best->second.judged))
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

/// The one that should be fastest, of a tile that was not tried enough: where
/// all are judged alike well, that is also where most can be gained.
Candidates::iterator LearnedPolicy::mostPromising() {
  auto rank = [&](const auto &entry) {
    return std::make_pair(isTriedEnough(entry.second), entry.second.judged);
  };
  return llvm::min_element(mind, [&](const auto &one, const auto &other) {
    return rank(one) < rank(other);
  });
}

void LearnedPolicy::enlist(Candidates::iterator chosen) {
  round.push_back(chosen->second.schedule);
  chosen->second.place = ++proposals;
  ++ofTile[chosen->second.tile];
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

/// The likeliest of everything that may be proposed.
std::vector<Schedule> LearnedPolicy::written(size_t count) const {
  std::vector<Schedule> pool;
  std::vector<Reading> readings;
  for (const Candidates *some : {&mind, &beside})
    for (const auto &[text, candidate] : *some)
      if (writerOf(model).knows(candidate.schedule)) {
        pool.push_back(candidate.schedule);
        readings.push_back(candidate.reading);
      }
  if (pool.empty())
    return {};
  return likeliestOf(model, space.kinds, pool, readings, context(), count);
}

void LearnedPolicy::enlistWritten(size_t count) {
  for (const Schedule &schedule : written(count))
    enlist(mind.find(toString(schedule)));
}

/// What is written now may be what was not worth a thought before.
void LearnedPolicy::remember() {
  if (!model.writer)
    return;
  for (const Schedule &schedule : written(kMostInRound))
    if (auto at = beside.find(toString(schedule)); at != beside.end()) {
      mind.insert(*at);
      beside.erase(at);
    }
}

void LearnedPolicy::beginRound() {
  size_t size = std::min<size_t>(rounds < 2 ? 1 : size_t(1) << (rounds - 1),
                                 kMostInRound);
  ++rounds;
  enlistAdvice();
  if (options.leaves)
    breed();
  if (options.writes)
    return enlistWritten(size);
  if (options.leaves)
    remember();
  judge(mind);
  while (round.size() < size && !mind.empty()) {
    bool isLucky = options.leaves && proposals % kLuckEvery == kLuckEvery - 1;
    bool isNew = options.leaves && proposals < kNewUntil &&
                 proposals * kNew % kNewEvery < kNew;
    if (isLucky && enlistLuck())
      continue;
    auto next = isNew ? mostPromisingNew() : mind.end();
    enlist(next != mind.end() ? next : mostPromising());
  }
}

std::unique_ptr<Policy>
hone::makeLearnedPolicy(const Model &model, Space space, uint64_t seed,
                        LearnedOptions options,
                        std::unique_ptr<Policy> adviser) {
  return std::make_unique<LearnedPolicy>(model, std::move(space), seed, options,
                                         std::move(adviser));
}
