//===- Statistics.cpp - A median and its spread ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantiles between two samples are interpolated.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/Statistics.h"
#include <algorithm>

using namespace hone;

Quantiles hone::quantiles(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  auto at = [&](double fraction) {
    double position = fraction * (samples.size() - 1);
    size_t below = static_cast<size_t>(position);
    size_t above = std::min(below + 1, samples.size() - 1);
    double rest = position - below;
    return samples[below] * (1 - rest) + samples[above] * rest;
  };
  return {at(0.1), at(0.5), at(0.9), samples.size()};
}
