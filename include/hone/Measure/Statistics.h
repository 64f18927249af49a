//===- Statistics.h - A median and its spread -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times have a long tail to one side, so they are summed up by quantiles.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_STATISTICS_H
#define HONE_MEASURE_STATISTICS_H

#include <cstddef>
#include <vector>

namespace hone {

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

} // namespace hone

#endif // HONE_MEASURE_STATISTICS_H
