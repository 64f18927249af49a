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
/// The numbers of a float type, each computed where it is needed: results are
/// compared by the million.
struct StoredAs {
  ElementType type;
  double unit() const { return unitRoundoff(type); }
  double smallest() const { return smallestError(type); }
  double overflow() const { return rangeOf(type).overflow; }
  double round(double value) const { return roundTo(type, value); }
};
struct StoredAsDouble {
  static double unit() { return 0x1p-53; }
  static double smallest() { return 0x1p-1074; }
  static double overflow() { return HUGE_VAL; }
  static double round(double value) { return value; }
};
} // namespace

template <typename Store>
static double unitsOff(Store store, double c, Inexact<double> r) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (!std::isfinite(r.error))
    return -1;
  if (c == r.value || (std::isnan(c) && std::isnan(r.value)))
    return 0;
  if (!std::isfinite(r.value))
    return kWrong;
  if (r.error == 0)
    return c == store.round(r.value) ? 0 : kWrong;
  double last = store.unit() * std::abs(r.value);
  double before = std::max(0.0, r.error - last);
  // A value near the overflow limit may be infinite on one side only.
  if (std::isinf(c))
    return std::abs(r.value) + last + kDeviations * before >=
                       store.overflow() &&
                   std::signbit(c) == std::signbit(r.value)
               ? 1
               : kWrong;
  double units =
      std::abs(c - r.value) / (last + kDeviations * before + store.smallest());
  return std::isnan(units) ? kWrong : units;
}

double hone::unitsOff(ElementType type, double c, Inexact<double> r) {
  return ::unitsOff(StoredAs{type}, c, r);
}

double hone::unitsOffDouble(double c, Inexact<double> r) {
  return ::unitsOff(StoredAsDouble(), c, r);
}
