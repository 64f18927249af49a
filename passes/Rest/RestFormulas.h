//===- RestFormulas.h - Elementary functions of the rest --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that no epilogue has, in the form of EpilogueFormulas.h. They take
// more steps, and are as accurate as a library's:
//
//   function           | error, over all f32 operands
//   -------------------|------------------------------------------------------
//   pow, constant base | 2 ulp
//   pow                | 4 ulp
//   expm1              | 2 ulp
//   log1p              | 2 ulp
//   atan2              | 3 ulp
//
// Subnormal results are rounded, not flushed, except where a quotient in atan2
// is subnormal. Special values follow IEEE 754 and C. In addition to the
// members that EpilogueFormulas.h requires, a Real needs `a / b`,
// `roundEven(x)`, and `chooseLess(a, b, ifLess, ifNot)`. Powers of two with a
// whole exponent are assumed to be exact (exp2Approx), as they are on the
// chips.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_REST_RESTFORMULAS_H
#define HONE_PASSES_REST_RESTFORMULAS_H

#include "passes/Lower/EpilogueFormulas.h"
#include <cmath>
#include <limits>

namespace hone::formulas {

constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// An unevaluated sum; `low` is small.
template <typename Real>
struct Parts {
  Real high, low;
};

template <typename Real>
Real negative(Real x) {
  return x * x.constant(-1.0f);
}

/// `ifZero` where x is 0.
template <typename Real>
Real chooseZero(Real x, Real ifZero, Real ifNot) {
  return chooseBelow(absolute(x), kSmallest, ifZero, ifNot);
}

//===----------------------------------------------------------------------===//
// Powers of two and logarithms in two parts
//===----------------------------------------------------------------------===//

/// x 2^n for a whole n, in two steps: 2^n alone may be too large or small.
template <typename Real>
Real scaled(Real x, Real n) {
  Real half = roundEven(n * x.constant(0.5f));
  return x * exp2Approx(half) * exp2Approx(n + negative(half));
}

/// 2^(high + low).
template <typename Real>
Real exp2OfParts(Parts<Real> x) {
  Real high = x.high, n = roundEven(high);
  Real rest = (high + negative(n)) + x.low;
  // (2^r - 1) / r, |r| <= 1/2: 2.3e-8.
  Real slope =
      polynomial(rest, {0x1.4415aep-13f, 0x1.5f0ba6p-10f, 0x1.3b2a52p-7f,
                        0x1.c6af68p-5f, 0x1.ebfbe0p-3f, 0x1.62e430p-1f});
  Real power = scaled(fma(slope, rest, high.constant(1.0f)), n);
  // Beyond the range the instruction alone gives 0, infinity or NaN.
  return chooseBelow(absolute(high), 160.0f, power, exp2Approx(high));
}

/// The logarithm of x (1 + low / x) for a positive, finite x: n and s, with
/// log2 x = n + 2 / ln 2 atanh s.
template <typename Real>
struct Mantissa {
  Mantissa(Real x, Real low)
      : exponent(roundEven(log2Approx(x))), quotient(exponent), tail(exponent) {
    Real shift = negative(exponent);
    Real top = scaled(x, shift) + x.constant(-1.0f), rest = scaled(low, shift);
    // s = top / (top + 2), and the rounding errors of both.
    Real bottom = top + x.constant(2.0f);
    Real lost = top + negative(bottom + x.constant(-2.0f)) + rest;
    Real inverse = rcpApprox(bottom);
    quotient = top * inverse;
    Real left = fma(negative(quotient), bottom, top) + rest;
    left = fma(negative(quotient), lost, left);
    // atanh s - s, |s| <= 0.172.
    Real square = quotient * quotient;
    Real series = polynomial(
        square, {1 / 13.0f, 1 / 11.0f, 1 / 9.0f, 1 / 7.0f, 1 / 5.0f, 1 / 3.0f});
    left = left * inverse;
    left = fma(left, square, left);
    tail = fma(quotient * square, series, left);
  }

  Real exponent, quotient, tail; ///< s + (atanh s - s)
};

/// log2 x for x from 0 to infinity.
template <typename Real>
Parts<Real> log2InParts(Real x) {
  constexpr float kScale = 2 * kLog2E, kScaleRest = 0x1.4ae0c0p-25f;
  Real zero = x.constant(0.0f);
  Mantissa<Real> mantissa(x, zero);
  Real s = mantissa.quotient, n = mantissa.exponent;
  Real scale = x.constant(kScale);
  Real part = s * scale;
  Real low = fma(s, scale, negative(part)) + s * x.constant(kScaleRest);
  low = fma(mantissa.tail, scale, low);
  Real high = n + part;
  low = (part + negative(high + negative(n))) + low;
  Real whole = high + low;
  low = (high + negative(whole)) + low;
  // 0, infinity and NaN.
  Real special = log2Approx(x);
  auto choose = [&](Real usual, Real other) {
    return chooseBelow(x, kSmallest, other,
                       chooseBelow(x, kInfinite, usual, other));
  };
  return {choose(whole, special), choose(low, zero)};
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// base^y for a positive constant.
template <typename Real>
Real powerOfConstant(double base, Real y) {
  double exact = std::log2(base);
  Real high = y.constant(float(exact));
  Real low = y.constant(float(exact - double(float(exact))));
  Real product = y * high;
  return exp2OfParts<Real>(
      {product, fma(y, high, negative(product)) + y * low});
}

/// |x|^(y + low).
template <typename Real>
Real powerOfMagnitude(Real x, Real y, Real low) {
  Real one = x.constant(1.0f), size = absolute(x);
  Parts<Real> log = log2InParts(size);
  Real product = log.high * y;
  Real rest = fma(log.high, y, negative(product));
  rest = fma(log.low, y, rest);
  rest = fma(log.high, low, rest);
  Real power = exp2OfParts<Real>({product, rest});
  // 1 to the power of infinity is 1, of NaN is NaN; x to the power of 0 is 1.
  Real ofOne = chooseBelow(y, kInfinite, one, exp2Approx(negative(y)) + one);
  power = chooseZero(size + negative(one), ofOne, power);
  return chooseZero(y, one, power);
}

/// `power`, which is |x|^y for a whole y, with the sign of x if y is odd:
/// `isEven` is 0 then.
template <typename Real>
Real withSign(Real x, Real power, Real isEven) {
  Real odd =
      chooseBelow(copySign(x.constant(1.0f), x), 0.0f, negative(power), power);
  return chooseZero(isEven, odd, power);
}

template <typename Real>
Real pow(Real x, Real y) {
  Real zero = x.constant(0.0f), one = x.constant(1.0f);
  Real power = powerOfMagnitude(x, y, zero);
  // Large floats are even; NaN counts as such.
  constexpr float kEven = 0x1p+24f;
  Real fraction =
      chooseBelow(absolute(y), kEven, y + negative(roundEven(y)), zero);
  Real half = y * x.constant(0.5f);
  Real oddness =
      chooseBelow(absolute(y), kEven, half + negative(roundEven(half)), zero);
  Real whole = withSign(x, power, chooseZero(oddness, one, zero));
  // A negative number has no root; -0 and minus infinity have.
  Real root = chooseBelow(
      x, 0.0f,
      chooseBelow(absolute(x), kInfinite,
                  x.constant(std::numeric_limits<float>::quiet_NaN()), power),
      power);
  Real result = chooseZero(fraction, whole, root);
  return chooseZero(x + negative(one), one, result);
}

//===----------------------------------------------------------------------===//
// Near zero
//===----------------------------------------------------------------------===//

/// 2^n (e^r - 1) + (2^n - 1), with r = x - n ln 2. The power is halved, since
/// the largest n would overflow.
template <typename Real>
Real expm1(Real x) {
  Real n = roundEven(x * x.constant(kLog2E));
  Real r = fma(n, x.constant(-kLn2), x);
  r = fma(n, x.constant(-kLn2Rest), r);
  // (e^r - 1 - r) / r^2, |r| <= ln 2 / 2: 9.5e-9.
  Real series = polynomial(r, {0x1.a12718p-13f, 0x1.6d4590p-10f, 0x1.1110e0p-7f,
                               0x1.5554e8p-5f, 0x1.555556p-3f, 0.5f});
  Real part = fma(r * r, series, r);
  Real power = exp2Approx(n + x.constant(-1.0f));
  Real result = fma(power, part, power + x.constant(-0.5f)) * x.constant(2.0f);
  result = chooseZero(n, part, result);
  result = chooseBelow(x, -18.0f, x.constant(-1.0f), result);
  // Infinity and NaN.
  result = chooseBelow(x, 89.0f, result, x * x.constant(0x1p+127f));
  return copySign(result, x);
}

template <typename Real>
Real log1p(Real x) {
  Real one = x.constant(1.0f), sum = one + x;
  // The rounding error of the sum.
  Real back = sum + negative(one);
  Real lost = (one + negative(sum + negative(back))) + (x + negative(back));
  Mantissa<Real> mantissa(sum, lost);
  Real n = mantissa.exponent;
  Real low = fma(n, x.constant(kLn2Rest), mantissa.tail * x.constant(2.0f));
  Real result = fma(mantissa.quotient, x.constant(2.0f), low);
  result = fma(n, x.constant(kLn2), result);
  // x - x^2 / 2 + x^3 / 3.
  Real near = fma(x * x, fma(x, x.constant(1 / 3.0f), x.constant(-0.5f)), x);
  result = chooseBelow(absolute(x), 0x1p-10f, near, result);
  // Infinity and NaN; -1, and below.
  result = chooseBelow(x, kInfinite, result, x);
  result = chooseBelow(sum, kSmallest, log2Approx(sum), result);
  return chooseZero(x, x, result);
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

template <typename Real>
Real atan2(Real y, Real x) {
  constexpr float kHalf = 0x1.921fb6p+0f, kHalfRest = -0x1.777a5cp-25f;
  Real sizeX = absolute(x), sizeY = absolute(y);
  // A NaN is the smaller or the larger one, and stays in the quotient.
  Real large = chooseLess(sizeY, sizeX, sizeX, sizeY);
  Real small = chooseLess(sizeY, sizeX, sizeY, sizeX);
  Real ratio = small / large;
  ratio = chooseZero(large, small, ratio);
  Real largest = x.constant(std::numeric_limits<float>::max());
  ratio =
      chooseLess(largest, small,
                 chooseLess(largest, large, x.constant(1.0f), ratio), ratio);
  // atan(q) / q in q^2, q <= 1: 3.4e-9.
  Real factor = polynomial(ratio * ratio,
                           {0x1.153ed6p-10f, -0x1.ccc310p-8f, 0x1.67058ep-6f,
                            -0x1.67dc8ep-5f, 0x1.11d442p-4f, -0x1.67d5dap-4f,
                            0x1.c4a3bcp-4f, -0x1.246cdcp-3f, 0x1.999748p-3f,
                            -0x1.55554ep-2f, 1.0f});
  Real angle = ratio * factor;
  // pi/2 minus the angle, and pi minus that.
  Real other = (x.constant(kHalfRest) + negative(angle)) + x.constant(kHalf);
  angle =
      chooseLess(sizeY, sizeX, angle, chooseLess(sizeX, sizeY, other, angle));
  Real turned =
      (x.constant(2 * kHalfRest) + negative(angle)) + x.constant(2 * kHalf);
  angle = chooseBelow(copySign(x.constant(1.0f), x), 0.0f, turned, angle);
  return copySign(angle, y);
}

} // namespace hone::formulas

#endif // HONE_PASSES_REST_RESTFORMULAS_H
