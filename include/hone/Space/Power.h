//===- Power.h - Machine-independent powers ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library chooses its `pow` and `log2` by the machine it runs on, and the
// results differ in the last bit. Where estimates are almost equal, the last
// bit decides between schedules, so two machines would build different kernels
// from one program. These functions only use operations that IEEE 754 defines
// to the bit. lib/Search is compiled without contraction of a product and a
// sum.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_POWER_H
#define HONE_SPACE_POWER_H

#include <cmath>

namespace hone::detail {

/// log2 of a positive, finite number, to 1e-15 or so.
inline double binaryLog(double value) {
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);
  constexpr double kRootOfHalf = 0.70710678118654752440;
  if (fraction < kRootOfHalf) {
    fraction *= 2;
    --exponent;
  }
  // ln x = 2 artanh((x - 1) / (x + 1)), an odd series in at most 0.172.
  double t = (fraction - 1) / (fraction + 1), square = t * t, sum = 0;
  for (int power = 21; power >= 1; power -= 2)
    sum = sum * square + 1.0 / power;
  constexpr double kTwoOverLn2 = 2.88539008177792681472;
  return exponent + kTwoOverLn2 * t * sum;
}

/// 2 to a power of moderate size.
inline double binaryPower(double exponent) {
  double whole = std::floor(exponent + 0.5);
  constexpr double kLn2 = 0.69314718055994530942;
  double x = (exponent - whole) * kLn2, sum = 1;
  for (int order = 14; order >= 1; --order)
    sum = sum * x / order + 1;
  return std::ldexp(sum, int(whole));
}

/// `base` of 0 or more to a positive power.
inline double power(double base, double exponent) {
  return base > 0 ? binaryPower(exponent * binaryLog(base)) : 0;
}

} // namespace hone::detail

#endif // HONE_SPACE_POWER_H
