//===- RangeRuns.cpp - Which kernels, and the bounds between them ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of given kernels, a dynamic program finds what each should serve: from point
// to point, the least cost of all runs that end with a candidate. Which
// kernels, is found by adding the one that brings most, then by exchanging and
// dropping some, as long as that gains.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Ranges.h"
#include "hone/Search/RangedSource.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace hone;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Candidates for each point, and what that costs.
struct Cover {
  double cost = kInfinity;
  std::vector<size_t> chosen;

  size_t runs() const {
    size_t runs = 1;
    for (size_t at = 1; at < chosen.size(); ++at)
      runs += chosen[at] != chosen[at - 1];
    return runs;
  }
};

class Chooser {
public:
  Chooser(const RangeCandidates &candidates, llvm::ArrayRef<RangePoint> points,
          const RangeRule &rule);
  std::vector<RangeRun> run();

private:
  double costOf(llvm::ArrayRef<size_t> kernels) const;
  std::vector<size_t> candidatesOf(llvm::ArrayRef<size_t> kernels) const;
  std::vector<size_t> step(size_t at, llvm::ArrayRef<size_t> allowed,
                           size_t best, double fresh,
                           std::vector<double> &sums) const;
  Cover coverIn(llvm::ArrayRef<size_t> kernels, size_t most) const;
  Cover cover(llvm::ArrayRef<size_t> kernels, double turn) const;
  bool add();
  bool exchange();
  bool drop();
  bool take(std::vector<size_t> kernels);

  const RangeCandidates &candidates;
  const RangeRule &rule;
  size_t count;
  double all = 0; ///< weight of all points
  /// What each candidate costs, point by point.
  std::vector<std::vector<double>> costs;
  size_t kernelCount = 0;
  std::vector<size_t> chosen; ///< kernels
  double least = kInfinity;
};

} // namespace

Chooser::Chooser(const RangeCandidates &candidates,
                 llvm::ArrayRef<RangePoint> points, const RangeRule &rule)
    : candidates(candidates), rule(rule), count(points.size()),
      costs(candidates.prices.size(), std::vector<double>(points.size())) {
  for (size_t at = 0; at < count; ++at) {
    double best = kInfinity;
    for (const std::vector<double> &of : candidates.prices)
      best = std::min(best, of[at]);
    for (auto [prices, cost] : llvm::zip(candidates.prices, costs)) {
      double loss = prices[at] - best;
      cost[at] = points[at].weight * (loss + rule.convexity * loss * loss);
    }
    all += points[at].weight;
  }
  for (size_t kernel : candidates.kernels)
    kernelCount = std::max(kernelCount, kernel + 1);
}

std::vector<size_t>
Chooser::candidatesOf(llvm::ArrayRef<size_t> kernels) const {
  std::vector<size_t> allowed;
  for (auto [candidate, kernel] : llvm::enumerate(candidates.kernels))
    if (llvm::is_contained(kernels, kernel))
      allowed.push_back(candidate);
  return allowed;
}

/// Adds a point to the sums of all candidates: each goes on, or takes over from
/// the best of the others, which comes to `fresh`. Returns who served the point
/// before; itself where it goes on.
std::vector<size_t> Chooser::step(size_t at, llvm::ArrayRef<size_t> allowed,
                                  size_t best, double fresh,
                                  std::vector<double> &sums) const {
  std::vector<size_t> before(allowed.size());
  for (size_t one = 0; one < allowed.size(); ++one) {
    before[one] = sums[one] <= fresh ? one : best;
    sums[one] = std::min(sums[one], fresh) + costs[allowed[one]][at];
  }
  return before;
}

/// The cheapest way to serve all points with these kernels.
Cover Chooser::cover(llvm::ArrayRef<size_t> kernels, double turn) const {
  std::vector<size_t> allowed = candidatesOf(kernels);
  std::vector<double> sums(allowed.size(), 0);
  std::vector<std::vector<size_t>> before(count);
  for (size_t at = 0; at < count; ++at) {
    size_t best = llvm::min_element(sums) - sums.begin();
    double fresh = sums[best] + (at ? turn : 0);
    before[at] = step(at, allowed, best, fresh, sums);
  }
  Cover cover;
  size_t last = llvm::min_element(sums) - sums.begin();
  cover.cost = sums[last];
  cover.chosen.resize(count);
  for (size_t at = count; at-- > 0; last = before[at][last])
    cover.chosen[at] = allowed[last];
  return cover;
}

/// The same with so many runs at most, of which none costs anything.
Cover Chooser::coverIn(llvm::ArrayRef<size_t> kernels, size_t most) const {
  std::vector<size_t> allowed = candidatesOf(kernels);
  // By the number of the run that a point is in: the cost up to it.
  std::vector<std::vector<double>> sums(
      most, std::vector<double>(allowed.size(), kInfinity));
  sums[0].assign(allowed.size(), 0);
  std::vector<std::vector<std::vector<size_t>>> before(count);
  for (size_t at = 0; at < count; ++at) {
    before[at].resize(most);
    for (size_t run = most; run-- > 0;) {
      bool mayTurn = run > 0 && at > 0;
      const std::vector<double> &others = sums[mayTurn ? run - 1 : run];
      size_t best = llvm::min_element(others) - others.begin();
      double fresh = mayTurn ? others[best] : kInfinity;
      before[at][run] = step(at, allowed, best, fresh, sums[run]);
    }
  }
  size_t run = 0;
  for (size_t other = 1; other < most; ++other)
    if (*llvm::min_element(sums[other]) < *llvm::min_element(sums[run]))
      run = other;
  size_t last = llvm::min_element(sums[run]) - sums[run].begin();
  Cover cover;
  cover.cost = sums[run][last];
  cover.chosen.resize(count);
  for (size_t at = count; at-- > 0;) {
    cover.chosen[at] = allowed[last];
    size_t from = before[at][run][last];
    run -= from != last;
    last = from;
  }
  return cover;
}

double Chooser::costOf(llvm::ArrayRef<size_t> kernels) const {
  return cover(kernels, rule.turn * all).cost +
         rule.gain * all * double(kernels.size());
}

/// Takes these kernels if they are better than those before.
bool Chooser::take(std::vector<size_t> kernels) {
  constexpr double kMore = 1e-12; // than what roundings may do
  double cost = costOf(kernels);
  if (!chosen.empty() && !(cost < least - kMore))
    return false;
  least = cost;
  chosen = std::move(kernels);
  return true;
}

/// The kernel that brings most.
bool Chooser::add() {
  std::vector<size_t> now = chosen;
  bool found = false;
  for (size_t kernel = 0; kernel < kernelCount && now.size() < rule.most;
       ++kernel) {
    if (llvm::is_contained(now, kernel))
      continue;
    std::vector<size_t> more = now;
    more.push_back(kernel);
    found |= take(std::move(more));
  }
  return found;
}

bool Chooser::exchange() {
  std::vector<size_t> now = chosen;
  bool found = false;
  for (size_t at = 0; at < now.size(); ++at)
    for (size_t kernel = 0; kernel < kernelCount; ++kernel) {
      if (llvm::is_contained(now, kernel))
        continue;
      std::vector<size_t> other = now;
      other[at] = kernel;
      found |= take(std::move(other));
    }
  return found;
}

bool Chooser::drop() {
  std::vector<size_t> now = chosen;
  bool found = false;
  for (size_t at = 0; at < now.size() && now.size() > 1; ++at) {
    std::vector<size_t> fewer = now;
    fewer.erase(fewer.begin() + at);
    found |= take(std::move(fewer));
  }
  return found;
}

std::vector<RangeRun> Chooser::run() {
  while (add() || exchange() || drop())
    ;
  // Bounds are cheap, but a plan has only so many.
  constexpr size_t kMax = ScheduleRanges::maxRanges + 1;
  Cover best = cover(chosen, rule.turn * all);
  if (best.runs() > kMax)
    best = coverIn(chosen, kMax);
  std::vector<RangeRun> runs;
  for (size_t at = 0; at < count; ++at)
    if (!runs.empty() && runs.back().candidate == best.chosen[at])
      runs.back().end = at + 1;
    else
      runs.push_back({best.chosen[at], at + 1});
  return runs;
}

std::vector<RangeRun> hone::chooseRuns(const RangeCandidates &candidates,
                                       llvm::ArrayRef<RangePoint> points,
                                       const RangeRule &rule) {
  if (candidates.prices.empty() || points.empty() || rule.most == 0)
    return {};
  return Chooser(candidates, points, rule).run();
}
