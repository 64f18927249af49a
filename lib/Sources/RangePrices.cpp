//===- RangePrices.cpp - Prices of kernels at any value -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RangePrices.h.
//
//===----------------------------------------------------------------------===//

#include "RangePrices.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::detail;

void RangePrices::addOwner(int64_t value, const Problem &problem, size_t owner,
                           Basis basis) {
  owned.push_back({value, owner, basis});
  known.push_back(
      {value, binaryLog(double(value)), problem, owner, basis, {}, {}});
}

double RangePrices::modelled(const Problem &problem, size_t candidate) const {
  // Where a kernel is illegal, its slow sibling would run.
  constexpr double kIllegal = 2;
  const Schedule &schedule = candidates[candidate];
  double price = binaryLog(estimateSeconds(problem, arch, schedule));
  return !isLegal(schedule, problem, arch) ? price + kIllegal : price;
}

/// The judge's prices, or the model's.
std::vector<double> RangePrices::judged(const Problem &problem) const {
  std::vector<double> prices;
  if (judge)
    prices = judge(problem, arch, candidates);
  for (size_t one = prices.size(); one < candidates.size(); ++one)
    prices.push_back(modelled(problem, one));
  return prices;
}

bool RangePrices::Known::isTimed() const {
  return llvm::any_of(errors, [](const std::optional<double> &error) {
    return error.has_value();
  });
}

/// The owner of a measured value won there, so no other candidate may look as
/// fast. A guessed owner adds nothing to the judge's prices.
void RangePrices::setCandidates(std::vector<Schedule> schedules) {
  candidates = std::move(schedules);
  for (const Schedule &candidate : candidates)
    locations.push_back(locationOf(candidate));
  for (Known &at : known) {
    std::vector<double> prices = judged(at.problem);
    double own = prices[at.owner];
    for (size_t one = 0; one < candidates.size(); ++one) {
      bool hasLost = at.basis == Basis::exact && one != at.owner;
      double price =
          hasLost ? std::max(prices[one], own + rule.margin) : prices[one];
      at.corrections.push_back(price - modelled(at.problem, one));
    }
    at.errors.resize(candidates.size());
  }
}

/// The factor that makes the times of trials comparable with those of finals,
/// before which the chip is warm. A finalist has no time of a trial left. The
/// best time of the others is assumed to equal the median of the finals. If it
/// were equated with the winner's time, a kernel that lost by a sixth would
/// look as fast as the winner, where all better ones were finalists.
static double trialScale(llvm::ArrayRef<Record> records) {
  std::vector<double> trials, finals;
  for (const Record &record : records)
    (record.grade == Grade::trial ? trials : finals)
        .push_back(record.times.median);
  if (trials.empty() || finals.empty())
    return 1;
  return quantiles(finals).median / *llvm::min_element(trials);
}

void RangePrices::addTimes(Lookup &lookup) {
  for (Known &at : known) {
    if (at.basis != Basis::exact)
      continue;
    std::vector<Record> records = lookup.measured(at.problem, arch.chip);
    llvm::erase_if(records, [](const Record &record) {
      return !record.isOk() || record.times.median <= 0;
    });
    // At this extent a search would have tried this form of the candidate.
    std::vector<Schedule> here;
    for (const Schedule &candidate : candidates)
      here.push_back(settled(candidate, at.problem));
    if (llvm::none_of(records, [&](const Record &record) {
          return record.schedule == here[at.owner];
        }))
      continue;
    double scale = trialScale(records);
    for (const Record &record : records) {
      size_t one = llvm::find(here, record.schedule) - here.begin();
      if (one == here.size())
        continue;
      bool isTrial = record.grade == Grade::trial;
      double seconds = record.times.median * (isTrial ? scale : 1);
      double correction = binaryLog(seconds) - modelled(at.problem, one);
      at.errors[one] = correction - at.corrections[one];
      at.corrections[one] = correction;
    }
  }
}

/// For a candidate that was not timed here, the mean over those that were,
/// weighted by similarity.
double RangePrices::errorAt(const Known &at, size_t candidate) const {
  constexpr double kUnlike = 0.02;
  if (at.errors[candidate])
    return *at.errors[candidate];
  double weights = 0, sum = 0;
  for (size_t one = 0; one < candidates.size(); ++one)
    if (at.errors[one]) {
      double weight = kUnlike + closeness(locations[candidate], locations[one]);
      weights += weight;
      sum += weight * *at.errors[one];
    }
  return sum / weights;
}

std::pair<const RangePrices::Known *, const RangePrices::Known *>
RangePrices::around(double logValue,
                    llvm::function_ref<bool(const Known &)> counts) const {
  const Known *below = nullptr, *above = nullptr;
  for (const Known &each : known)
    if (counts(each)) {
      if (each.logValue < logValue)
        below = &each;
      else if (!above)
        above = &each;
    }
  return {below, above};
}

/// Interpolates from `low` at `from` to `high` at `to`.
static double between(double from, double to, double at, double low,
                      double high) {
  double part = (at - from) / (to - from);
  return (1 - part) * low + part * high;
}

/// Interpolates between the nearest values with times.
double RangePrices::errorNear(const Known &at, size_t candidate) const {
  auto [below, above] =
      around(at.logValue, [](const Known &each) { return each.isTimed(); });
  if (!below || !above)
    return below || above ? errorAt(below ? *below : *above, candidate) : 0;
  return between(below->logValue, above->logValue, at.logValue,
                 errorAt(*below, candidate), errorAt(*above, candidate));
}

void RangePrices::spreadTimes() {
  for (Known &at : known) {
    bool isTimed = at.isTimed();
    for (size_t one = 0; one < candidates.size(); ++one)
      if (!at.errors[one])
        at.corrections[one] += isTimed ? errorAt(at, one) : errorNear(at, one);
    if (!isTimed)
      continue;
    // A candidate without a time was not the winner.
    double min = ownPrice(at) + rule.margin;
    for (size_t one = 0; one < candidates.size(); ++one)
      if (!at.errors[one])
        at.corrections[one] =
            std::max(at.corrections[one], min - modelled(at.problem, one));
  }
}

int64_t RangePrices::tiles(size_t candidate, const Problem &problem) const {
  auto [kind, rows, cols] = tileOf(problem, candidates[candidate]);
  return llvm::divideCeilSigned(problem.m, rows) *
         llvm::divideCeilSigned(problem.n, cols);
}

/// Between two values the corrections are interpolated. Where a candidate has
/// as many tiles as at one of the two, and not as at the other, its time is
/// closer to the time there: at 5376x2048, a tile of 24 rows takes 7.6 us for
/// 24 rows, and 9.7 for 25, as for 32.
double RangePrices::at(size_t candidate, const Problem &problem,
                       int64_t value) const {
  double logValue = binaryLog(double(value));
  double price = modelled(problem, candidate);
  auto above = llvm::find_if(
      known, [&](const Known &at) { return at.logValue >= logValue; });
  if (above == known.end())
    return price + known.back().corrections[candidate];
  if (above == known.begin() || above->logValue == logValue)
    return price + above->corrections[candidate];
  auto below = std::prev(above);
  double low = below->corrections[candidate],
         high = above->corrections[candidate];
  double correction =
      between(below->logValue, above->logValue, logValue, low, high);
  int64_t here = tiles(candidate, problem);
  bool isLikeBelow = here == tiles(candidate, below->problem);
  if (isLikeBelow != (here == tiles(candidate, above->problem)))
    correction = std::max(correction, isLikeBelow ? low : high);
  return price + correction;
}

double RangePrices::ownPrice(const Known &at) const {
  return modelled(at.problem, at.owner) + at.corrections[at.owner];
}

std::optional<double>
RangePrices::hoped(int64_t value, llvm::ArrayRef<int64_t> searched) const {
  constexpr double kClose = 0.07; // 5 %
  double logValue = binaryLog(double(value));
  auto [below, above] = around(logValue, [&](const Known &each) {
    return each.isTimed() && llvm::is_contained(searched, each.value);
  });
  if (!below || !above || logValue - below->logValue < kClose ||
      above->logValue - logValue < kClose)
    return std::nullopt;
  return between(below->logValue, above->logValue, logValue, ownPrice(*below),
                 ownPrice(*above));
}
