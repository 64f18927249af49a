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
// Ratios of many problems have no such law: most are 1, some far from it. How
// much their mean owes to the choice of problems is seen by choosing again,
// from those that there are (a bootstrap).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_STATISTICS_H
#define HONE_NUMERICS_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

/// Seconds of a launch from which a chip that runs nothing else has time to
/// lower its clock, so that what it did before matters.
constexpr double kLongLaunch = 20e-6;

struct Quantiles {
  double low = 0;    ///< a tenth of the samples is below
  double median = 0; ///< half
  double high = 0;   ///< nine tenths
  size_t count = 0;

  /// Distance of the outer two as a fraction of the median.
  double spread() const { return median > 0 ? (high - low) / median : 0; }
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

/// The geometric mean of `groups`, each with the same weight whatever its size,
/// and its 95 % interval: of means of as many groups drawn with replacement.
/// What belongs to one problem stays together, for searches of one problem with
/// other seeds say little about other problems. All numbers are above 0; empty
/// groups do not count; all zero without any. The same on every machine.
Ratio geometricMean(const std::vector<std::vector<double>> &groups,
                    uint64_t seed = 1, size_t resamples = 1000);

/// Who has a turn in the next round, after `rounds` of at least `least` and at
/// most `most`; nobody where it is over. With `most` above `least` the question
/// is who is fastest, and whoever can not be it any more leaves:
///
/// | rounds so far | who leaves                                            |
/// |---------------|-------------------------------------------------------|
/// | 3 to `least`  | who was a twentieth slower than the fastest (the one  |
/// |               | with the lowest median) in each                       |
/// | from `least`  | who is slower with that confidence, or by less than a |
/// |               | percent; without anybody else it is over              |
///
/// The first stays to the end: everybody is compared with it.
std::vector<size_t> nextRound(const std::vector<std::vector<double>> &rounds,
                              size_t least, size_t most);

} // namespace hone

#endif // HONE_NUMERICS_STATISTICS_H
