//===- EpilogueFormulas.h - Elementary functions in few steps ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An epilogue evaluates its functions once per element of C, in a kernel that
// links against nothing. So each function is written out here in terms of GPU
// instructions, with an error bound that a test checks. The formulas are
// templates over the number type: a wrapper around mlir::Value emits IR, and
// the test sweeps them with a model of the hardware.
//
//   function | steps + MUFU | error, over all f32 inputs
//   ---------|--------------|------------------------------------------------
//   exp      |  6 + 1       | 4 ulp where the result is normal
//   exp2     |  0 + 1       | 4 ulp where the result is normal
//   log      | 11 + 1       | relative 1e-6, 0 at 1
//   log2     | 11 + 1       | relative 1e-6, 0 at 1
//   tanh     | 11 + 2       | absolute 3e-7, relative 1e-6, |result| <= 1
//   erf      | 15 + 1       | absolute 3e-7, relative 1e-6, |result| <= 1
//   1 + tanh |  2 + 2       | absolute 5e-7
//   1 + erf  | 11 + 1       | absolute 5e-7
//   half of  |  2 + 2 or    | absolute 2.5e-7; of the logistic function also
//   these    | 11 + 1       | relative 1e-5 where the result is normal
//   rsqrt    |  0 + 1       | 3 ulp
//
// Subnormal results of exp and exp2 are 0; all functions accept subnormal
// inputs. NaN, infinities, overflow and the sign of zero follow IEEE 754. The
// bounds include the errors of the approximate instructions, which are assumed
// to be, before rounding to f32, up to
//
//   ex2.approx.ftz | relative 2^-22.5, subnormal inputs and results are 0
//   lg2.approx     | absolute 2^-22 within (0.5, 2), relative 2^-22 elsewhere
//   rcp.approx.ftz | relative 2^-23, subnormal inputs and results are 0
//   rsqrt.approx   | relative 2^-22.9
//
// In addition to + and *, a Real needs a member `constant(float)`, and by
// argument-
// dependent lookup `fma`, `absolute`, `copySign(magnitude, sign)`,
// `chooseBelow(x, bound, ifBelow, ifNot)` (a NaN is not below), `exp2Approx`,
// `log2Approx`, `rcpApprox`, `rsqrtApprox`. Products and sums are rounded
// separately; to round once, use fma.
//
// Polynomials are minimax fits of the stated quantity (weighted least squares
// with Lawson's reweighting; coefficients are rounded to binary32 one at a time
// from the constant term up, the rest is fitted again after each). Their error
// is the contribution to the relative (erf's tail: absolute) error of the
// result.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_EPILOGUEFORMULAS_H
#define HONE_PASSES_LOWER_EPILOGUEFORMULAS_H

#include <initializer_list>
#include <iterator>

namespace hone::formulas {

constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2 = 0x1.62e430p-1f;
/// ln 2 - kLn2.
constexpr float kLn2Rest = -0x1.05c610p-29f;

/// The polynomial with these coefficients, highest power first.
template <typename Real>
Real polynomial(Real x, std::initializer_list<float> coefficients) {
  auto next = coefficients.begin();
  Real sum = x.constant(*next);
  while (++next != coefficients.end())
    sum = fma(sum, x, x.constant(*next));
  return sum;
}

/// 2^t for t near x log2(e), times e^rest for the rounding error of t. The
/// precision of t is limited by its magnitude, to 2^-18 here, so `rest` is
/// computed from x with ln 2 in two parts. It is so small that a linear term
/// suffices.
template <typename Real>
Real exp(Real x) {
  Real t = x * x.constant(kLog2E);
  Real rest = fma(t, x.constant(-kLn2), x);
  rest = fma(t, x.constant(-kLn2Rest), rest);
  Real power = exp2Approx(t);
  // Outside of this range the power is 0, infinite or NaN and stays so times 1
  // + 1; `rest` could be NaN, or turn an infinity into a NaN.
  rest = chooseBelow(absolute(t), 128.0f, rest, x.constant(1.0f));
  return fma(power, rest, power);
}

template <typename Real>
Real exp2(Real x) {
  return exp2Approx(x);
}

/// The error of log2Approx is absolute near 1, where the logarithm vanishes;
/// `near` replaces it there. From 1 +- 7/32 on, the instruction is accurate to
/// 8.4e-7 of the result.
template <typename Real>
struct Logarithm {
  explicit Logarithm(Real x) : distance(x + x.constant(-1.0f)) {
    // (log(1 + d) - d) / d^2, |d| <= 7/32: 5.2e-8.
    Real square = distance * distance;
    Real rest = polynomial(distance,
                           {0x1.3aeb06p-3f, -0x1.6bbf30p-3f, 0x1.98f4d8p-3f,
                            -0x1.ff75dcp-3f, 0x1.555604p-2f, -0x1.000034p-1f});
    near = fma(rest, square, distance);
  }
  Real choose(Real ifNear, Real ifFar) {
    return chooseBelow(absolute(distance), 0.21875f, ifNear, ifFar);
  }

  Real distance; ///< x - 1, exact near 1
  Real near = distance;
};

template <typename Real>
Real log(Real x) {
  Logarithm<Real> logarithm(x);
  return logarithm.choose(logarithm.near, log2Approx(x) * x.constant(kLn2));
}

template <typename Real>
Real log2(Real x) {
  Logarithm<Real> logarithm(x);
  return logarithm.choose(logarithm.near * x.constant(kLog2E), log2Approx(x));
}

/// tanh x = 1 - 2 / (e^2x + 1) cancels for small x, where a polynomial is used.
/// e^2x may overflow: the quotient is then 0.
template <typename Real>
Real tanh(Real x) {
  Real magnitude = absolute(x);
  Real power = exp2Approx(magnitude * x.constant(2 * kLog2E));
  Real quotient = rcpApprox(power + x.constant(1.0f));
  Real large = copySign(fma(quotient, x.constant(-2.0f), x.constant(1.0f)), x);
  // tanh(x) / x in x^2, |x| <= 0.4: 1.2e-7. Starting from 1 it keeps tiny x,
  // and as a factor the sign of zero.
  Real factor = polynomial(
      x * x, {-0x1.8788c2p-5f, 0x1.0fed14p-3f, -0x1.555188p-2f, 1.0f});
  return chooseBelow(magnitude, 0.4f, x * factor, large);
}

/// 1 / (1 + e^u), or twice that, with u = x (linear + cubic x^2); nothing
/// cancels. The power may overflow: the quotient is then 0.
template <typename Real>
Real gateOfPower(Real x, double linear, double cubic, bool isHalved) {
  constexpr double kLog2OfE = 1.4426950408889634;
  Real factor = x.constant(float(linear * kLog2OfE));
  if (cubic != 0)
    factor = fma(x * x, x.constant(float(cubic * kLog2OfE)), factor);
  // Half the sum of two powers: subtract 1 from the exponents.
  if (isHalved)
    return rcpApprox(exp2Approx(x * factor) + x.constant(1.0f));
  return rcpApprox(exp2Approx(fma(x, factor, x.constant(-1.0f))) +
                   x.constant(0.5f));
}

/// erf x = 1 - 2^-p(|x|), with a smooth p, cancels for small x. p grows
/// beyond the range of its fit, up to infinity, so the result saturates.
template <typename Real>
Real erf(Real x) {
  Real magnitude = absolute(x);
  // log2(erfc(x)), 0.75 <= x <= 4: 5.4e-8 in erf x.
  Real exponent = polynomial(magnitude, {-0x1.0aaa1cp-9f, 0x1.8c0f4ap-6f,
                                         -0x1.17353cp-3f, -0x1.dd2f78p-1f,
                                         -0x1.9ee922p+0f, -0x1.83170ep-10f});
  Real power = exp2Approx(exponent);
  Real large = copySign(fma(power, x.constant(-1.0f), x.constant(1.0f)), x);
  // erf(x) / x in x^2, |x| <= 0.75: 7.5e-8.
  Real factor =
      polynomial(x * x, {0x1.10f148p-8f, -0x1.b00286p-6f, 0x1.cdc906p-4f,
                         -0x1.81258cp-2f, 0x1.20dd74p+0f});
  return chooseBelow(magnitude, 0.75f, x * factor, large);
}

/// 1 + erf(scale x), or half of it: 2^q(|x|), or 2 minus that, in which nothing
/// cancels. q decreases beyond the range of its fit, too.
template <typename Real>
Real gateOfErf(Real x, double scale, bool isHalved) {
  // log2(erfc(x)) in x, 0 <= x <= 4, without a constant term: 1.6e-8 in erfc x.
  constexpr float kCoefficients[] = {
      -0x1.7c7f56p-15f, 0x1.d32824p-12f, -0x1.867634p-10f, -0x1.960daep-11f,
      0x1.cee7b0p-6f,   -0x1.30170ep-3f, -0x1.d63aaep-1f,  -0x1.a0be9ep+0f};
  constexpr int kDegree = std::size(kCoefficients);
  double power = 1, powers[kDegree + 1];
  for (double &each : powers) {
    each = power;
    power *= scale < 0 ? -scale : scale;
  }
  Real magnitude = absolute(x);
  Real exponent = x.constant(float(kCoefficients[0] * powers[kDegree]));
  for (int i = 1; i < kDegree; ++i)
    exponent = fma(exponent, magnitude,
                   x.constant(float(kCoefficients[i] * powers[kDegree - i])));
  // Half of the result has an exponent that is less by 1.
  Real small = exp2Approx(isHalved ? fma(exponent, magnitude, x.constant(-1.0f))
                                   : exponent * magnitude);
  Real large =
      fma(small, x.constant(-1.0f), x.constant(isHalved ? 1.0f : 2.0f));
  if (scale < 0)
    return chooseBelow(x, 0.0f, large, small);
  return chooseBelow(x, 0.0f, small, large);
}

template <typename Real>
Real rsqrt(Real x) {
  return rsqrtApprox(x);
}

} // namespace hone::formulas

#endif // HONE_PASSES_LOWER_EPILOGUEFORMULAS_H
