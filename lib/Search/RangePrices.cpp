//===- RangePrices.cpp - What a kernel takes at any value -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RangePrices.h.
//
//===----------------------------------------------------------------------===//

#include "RangePrices.h"
#include "hone/Search/CostModel.h"
#include "hone/Search/Power.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace hone;
using namespace hone::detail;

void RangePrices::addOwner(int64_t value, const Problem &problem, size_t owner,
                           Basis basis) {
  owned.push_back(value);
  known.push_back({binaryLog(double(value)), problem, owner, basis, {}});
}

double RangePrices::modelled(const Problem &problem, size_t candidate) const {
  // What is illegal here, its sibling would run, slowly.
  constexpr double kIllegal = 2;
  const Schedule &schedule = candidates[candidate];
  double price = binaryLog(estimateSeconds(problem, arch, schedule));
  return check(schedule, &problem, &arch) || checkMemory(schedule, problem)
             ? price + kIllegal
             : price;
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

/// The owner of a value was chosen by who knows most: none of the others may
/// look as fast there.
void RangePrices::setCandidates(std::vector<Schedule> schedules) {
  candidates = std::move(schedules);
  for (Known &at : known) {
    std::vector<double> prices = judged(at.problem);
    double own = prices[at.owner];
    for (size_t one = 0; one < candidates.size(); ++one) {
      double price =
          one == at.owner ? own : std::max(prices[one], own + rule.margin);
      at.corrections.push_back(price - modelled(at.problem, one));
    }
  }
}

/// The least time of trials, and that of finals: they do not compare.
static std::array<double, 2> leastOf(llvm::ArrayRef<Record> records) {
  std::array<double, 2> least = {0, 0};
  for (const Record &record : records) {
    double &of = least[record.grade != Grade::trial];
    if (of == 0 || record.times.median < of)
      of = record.times.median;
  }
  return least;
}

void RangePrices::addTimes(Lookup &lookup) {
  for (Known &at : known) {
    if (at.basis != Basis::exact)
      continue;
    std::vector<Record> records = lookup.measured(at.problem, arch.chip);
    if (llvm::none_of(records, [&](const Record &record) {
          return record.schedule == candidates[at.owner];
        }))
      continue;
    double own = modelled(at.problem, at.owner) + at.corrections[at.owner];
    std::array<double, 2> least = leastOf(records);
    for (const Record &record : records) {
      size_t one = llvm::find(candidates, record.schedule) - candidates.begin();
      if (one == candidates.size())
        continue;
      double loss =
          binaryLog(record.times.median / least[record.grade != Grade::trial]);
      at.corrections[one] = own + loss - modelled(at.problem, one);
    }
  }
}

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
  const Known &below = *std::prev(above);
  double part =
      (logValue - below.logValue) / (above->logValue - below.logValue);
  return price + (1 - part) * below.corrections[candidate] +
         part * above->corrections[candidate];
}
