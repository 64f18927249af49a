//===- RangeRuns.cpp - Choice of kernels and of their bounds --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For given kernels, a dynamic program chooses the points that each serves: it
// extends, point by point, the cheapest sequence of runs that ends with each
// candidate. The kernels are chosen greedily: the kernel with the largest gain
// is added first; then kernels are exchanged and dropped as long as that gains.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Ranges.h"
#include "hone/Sources/RangedSource.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace hone;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A candidate for each point, and the cost of all.
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
  void addPoint(size_t at, llvm::ArrayRef<size_t> allowed, double fresh,
                std::vector<double> &sums) const;
  Cover coverIn(llvm::ArrayRef<size_t> kernels, size_t max) const;
  Cover cover(llvm::ArrayRef<size_t> kernels, double turn) const;
  bool add();
  bool exchange();
  bool drop();
  bool take(std::vector<size_t> kernels);

  const RangeCandidates &candidates;
  const RangeRule &rule;
  size_t count;
  double all = 0; ///< weight of all points
  /// The cost of each candidate at each point.
  std::vector<std::vector<double>> costs;
  size_t kernelCount = 0;
  std::vector<size_t> chosen; ///< kernels
  double min = kInfinity;
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

/// Adds a point to the sums of all candidates. Each continues its run, or
/// starts one after the best of the others, at the cost `fresh`. Returns, for
/// each, the candidate that served the point before; itself where its run
/// continues.
std::vector<size_t> Chooser::step(size_t at, llvm::ArrayRef<size_t> allowed,
                                  size_t best, double fresh,
                                  std::vector<double> &sums) const {
  std::vector<size_t> before(allowed.size());
  for (size_t one = 0; one < allowed.size(); ++one)
    before[one] = sums[one] <= fresh ? one : best;
  addPoint(at, allowed, fresh, sums);
  return before;
}

void Chooser::addPoint(size_t at, llvm::ArrayRef<size_t> allowed, double fresh,
                       std::vector<double> &sums) const {
  for (auto [candidate, sum] : llvm::zip_equal(allowed, sums))
    sum = std::min(sum, fresh) + costs[candidate][at];
}

/// The cheapest assignment of all points to these kernels.
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

/// The same with at most `max` runs, without a cost per run.
Cover Chooser::coverIn(llvm::ArrayRef<size_t> kernels, size_t max) const {
  std::vector<size_t> allowed = candidatesOf(kernels);
  // The cost up to a point, by the number of the point's run.
  std::vector<std::vector<double>> sums(
      max, std::vector<double>(allowed.size(), kInfinity));
  sums[0].assign(allowed.size(), 0);
  std::vector<std::vector<std::vector<size_t>>> before(count);
  for (size_t at = 0; at < count; ++at) {
    before[at].resize(max);
    for (size_t run = max; run-- > 0;) {
      bool mayTurn = run > 0 && at > 0;
      const std::vector<double> &others = sums[mayTurn ? run - 1 : run];
      size_t best = llvm::min_element(others) - others.begin();
      double fresh = mayTurn ? others[best] : kInfinity;
      before[at][run] = step(at, allowed, best, fresh, sums[run]);
    }
  }
  size_t run = 0;
  for (size_t other = 1; other < max; ++other)
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

/// The cost of `cover`, which need not be known for most kernels, and of the
/// kernels themselves.
double Chooser::costOf(llvm::ArrayRef<size_t> kernels) const {
  std::vector<size_t> allowed = candidatesOf(kernels);
  std::vector<double> sums(allowed.size(), 0);
  for (size_t at = 0; at < count; ++at) {
    double fresh = *llvm::min_element(sums) + (at ? rule.turn * all : 0);
    addPoint(at, allowed, fresh, sums);
  }
  return *llvm::min_element(sums) + rule.gain * all * double(kernels.size());
}

/// Takes these kernels if they are better than the current ones.
bool Chooser::take(std::vector<size_t> kernels) {
  constexpr double kMore = 1e-12; // above the rounding error
  double cost = costOf(kernels);
  if (!chosen.empty() && !(cost < min - kMore))
    return false;
  min = cost;
  chosen = std::move(kernels);
  return true;
}

/// Adds the kernel with the largest gain.
bool Chooser::add() {
  std::vector<size_t> now = chosen;
  bool found = false;
  for (size_t kernel = 0; kernel < kernelCount && now.size() < rule.max;
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
  // Bounds cost little, but their number in a plan is limited.
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
  if (candidates.prices.empty() || points.empty() || rule.max == 0)
    return {};
  return Chooser(candidates, points, rule).run();
}
