//===- CandidatePool.cpp - Candidates of a learned policy -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CandidatePool.h.
//
//===----------------------------------------------------------------------===//

#include "CandidatePool.h"
#include "hone/Model/Ascent.h"
#include "hone/Model/Retile.h"
#include "hone/Model/Writer.h"
#include "hone/Space/Ascending.h"
#include "hone/Space/Draw.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

static constexpr size_t kMaxPool = 96; ///< of the catalogue, judged again
static constexpr size_t kParents = 4, kMoves = 12; ///< of each parent

const Ensemble &detail::writerOf(const Model &model) {
  return model.writer ? *model.writer : model;
}

/// The likeliest schedules of a pool, each written word by word.
static std::vector<Schedule> likeliestOf(const Model &model, Kinds kinds,
                                         llvm::ArrayRef<Schedule> pool,
                                         llvm::ArrayRef<Reading> readings,
                                         llvm::ArrayRef<Tried> context,
                                         size_t count) {
  // Without trained networks the writer follows the judges.
  const Ensemble untrained = untrainedWriter({}, 0, kinds);
  Language language(kinds);
  Trie mask(language, pool, readings);
  std::vector<Schedule> schedules;
  for (const Written &written :
       Writer(model.writer ? *model.writer : untrained, language, mask, context,
              model.writer ? nullptr : &model)
           .likeliest(count))
    schedules.push_back(written.schedule);
  return schedules;
}

std::optional<Schedule> hone::writtenSchedule(const Model &model,
                                              const Space &space) {
  Reader reader = model.writersReader(space.problem, space.arch, space.kinds);
  std::vector<Schedule> pool;
  std::vector<Reading> readings;
  for (const Schedule &schedule : space.listed())
    if (writerOf(model).covers(schedule)) {
      pool.push_back(schedule);
      readings.push_back(reader.read(schedule));
    }
  if (pool.empty())
    return std::nullopt;
  constexpr size_t kBeams = 16;
  std::vector<Schedule> written =
      likeliestOf(model, space.kinds, pool, readings, {}, kBeams);
  const Judge judges(model, space.problem, /*caution=*/0,
                     model.shareOn(space.arch));
  const Reader judgesReader(space.problem, space.arch, {}, space.kinds);
  return written[ascending(judges.judge({}, judgesReader, written)).front()];
}

//===----------------------------------------------------------------------===//
// Listed candidates
//===----------------------------------------------------------------------===//

/// Only a writer needs every word of the schedule.
bool LearnedPolicy::mayPropose(const Schedule &schedule) const {
  return !options.writes || asked().covers(schedule);
}

bool LearnedPolicy::addToPool(const Schedule &schedule, StringRef origin) {
  std::string text = toString(schedule);
  if (measured.count(text) || proposed.count(text) || pool.count(text) ||
      !mayPropose(schedule))
    return false;
  others.erase(text);
  pool.emplace(text, Candidate(judges.caseOf(schedule, reader.read(schedule)),
                               origin, tileOf(space.problem, schedule)));
  return true;
}

void LearnedPolicy::begin() {
  hasBegun = true;
  if (!options.writes || !writesFreely())
    addListed();
  if (options.leaves) {
    retile();
    vary();
    ascend();
  }
  // Every search measures the default, so its time comes first.
  if (std::optional<Schedule> fallback = space.fallback())
    if (!measured.count(toString(*fallback))) {
      addToPool(*fallback, kListed);
      if (auto at = pool.find(toString(*fallback)); at != pool.end())
        enlist(at);
    }
  // The choice of a build, made without measurements, is measured too:
  // otherwise its quality would stay unmeasured.
  if (!options.writes && measured.empty() && !pool.empty()) {
    judge(pool);
    enlist(bestOf());
  }
  if (round.empty())
    beginRound();
}

void LearnedPolicy::addListed() {
  for (const Schedule &schedule : space.known())
    addToPool(schedule, kListed);
  if (!options.writes) {
    judge(pool);
    keepBest();
  }
  for (const Schedule &schedule :
       space.listed().drop_front(space.known().size()))
    addToPool(schedule, kDrawn);
  if (options.writes && model.writer)
    others = std::exchange(pool, {});
}

void LearnedPolicy::keepBest() {
  if (pool.size() <= kMaxPool)
    return;
  std::vector<double> all;
  for (const auto &[text, candidate] : pool)
    all.push_back(candidate.judged);
  std::nth_element(all.begin(), all.begin() + kMaxPool, all.end());
  double max = all[kMaxPool];
  for (auto at = pool.begin(); at != pool.end();) {
    if (at->second.judged < max) {
      ++at;
      continue;
    }
    if (model.writer && options.leaves)
      others.insert(*at);
    at = pool.erase(at);
  }
}

/// The model's estimates without measurements.
std::vector<double>
LearnedPolicy::judgedAlone(llvm::ArrayRef<Schedule> schedules) const {
  return judges.judge({}, reader, schedules);
}

/// Adds the variants with the best such estimates, a few of each tile.
void LearnedPolicy::addBest(llvm::ArrayRef<Schedule> variants, size_t max,
                            size_t ofTile) {
  std::vector<Schedule> legal;
  for (const Schedule &variant : variants)
    if (space.contains(variant))
      legal.push_back(variant);
  std::map<Tile, size_t> taken;
  for (size_t at : ascending(judgedAlone(legal))) {
    const Schedule &schedule = legal[at];
    if (max == 0)
      break;
    if (taken[tileOf(space.problem, schedule)]++ < ofTile)
      max -= addToPool(schedule, kDrawn);
  }
}

/// Adds tiles that the draw lacks because their estimated cost is too high.
void LearnedPolicy::retile() {
  constexpr size_t kForms = 4, kTiles = 32, kOfTile = 2;
  judge(pool);
  std::vector<Judged> all;
  for (const auto &[text, candidate] : pool)
    all.push_back({&candidate.schedule, candidate.judged});
  addBest(retiled(all, kForms, space.problem, space.arch), kTiles, kOfTile);
}

/// Adds the most promising variants of all candidates with one rarely taken
/// decision. No draw yields them, but the model was trained on them.
void LearnedPolicy::vary() {
  constexpr size_t kVariants = 32;
  std::vector<Schedule> variants;
  for (const auto &[text, candidate] : pool)
    llvm::append_range(
        variants, quietVariants(candidate.schedule, space.problem, space.arch));
  addBest(variants, kVariants, /*ofTile=*/kVariants);
}

/// Adds the results of a local search by the model, from its best candidates.
/// Rewrites are added later, once their base schedules are known.
void LearnedPolicy::ascend() {
  constexpr size_t kStart = 64, kFound = 32, kOfTile = 4;
  judge(pool);
  std::vector<std::pair<double, const Schedule *>> order;
  for (const auto &[text, candidate] : pool)
    order.emplace_back(candidate.judged, &candidate.schedule);
  llvm::stable_sort(order, llvm::less_first());
  order.resize(std::min(order.size(), kStart));
  std::vector<Schedule> start;
  for (auto [judged, schedule] : order)
    start.push_back(*schedule);
  addBest(ascent(
              start,
              [&](llvm::ArrayRef<Schedule> some) { return judgedAlone(some); },
              space.problem, space.arch),
          kFound, kOfTile);
}

//===----------------------------------------------------------------------===//
// Candidates added during the search
//===----------------------------------------------------------------------===//

/// Adds children of the fastest schedules so far, few with the same tile.
void LearnedPolicy::breed() {
  constexpr size_t kOfTile = 2;
  std::vector<std::pair<double, const Candidate *>> fastest;
  for (const auto &[text, candidate] : proposed)
    if (auto at = measured.find(text);
        at != measured.end() && at->second.logSeconds)
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
        addToPool(*child, kBred);
    }
}

/// Adds a random new schedule of the space.
bool LearnedPolicy::enlistRandom() {
  constexpr int kTries = 20;
  for (int tries = 0; tries < kTries; ++tries)
    if (std::optional<Schedule> drawn = space.draw(dice)) {
      std::string text = toString(*drawn);
      if (!pool.count(text) && !addToPool(*drawn, kRandom))
        continue;
      enlist(pool.find(text));
      return true;
    }
  return false;
}

/// The adviser proposes again only once it received results for its proposals.
void LearnedPolicy::enlistAdvice() {
  if (!adviser)
    return;
  for (const Schedule &schedule : adviser->propose(kMaxInRound)) {
    // The search records that it breaks a law.
    if (check(schedule, &space.problem, &space.arch)) {
      illegal.insert(toString(schedule));
      round.push_back(schedule);
      continue;
    }
    if (!space.contains(schedule) || !mayPropose(schedule)) {
      Measurement refused;
      refused.status = Status::illegal;
      adviser->receive(schedule, refused);
      continue;
    }
    std::string text = toString(schedule);
    if (pool.count(text) || addToPool(schedule, kAdvised))
      enlist(pool.find(text));
  }
}

/// The search waits for the adviser, so its advice comes before the rest of a
/// round.
void LearnedPolicy::takeAdvice() {
  std::deque<Schedule> rest = std::exchange(round, {});
  enlistAdvice();
  llvm::append_range(round, rest);
}

/// The likeliest of all schedules that may be proposed.
std::vector<Schedule> LearnedPolicy::written(size_t count) const {
  std::vector<Schedule> schedules;
  std::vector<Reading> readings;
  for (const Candidates *some : {&pool, &others})
    for (const auto &[text, candidate] : *some)
      if (writerOf(model).covers(candidate.schedule)) {
        schedules.push_back(candidate.schedule);
        readings.push_back(writersReader.read(candidate.schedule));
      }
  if (schedules.empty())
    return {};
  return likeliestOf(model, space.kinds, schedules, readings, writersContext(),
                     count);
}

Scribe &LearnedPolicy::scribe() {
  if (!ownScribe)
    ownScribe =
        std::make_unique<Scribe>(model, space.problem, space.arch, space.kinds);
  return *ownScribe;
}

/// Adds schedules that the writer proposes now, given all results: of the list,
/// or of the whole space, where beams also return some that were proposed.
void LearnedPolicy::addWritten(size_t count) {
  constexpr size_t kMaxBeams = 96;
  if (!writesFreely()) {
    for (const Schedule &schedule : written(count))
      pool.insert(others.extract(toString(schedule)));
    return;
  }
  size_t width = std::min(count + proposed.size(), kMaxBeams);
  for (const Written &one : scribe().write(writersContext(), width))
    addToPool(one.schedule, kWritten);
}

/// The writer proposes more than a round takes, and the judges choose among all
/// that it wrote. Without a writer they choose from the whole list.
void LearnedPolicy::enlistWritten(size_t count) {
  if (writesFreely() || model.writer)
    addWritten(std::max(2 * count, kMaxInRound));
  judge(pool);
  for (; count > 0 && !pool.empty(); --count)
    enlist(bestOf());
}

std::vector<Schedule> LearnedPolicy::rewritesOf(const Schedule &schedule) {
  std::vector<Schedule> rewritten;
  if (options.writes && writesFreely())
    for (const Written &one :
         scribe().rewrite(schedule, writersContext(), kMaxInRound))
      rewritten.push_back(one.schedule);
  return rewritten;
}

/// New results may make the writer choose schedules that it left out before.
void LearnedPolicy::remember() {
  if (model.writer)
    addWritten(kMaxInRound);
}
