//===- ErrorBound.cpp - Numbers with an error bound -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounding of the last store is part of the error, and is separated again:
// it has a fixed bound, and needs no deviations.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/ErrorBound.h"

using namespace hone;

namespace {
/// A float type by its numbers.
struct Store {
  double unit, smallest, overflow;
};
} // namespace

/// `rounded` is the value of `r` in the type.
static double unitsOff(Store store, double rounded, double c,
                       Inexact<double> r) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (!std::isfinite(r.error))
    return -1;
  if (c == r.value || (std::isnan(c) && std::isnan(r.value)))
    return 0;
  if (!std::isfinite(r.value))
    return kWrong;
  double last = store.unit * std::abs(r.value);
  double before = std::max(0.0, r.error - last);
  if (r.error == 0)
    return c == rounded ? 0 : kWrong;
  // A value near the overflow limit may be infinite on one side only.
  if (std::isinf(c))
    return std::abs(r.value) + last + kDeviations * before >= store.overflow &&
                   std::signbit(c) == std::signbit(r.value)
               ? 1
               : kWrong;
  double units =
      std::abs(c - r.value) / (last + kDeviations * before + store.smallest);
  return std::isnan(units) ? kWrong : units;
}

double hone::unitsOff(ElementType type, double c, Inexact<double> r) {
  return ::unitsOff(
      {unitRoundoff(type), smallestError(type), rangeOf(type).overflow},
      roundTo(type, r.value), c, r);
}

double hone::unitsOffDouble(double c, Inexact<double> r) {
  return ::unitsOff({0x1p-53, 0x1p-1074, HUGE_VAL}, r.value, c, r);
}
