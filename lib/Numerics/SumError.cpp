//===- SumError.cpp - Error of sums compared with f64 ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SumError.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/SumError.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace hone;

SumError hone::sumErrorOf(llvm::ArrayRef<double> results,
                          llvm::ArrayRef<double> reference) {
  double ofErrors = 0, ofReference = 0, largest = 0;
  for (auto [result, expected] : llvm::zip_equal(results, reference)) {
    double off = std::abs(result - expected);
    if (!std::isfinite(off))
      off = INFINITY;
    ofErrors += off * off;
    ofReference += expected * expected;
    largest = std::max(largest, off);
  }
  if (largest == 0)
    return {};
  return {std::sqrt(ofErrors / ofReference),
          largest / std::sqrt(ofReference / double(reference.size()))};
}
