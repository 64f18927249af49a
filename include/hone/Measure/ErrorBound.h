//===- ErrorBound.h - Numbers that know how wrong they may be ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on f16 stores many results on its way, and each store rounds. What
// its last result may differ from one in f64 is no constant: it follows from
// which values were rounded, to which types, and what became of them since. So
// the reference carries a second number beside each value, its *error*, and
// each operation says what the errors of its operands do to its result:
//
//   | operation      | error of the result                                   |
//   |----------------|-------------------------------------------------------|
//   | x + y, x - y   | ex + ey                                               |
//   | x * y          | |x| ey + |y| ex + ex ey                               |
//   | x / y          | (ex + |x / y| ey) / (|y| - 4 ey); infinite where the  |
//   |                | divisor may be 0                                      |
//   | f(x)           | the larger of |f(x + 4 ex) - f(x)| / 4 and            |
//   |                | |f(x - 4 ex) - f(x)| / 4: steep functions count as    |
//   |                | steep, saturated ones as flat, steps as a whole step  |
//   | stored as type | e + u |x|, nothing where x is exact in that type and  |
//   |                | has no error yet                                      |
//   | a sum of K     | errors of its terms and its own roundings in          |
//   | products       | quadrature: they are independent                      |
//
// An error is the size of one deviation. A result may differ by kDeviations of
// them, and by the rounding of the last store, which is known exactly:
//
//   |c - r| <= u |r| + 4 (e - u |r|) + smallest
//
// With no error at all, c must be r bit by bit. With an infinite one nothing
// can be said: the element is *not comparable* (a division by what may be 0,
// the root of what may be negative).
//
// The formulas are templates over the number: `double` evaluates them, a
// wrapper around an mlir::Value emits them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_ERRORBOUND_H
#define HONE_MEASURE_ERRORBOUND_H

#include "hone/Measure/Tolerance.h"
#include <cmath>
#include <limits>

namespace hone {

/// How many errors a result may be off.
constexpr double kDeviations = 4;

/// A value and its error.
template <typename Real>
struct Inexact {
  Real value, error;
};

//===----------------------------------------------------------------------===//
// What the formulas need of a number
//===----------------------------------------------------------------------===//

inline double constantLike(double, double value) { return value; }
inline double absolute(double x) { return std::fabs(x); }
inline bool isBelow(double x, double y) { return x < y; }
inline bool isSame(double x, double y) { return x == y; }
inline bool both(bool x, bool y) { return x && y; }
inline bool either(bool x, bool y) { return x || y; }
inline double choose(bool which, double ifTrue, double ifFalse) {
  return which ? ifTrue : ifFalse;
}

template <typename Real>
Real larger(Real x, Real y) {
  return choose(isBelow(x, y), y, x);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <typename Real>
Inexact<Real> add(Inexact<Real> x, Inexact<Real> y) {
  return {x.value + y.value, x.error + y.error};
}

template <typename Real>
Inexact<Real> subtract(Inexact<Real> x, Inexact<Real> y) {
  return {x.value - y.value, x.error + y.error};
}

template <typename Real>
Inexact<Real> multiply(Inexact<Real> x, Inexact<Real> y) {
  return {x.value * y.value, absolute(x.value) * y.error +
                                 absolute(y.value) * x.error +
                                 x.error * y.error};
}

template <typename Real>
Inexact<Real> divide(Inexact<Real> x, Inexact<Real> y) {
  Real zero = constantLike(x.value, 0);
  Real infinity =
      constantLike(x.value, std::numeric_limits<double>::infinity());
  Real quotient = x.value / y.value;
  Real least = absolute(y.value) - constantLike(x.value, kDeviations) * y.error;
  Real error = (x.error + absolute(quotient) * y.error) / least;
  // An exact 0 divides to what IEEE 754 says.
  error = choose(isBelow(zero, least), error,
                 choose(isSame(y.error, zero), zero, infinity));
  return {quotient, error};
}

/// The error of `f(x)` for `f(x)` itself, `above` = f(x + 4 ex) and `below` =
/// f(x - 4 ex). Where f is not defined at one of them the error is a NaN.
template <typename Real>
Real spread(Real value, Real above, Real below) {
  Real scale = constantLike(value, 1 / kDeviations);
  Real up = absolute(above - value), down = absolute(below - value);
  // A comparison with a NaN is false: a NaN in either must come through.
  return choose(isBelow(down, up), up + down * constantLike(value, 0),
                down + up * constantLike(value, 0)) *
         scale;
}

/// Makes an error of a NaN infinite, and says what values that are not finite
/// are worth: an infinity from operands that are known stands.
template <typename Real>
Inexact<Real> settle(Inexact<Real> x, Real operandErrors) {
  Real zero = constantLike(x.value, 0);
  Real infinity =
      constantLike(x.value, std::numeric_limits<double>::infinity());
  auto isFinite = isBelow(absolute(x.value), infinity);
  Real known = choose(isBelow(x.error, infinity), x.error, infinity);
  Real special = choose(isBelow(operandErrors, infinity), zero, infinity);
  // A NaN is one only if its operands were what they seem.
  special = choose(isSame(x.value, x.value), special,
                   choose(isSame(operandErrors, zero), zero, infinity));
  return {x.value, choose(isFinite, known, special)};
}

/// Stores as `type`.
template <typename Real>
Inexact<Real> roundInto(ElementType type, Inexact<Real> x) {
  auto constant = [&](double value) { return constantLike(x.value, value); };
  FloatRange range = rangeOf(type);
  Real zero = constant(0);
  Real infinity = constant(std::numeric_limits<double>::infinity());
  Real size = absolute(x.value);
  // Veltkamp: the leading bits of x, by a product and two differences.
  Real split = x.value * constant(0x1p53 * unitRoundoff(type) + 1);
  Real leading = split - (split - x.value);
  auto isExact = both(isSame(leading, x.value),
                      either(isBelow(constant(range.smallestNormal), size),
                             isSame(x.value, zero)));
  isExact = both(isExact, isSame(x.error, zero));
  Real unit = larger(size * constant(unitRoundoff(type)),
                     constant(smallestError(type)));
  Real error = x.error + choose(isExact, zero, unit);
  // What is surely beyond the largest number is an infinity. What may be keeps
  // its value: a mask close to the limit is as good as an infinite one, and a
  // result there may be either (unitsOff).
  Real least = size - x.error * constant(kDeviations);
  auto isBeyond =
      both(isBelow(constant(range.overflow), least), isBelow(size, infinity));
  error = choose(isBeyond, zero, error);
  error = choose(isSame(size, infinity), x.error, error);
  Real value = choose(isBeyond, x.value * infinity, x.value);
  return {value, choose(isSame(x.value, x.value), error, x.error)};
}

/// True where `x` and `y` may lie the other way around.
template <typename Real>
auto mayBeSwapped(Inexact<Real> x, Inexact<Real> y) {
  Real errors = x.error + y.error;
  Real distance = absolute(x.value - y.value);
  Real reach = errors * constantLike(errors, kDeviations);
  return both(isBelow(constantLike(errors, 0), errors),
              either(isBelow(distance, reach), isSame(distance, reach)));
}

//===----------------------------------------------------------------------===//
// Functions and sums
//===----------------------------------------------------------------------===//

/// What a function that is computed in f32 errs besides its argument's error:
/// its argument counts as rounded once more, and its result differs by some
/// units; tanh and erf by an absolute error, too, where they are close to 0.
constexpr double kArgumentUnits = 1, kFunctionUnits = 2;

/// The error of a sum of `k` products in f32, for its value and the product of
/// the norms of both rows: K roundings of partial sums that walk from 0 to it.
/// Tensor cores truncate and align; hence 4 units for a rounding.
inline double errorOfSum(double value, double norms, double k) {
  constexpr double kUnits = 4;
  return kUnits * unitRoundoff(ElementType::f32) *
         std::sqrt(k * value * value / 3 + norms * norms / 2);
}

/// |c - r| in units of what is allowed for a result stored as `type`: right up
/// to 1. A negative number: not comparable.
double unitsOff(ElementType type, double c, Inexact<double> r);

} // namespace hone

#endif // HONE_MEASURE_ERRORBOUND_H
