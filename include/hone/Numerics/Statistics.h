//===- Statistics.h - A median and its spread -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times have a long tail on one side, so quantiles summarize them.
//
// Contenders that take turns are compared round by round, because a disturbance
// of a round affects all of them: the ratio is the geometric mean of the
// rounds' ratios, with Student's interval for their logarithms.
//
// Ratios of many problems have no such distribution: most are 1, some far from
// it. A bootstrap, which draws again from these problems, shows how much their
// mean depends on the choice of problems.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_STATISTICS_H
#define HONE_NUMERICS_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

/// Launches of at least this many seconds give an otherwise idle chip time to
/// lower its clock, so that its earlier load affects the time.
constexpr double kLongLaunch = 20e-6;

struct Quantiles {
  double median = 0; ///< half of the samples are below
  double p10 = 0;    ///< a tenth
  double p90 = 0;    ///< nine tenths
  int64_t samples = 0;
};

/// All zero for no samples.
Quantiles quantiles(std::vector<double> samples);

/// A ratio and its 95 % confidence interval.
struct Ratio {
  double value = 0, low = 0, high = 0;
};

/// Of `theirs[i] / ours[i]`; all zero for no rounds, an open interval for one.
Ratio ratioOf(const std::vector<double> &theirs,
              const std::vector<double> &ours);

/// The geometric mean of numbers above 0; 0 for none.
double geometricMean(const std::vector<double> &numbers);

/// The geometric mean of `groups`, each with the same weight regardless of its
/// size, and its 95 % interval: that of means of as many groups drawn with
/// replacement. A group has all numbers of one problem, because searches of one
/// problem with other seeds show little about other problems. All numbers are
/// above 0; empty groups do not count; all zero without any. The same on every
/// machine.
Ratio geometricMean(const std::vector<std::vector<double>> &groups,
                    uint64_t seed = 1, size_t resamples = 1000);

/// The contenders of the next round, after `rounds` of at least `min` and at
/// most `max`; none if the final is over. With `max` above `min`, the final
/// only determines the fastest, and contenders that cannot win any more leave:
///
/// | rounds so far | contenders that leave                                 |
/// |---------------|-------------------------------------------------------|
/// | 3 to `min`    | those a twentieth slower than the fastest (the one    |
/// |               | with the lowest median) in each round                 |
/// | from `min`    | those slower with 95 % confidence, or by less than a  |
/// |               | percent; if all others left, the final is over        |
///
/// The first contender stays to the end, because the others are compared with
/// it.
std::vector<size_t> nextRound(const std::vector<std::vector<double>> &rounds,
                              size_t min, size_t max);

} // namespace hone

#endif // HONE_NUMERICS_STATISTICS_H
