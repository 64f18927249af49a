//===- LearnedSource.cpp - Estimated choice without a measurement ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearnedSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/LearnedSource.h"
#include "hone/Model/Ascent.h"
#include "hone/Model/Judge.h"
#include "hone/Model/Retile.h"
#include "hone/Model/Scribe.h"
#include "hone/Space/Ascending.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/Draw.h"
#include "hone/Space/Location.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <memory>
#include <mutex>
#include <set>

using namespace hone;

/// The catalogue, the best by the cost model first, then the drawn schedules.
/// Entries of the catalogue beyond a limit are left out: the winner is never
/// among them, and the build would wait for them.
static std::vector<Schedule> candidatesOf(const Problem &problem,
                                          const Arch &arch,
                                          llvm::ArrayRef<Schedule> known,
                                          size_t looks) {
  constexpr size_t kMaxKnown = 128;
  std::vector<std::pair<double, const Schedule *>> order;
  for (const Schedule &schedule : known)
    if (!checkMemory(schedule, problem))
      order.emplace_back(estimateSeconds(problem, arch, schedule), &schedule);
  llvm::stable_sort(order, llvm::less_first());
  order.resize(std::min(order.size(), kMaxKnown));
  std::vector<Schedule> candidates;
  for (const auto &[seconds, schedule] : order)
    candidates.push_back(*schedule);
  DrawOptions options = quickDraw();
  options.looks = looks;
  for (const Priced &one : drawn(problem, arch, options))
    if (!llvm::is_contained(known, one.schedule))
      candidates.push_back(one.schedule);
  return candidates;
}

/// Whether the model was trained on such products.
static bool isKnown(const Problem &problem) {
  return sizeOf(problem.a.type) <= 2 || problem.products != Products::exact;
}

/// The catalogue; empty if the model was not trained for the problem.
static std::vector<Schedule>
catalogueFor(const Model &model, const Problem &problem, const Arch &arch) {
  if (!problem.isStatic() || problem.fault() || !isKnown(problem) ||
      model.shareOn(arch) == 0)
    return {};
  std::vector<Schedule> known = catalogue(problem, arch);
  for (Schedule &schedule : known)
    schedule = settled(std::move(schedule), problem);
  if (llvm::any_of(known, [&](const Schedule &schedule) {
        return !model.covers(schedule);
      }))
    return {};
  return known;
}

namespace {
/// Judges the schedules of one problem on one machine.
class ProblemJudge {
public:
  ProblemJudge(const Model &model, const Problem &problem, const Arch &arch)
      : judge(model, problem, kCaution, model.shareOn(arch)),
        reader(problem, arch) {}
  /// Returns log of the expected seconds of each schedule.
  std::vector<double> operator()(llvm::ArrayRef<Schedule> schedules) const {
    return judge.judge({}, reader, schedules);
  }

private:
  // The cost model's first choice is some ten percent slower than the best.
  static constexpr double kCaution = 0.1;
  const detail::Judge judge;
  const Reader reader;
};
} // namespace

/// Adds other tiles in the best forms, which the candidates so far lack. With
/// another tile the best form often changes (docs/Policy.md).
static void addOtherTiles(const ProblemJudge &judged, size_t forms,
                          const Problem &problem, const Arch &arch,
                          std::vector<Schedule> &candidates) {
  std::vector<detail::Judged> all;
  for (auto [schedule, logSeconds] :
       llvm::zip_equal(candidates, judged(candidates)))
    all.push_back({&schedule, logSeconds});
  llvm::append_range(candidates, detail::retiled(all, forms, problem, arch));
}

/// Adds schedules that the model writes. Tiles and the climb improve them, so
/// the mask's witnesses need less effort than where a written schedule is the
/// result.
static void addWritten(const Model &model, const Problem &problem,
                       const Arch &arch, std::vector<Schedule> &candidates) {
  constexpr size_t kBeams = 8;
  constexpr LawMaskOptions kBrief = {/*looks=*/8, /*firstLooks=*/100};
  Scribe scribe(model, problem, arch, allKinds(), kBrief);
  for (const Written &one : scribe.write({}, kBeams))
    candidates.push_back(one.schedule);
}

/// The one with the shortest expected time.
static Schedule bestOf(const ProblemJudge &judged,
                       llvm::ArrayRef<Schedule> candidates) {
  std::vector<double> said = judged(candidates);
  return candidates[llvm::min_element(said) - said.begin()];
}

/// A build's candidates, from which `judged` chooses. `known` is the catalogue.
static std::vector<Schedule> gathered(const Model &model,
                                      const Problem &problem, const Arch &arch,
                                      llvm::ArrayRef<Schedule> known,
                                      size_t looks,
                                      const ProblemJudge &judged) {
  std::vector<Schedule> candidates = candidatesOf(problem, arch, known, looks);
  if (!candidates.empty() && looks >= quickDraw().looks) {
    // A writer finds the schedules that four more forms would add.
    const size_t forms = model.writer ? 2 : 6;
    if (model.writer)
      addWritten(model, problem, arch, candidates);
    addOtherTiles(judged, forms, problem, arch, candidates);
    llvm::append_range(candidates,
                       detail::ascent(candidates, judged, problem, arch));
  }
  return candidates;
}

std::optional<Schedule> hone::preferredSchedule(const Model &model,
                                                const Problem &problem,
                                                const Arch &arch,
                                                size_t looks) {
  std::vector<Schedule> known = catalogueFor(model, problem, arch);
  if (known.empty())
    return std::nullopt;
  const ProblemJudge judged(model, problem, arch);
  std::vector<Schedule> candidates =
      gathered(model, problem, arch, known, looks, judged);
  if (candidates.empty())
    return std::nullopt;
  return bestOf(judged, candidates);
}

std::vector<Schedule> hone::firstOfTiles(const Problem &problem,
                                         llvm::ArrayRef<Schedule> schedules) {
  std::set<Tile> seen;
  std::vector<Schedule> first;
  for (const Schedule &schedule : schedules)
    if (seen.insert(tileOf(problem, schedule)).second)
      first.push_back(schedule);
  return first;
}

std::vector<Schedule> hone::preferredTiles(const Model &model,
                                           const Problem &problem,
                                           const Arch &arch, size_t count) {
  std::vector<Schedule> known = catalogueFor(model, problem, arch);
  if (known.empty())
    return {};
  const ProblemJudge judged(model, problem, arch);
  std::vector<Schedule> candidates =
      gathered(model, problem, arch, known, quickDraw().looks, judged);
  std::vector<Schedule> sorted;
  for (size_t at : ascending(judged(candidates)))
    sorted.push_back(candidates[at]);
  std::vector<Schedule> tiles = firstOfTiles(problem, sorted);
  tiles.resize(std::min(tiles.size(), count));
  return tiles;
}

std::optional<Schedule> hone::climbedSchedule(const Model &model,
                                              const Problem &problem,
                                              const Arch &arch,
                                              std::vector<Schedule> starts) {
  if (starts.empty() || catalogueFor(model, problem, arch).empty())
    return std::nullopt;
  const ProblemJudge judged(model, problem, arch);
  llvm::append_range(starts, detail::ascent(starts, judged, problem, arch));
  return bestOf(judged, starts);
}

static std::vector<double> pricesOf(const Model &model, const Problem &problem,
                                    const Arch &arch,
                                    llvm::ArrayRef<Schedule> schedules) {
  constexpr double kLn2 = 0.69314718055994530942;
  std::vector<double> prices = ProblemJudge(model, problem, arch)(schedules);
  for (double &price : prices)
    price /= kLn2;
  return prices;
}

std::vector<double> hone::judgedPrices(const Model &model,
                                       const Problem &problem, const Arch &arch,
                                       llvm::ArrayRef<Schedule> schedules) {
  if (catalogueFor(model, problem, arch).empty())
    return {};
  return pricesOf(model, problem, arch, schedules);
}

namespace {
/// The problems for which the shipped model was trained, whatever their
/// extents: the catalogue of each value would take longer than its prices.
class Trained {
public:
  bool has(const Problem &problem, const Arch &arch) {
    if (!problem.isStatic() || problem.fault())
      return false;
    std::lock_guard<std::mutex> lock(mutex);
    auto [known, isNew] = answers.try_emplace(keyOf(problem, arch));
    if (isNew)
      known->second = !catalogueFor(Model::shipped(), problem, arch).empty();
    return known->second;
  }

private:
  static std::string keyOf(Problem problem, const Arch &arch) {
    problem.m = problem.n = problem.k = 1;
    return arch.name + " " + problem.str();
  }

  std::mutex mutex;
  std::map<std::string, bool> answers;
};
} // namespace

RangeJudge hone::learnedJudge() {
  return [trained = std::make_shared<Trained>()](
             const Problem &problem, const Arch &arch,
             llvm::ArrayRef<Schedule> schedules) -> std::vector<double> {
    if (!trained->has(problem, arch))
      return {};
    return pricesOf(Model::shipped(), problem, arch, schedules);
  };
}

std::optional<Answer> LearnedSource::ask(const Problem &problem,
                                         const Arch &arch) {
  // It was trained on products with one B.
  if (problem.readsPlaces())
    return std::nullopt;
  std::optional<Schedule> preferred =
      preferredSchedule(Model::shipped(), problem, arch, looks);
  if (!preferred)
    return std::nullopt;
  return Answer{*preferred, "the policy", Basis::guess};
}

std::vector<std::string> LearnedSource::notices(const Arch &arch) {
  std::string limit = Model::shipped().limitOn(arch);
  if (arch.isHost() || limit.empty())
    return {};
  bool isUnknown = Model::shipped().shareOn(arch) == 0;
  return {arch.chip + ": the policy " + limit +
          (isUnknown ? ", and the cost model chooses" : "") +
          "; use 'hone tune' on " + arch.chip + " for measurements"};
}
