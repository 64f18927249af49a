//===- SessionFinal.cpp - Final and decision of a session -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of trials choose the finalists, and rounds of the final decide: only
// there do all schedules run under the same conditions.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Space/Location.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace hone;
using namespace hone::detail;

//===----------------------------------------------------------------------===//
// The final
//===----------------------------------------------------------------------===//

/// Adds the next `places` of `order` to `chosen`. A trial is short, and an idle
/// chip starts at a high clock: a tile may win there and lose when the clock
/// falls. So a tile gets at most two places while other tiles are left.
void Session::seat(llvm::ArrayRef<Candidate *> order, int64_t places,
                   bool onlyRewritten, std::vector<Candidate *> &chosen) const {
  constexpr int64_t kOfTile = 2;
  std::map<Tile, int64_t> taken;
  for (bool isCrowded : {false, true})
    for (Candidate *candidate : order) {
      bool isMeant = !onlyRewritten || !candidate->schedule.rewrites().empty();
      if (places == 0 || !isMeant || llvm::is_contained(chosen, candidate))
        continue;
      int64_t &alike = taken[tileOf(problem, candidate->schedule)];
      if (!isCrowded && !onlyRewritten && alike == kOfTile)
        continue;
      ++alike;
      --places;
      chosen.push_back(candidate);
    }
}

/// Trials of long kernels predict less: in its trial each kernel runs at the
/// clock that it causes itself, and in a final at the clock that all finalists
/// cause. So these problems have more places.
static int64_t placesOf(const SearchOptions &options, double fastestSeconds) {
  constexpr int64_t kMore = 2;
  return std::max<int64_t>(options.finalists, 1) *
         (fastestSeconds < kLongLaunch ? 1 : kMore);
}

bool hone::detail::isChoiceOfBuild(const Provenance &provenance) {
  llvm::StringRef proposer = provenance.policy;
  return proposer == kShippedPolicy ||
         proposer.rsplit('/').second == kBuildOrigin;
}

/// The incumbent, a build's choice, the default and the fastest others, as far
/// as they work. Where rewrites were tried, the fastest schedule without
/// rewrites takes part, too.
std::vector<Session::Candidate *> Session::contenders() {
  std::vector<Candidate *> order = inOrder(), chosen;
  llvm::erase_if(order, [](const Candidate *one) { return !one->isOk(); });
  llvm::stable_sort(order, [](const Candidate *left, const Candidate *right) {
    return left->measurement.times.median < right->measurement.times.median;
  });
  const Candidate *plain = fastest(/*mayBeRewritten=*/false);
  const bool needsPlain = isRewriting && plain;
  auto invite = [&](const std::optional<Schedule> &schedule) {
    Candidate *candidate = schedule ? find(*schedule) : nullptr;
    if (candidate && candidate->isOk() &&
        !llvm::is_contained(chosen, candidate))
      chosen.push_back(candidate);
  };
  invite(incumbent);
  invite(ofBuild);
  for (const Candidate *candidate : order)
    if (isChoiceOfBuild(candidate->provenance))
      invite(candidate->schedule);
  invite(fallback);
  if (needsPlain)
    invite(plain->schedule);
  // Rewrites are tried last, on a chip that is warmer than it was for the
  // others: the fastest of them get half of the places.
  const int64_t places =
      order.empty() ? 0 : placesOf(options, order[0]->measurement.times.median);
  if (isRewriting)
    seat(order, places / 2, /*onlyRewritten=*/true, chosen);
  seat(order, isRewriting ? places - places / 2 : places,
       /*onlyRewritten=*/false, chosen);
  return chosen;
}

std::optional<Question> Session::nextFinal() {
  if (isDecided()) {
    keepChoice();
    return std::nullopt;
  }
  std::vector<Candidate *> finalists = contenders();
  if (finalists.size() < 2) {
    decide(finalists, Rounds(finalists.size()));
    return std::nullopt;
  }
  std::vector<Schedule> schedules;
  for (const Candidate *finalist : finalists)
    schedules.push_back(finalist->schedule);
  return questionOf(std::move(schedules));
}

void Session::settleFinal(Candidate &candidate, Measurement measurement) {
  candidate.measurement = std::move(measurement);
  candidate.measurement.grade = Grade::finalist;
  if (candidate.isOk())
    return;
  // It worked in its trial, but failed in the final.
  candidate.measurement.grade = Grade::trial;
  size_t ok = size_t(Status::ok), now = size_t(candidate.measurement.status);
  --result.byStatus[ok];
  ++result.byStatus[now];
  tally[ok] -= !candidate.isKnown;
  ++tally[now];
  hasNews = true;
  keep(candidate);
}

/// A finalist that cannot win leaves early, and the clock of a GPU falls until
/// the end. So its times are scaled to the whole final, by those of the fastest
/// finalist that stayed. Only then are the times of a final comparable.
static Quantiles overWholeFinal(Quantiles times, size_t rounds,
                                const std::vector<double> &whole) {
  std::vector<double> common(whole.begin(),
                             whole.begin() + std::min(rounds, whole.size()));
  double before = quantiles(std::move(common)).median;
  if (before <= 0)
    return times;
  double drift = quantiles(whole).median / before;
  times.p10 *= drift;
  times.median *= drift;
  times.p90 *= drift;
  return times;
}

/// The rounds of the fastest finalist that stayed to the end.
static std::vector<double>
wholeFinal(llvm::ArrayRef<std::vector<double>> rounds) {
  auto isBefore = [](const auto &one, const auto &other) {
    if (one.size() != other.size())
      return one.size() > other.size();
    return quantiles(one).median < quantiles(other).median;
  };
  auto first = std::min_element(rounds.begin(), rounds.end(), isBefore);
  return first == rounds.end() ? std::vector<double>() : *first;
}

void Session::takeFinal(const Question &question, const Reply &reply) {
  std::vector<Candidate *> finalists;
  Rounds rounds;
  const std::vector<double> whole = wholeFinal(reply.rounds);
  for (auto [at, schedule] : llvm::enumerate(question.schedules)) {
    Candidate &candidate = *find(schedule);
    std::vector<double> own =
        at < reply.rounds.size() ? reply.rounds[at] : std::vector<double>();
    Measurement measured = reply.measurements[at];
    measured.times = overWholeFinal(measured.times, own.size(), whole);
    settleFinal(candidate, plausible(std::move(measured)));
    if (!candidate.isOk())
      continue;
    finalists.push_back(&candidate);
    rounds.push_back(std::move(own));
  }
  // Where all failed, the next ones run in a final.
  if (!finalists.empty())
    decide(finalists, rounds);
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

/// The first finalist is the incumbent, else a build's choice, else the
/// default, as far as they work: see contenders(). If none of them works, it is
/// the fastest by its trial.
void Session::decide(llvm::ArrayRef<Candidate *> finalists,
                     const Rounds &rounds) {
  if (finalists.empty())
    return finish(nullptr);
  size_t chosen = 0;
  double max = 1;
  for (size_t at = 1; at < finalists.size(); ++at) {
    Ratio faster = ratioOf(rounds.front(), rounds[at]);
    if (faster.low > 1 && faster.value > max) {
      chosen = at;
      max = faster.value;
    }
  }
  for (auto [at, finalist] : llvm::enumerate(finalists))
    if (finalist->schedule == fallback) {
      result.defaultTimes = finalist->measurement.times;
      result.overDefault =
          at == chosen ? Ratio{1, 1, 1} : ratioOf(rounds[at], rounds[chosen]);
    }
  finalists[chosen]->measurement.grade = Grade::chosen;
  // The new choice is stored first, so that the old one can become a finalist.
  keep(*finalists[chosen]);
  for (const Candidate *finalist : finalists)
    if (finalist != finalists[chosen])
      keep(*finalist);
  finish(finalists[chosen]);
}

void Session::finish(const Candidate *chosen) {
  if (chosen) {
    result.chosen = chosen->schedule;
    result.times = chosen->measurement.times;
    result.proposer = chosen->provenance.policy;
  }
  result.isFinished = true;
  phase = Phase::done;
}

/// True if nothing was measured since this toolchain chose. The database stores
/// times in seconds, so a measurement in the second of the choice counts as
/// earlier.
bool Session::isDecided() {
  Candidate *choice = incumbent ? find(*incumbent) : nullptr;
  return isCurrent && !hasNews && choice && choice->isOk();
}

void Session::keepChoice() {
  const Candidate &choice = *find(*incumbent);
  const Candidate *usual = find(fallback);
  if (usual && usual->isOk()) {
    result.defaultTimes = usual->measurement.times;
    result.overDefault = &choice == usual
                             ? Ratio{1, 1, 1}
                             : ratioOf({result.defaultTimes.median},
                                       {choice.measurement.times.median});
  }
  result.wasChosen = true;
  finish(&choice);
}
