//===- ErrorBound.h - Numbers with error bounds -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on f16 stores many intermediate results, and each store rounds. The
// possible difference between its last result and an f64 reference is not a
// constant: it depends on the rounded values, their types, and their later
// uses. So the reference carries a second number for each value, its *error*,
// and each operation derives its result's error from its operands':
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
//   | stored as type | e + u |x|, nothing if x is exact in that type and     |
//   |                | has no error yet                                      |
//   | a sum of K     | errors of its terms and its own roundings in          |
//   | products       | quadrature: they are independent                      |
//
// An error is the size of one deviation. A result may differ by kDeviations
// times its error, and by the rounding of the last store, which is known
// exactly:
//
//   |c - r| <= u |r| + 4 (e - u |r|) + smallest
//
// With no error at all, c must equal r bit for bit. With an infinite error, the
// element is *not comparable* (a division by a value that may be 0, the root of
// a value that may be negative).
//
// Infinities and NaNs are ordinary values: a value that overflows the type of a
// store is exactly infinite from there on, and a NaN makes a NaN. If the limit
// is within the error of a value, the value may be finite or infinite, and both
// outcomes are correct: roundInto keeps it, overflowInto makes it infinite.
// Elements that differ between references of both kinds depend on it.
//
// The formulas are templates over the number type: `double` evaluates them, a
// wrapper around an mlir::Value emits them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_ERRORBOUND_H
#define HONE_NUMERICS_ERRORBOUND_H

#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Numerics/Tolerance.h"
#include <cmath>
#include <limits>

namespace hone {

/// The tolerance of a result, as a multiple of its error.
constexpr double kDeviations = 4;

/// A value and its error.
template <typename Real>
struct Inexact {
  Real value, error;
};

//===----------------------------------------------------------------------===//
// Operations on numbers that the formulas require
//===----------------------------------------------------------------------===//

inline double constantLike(double, double value) { return value; }
inline double absolute(double x) { return std::fabs(x); }
inline bool isBelow(double x, double y) { return x < y; }
inline bool isSame(double x, double y) { return x == y; }
inline bool isNaN(double x) { return x != x; }
inline bool both(bool x, bool y) { return x && y; }
inline bool either(bool x, bool y) { return x || y; }
inline double choose(bool which, double ifTrue, double ifFalse) {
  return which ? ifTrue : ifFalse;
}

template <typename Real>
auto isAtLeast(Real x, Real y) {
  return either(isBelow(y, x), isSame(x, y));
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
  Real min = absolute(y.value) - constantLike(x.value, kDeviations) * y.error;
  Real error = (x.error + absolute(quotient) * y.error) / min;
  // An exact 0 divides as in IEEE 754.
  error = choose(isBelow(zero, min), error,
                 choose(isSame(y.error, zero), zero, infinity));
  return {quotient, error};
}

/// The op's result on operands with errors; for an op whose error has a
/// formula.
template <typename Real>
Inexact<Real> applyFormula(const ScalarOp &op, Inexact<Real> x,
                           Inexact<Real> y) {
  switch (op.error) {
  case ScalarOp::Error::sum:
    return add(x, y);
  case ScalarOp::Error::difference:
    return subtract(x, y);
  case ScalarOp::Error::product:
    return multiply(x, y);
  default:
    return divide(x, y);
  }
}

/// The error of `f(x)` for `f(x)` itself, `above` = f(x + 4 ex) and `below` =
/// f(x - 4 ex). Where f is not defined at one of them the error is a NaN.
template <typename Real>
Real spread(Real value, Real above, Real below) {
  Real scale = constantLike(value, 1 / kDeviations);
  Real up = absolute(above - value), down = absolute(below - value);
  // A comparison with a NaN is false; this form lets a NaN in either through.
  return choose(isBelow(down, up), up + down * constantLike(value, 0),
                down + up * constantLike(value, 0)) *
         scale;
}

/// The errors of two operands together: none if one of them is certainly a
/// NaN, because the result then is, too.
template <typename Real>
Real errorsOf(Inexact<Real> x, Inexact<Real> y) {
  Real zero = constantLike(x.value, 0);
  auto isCertain = [&](Inexact<Real> number) {
    return both(isNaN(number.value), isSame(number.error, zero));
  };
  return choose(either(isCertain(x), isCertain(y)), zero, x.error + y.error);
}

/// Turns a NaN error into infinity, and decides about values that are not
/// finite: an infinity from known operands counts as exact.
template <typename Real>
Inexact<Real> settle(Inexact<Real> x, Real operandErrors) {
  Real zero = constantLike(x.value, 0);
  Real infinity =
      constantLike(x.value, std::numeric_limits<double>::infinity());
  auto isFinite = isBelow(absolute(x.value), infinity);
  Real known = choose(isBelow(x.error, infinity), x.error, infinity);
  Real special = choose(isBelow(operandErrors, infinity), zero, infinity);
  // A NaN is certain only if its operands are.
  special = choose(isSame(x.value, x.value), special,
                   choose(isSame(operandErrors, zero), zero, infinity));
  return {x.value, choose(isFinite, known, special)};
}

/// The error of one op on f64: of the program, and of the reference.
constexpr double kDoubleRoundoff = 0x1p-52;

/// The result of an op on f64. The reference is rounded like the program, and
/// no wider type shows where that is exact: only whole numbers count as such.
template <typename Real>
Inexact<Real> roundIntoDouble(Inexact<Real> x) {
  auto constant = [&](double value) { return constantLike(x.value, value); };
  Real zero = constant(0), size = absolute(x.value);
  // Adding and subtracting 2^52 rounds a smaller number to a whole one.
  Real whole = (size + constant(0x1p52)) - constant(0x1p52);
  auto isExact =
      both(both(isSame(whole, size), isBelow(size, constant(0x1p52))),
           isSame(x.error, zero));
  Real infinity = constant(std::numeric_limits<double>::infinity());
  isExact = either(isExact, both(isSame(x.error, zero),
                                 either(isNaN(size), isSame(size, infinity))));
  Real unit =
      choose(isBelow(size, infinity),
             size * constant(kDoubleRoundoff) + constant(0x1p-1074), zero);
  return {x.value, x.error + choose(isExact, zero, unit)};
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
  // A value certain to overflow becomes an infinity. One that only may overflow
  // is kept: a mask close to the limit is as good as an infinite one, and the
  // result may be either (unitsOff, overflowInto).
  Real min = size - x.error * constant(kDeviations);
  auto isBeyond =
      both(isAtLeast(min, constant(range.overflow)), isBelow(size, infinity));
  error = choose(isBeyond, zero, error);
  error = choose(isSame(size, infinity), x.error, error);
  Real value = choose(isBeyond, x.value * infinity, x.value);
  return {value, choose(isSame(x.value, x.value), error, x.error)};
}

/// The same, but a value that may overflow does: the other of two correct
/// outcomes.
template <typename Real>
Inexact<Real> overflowInto(ElementType type, Inexact<Real> x) {
  Inexact<Real> stored = roundInto(type, x);
  Real zero = constantLike(x.value, 0);
  Real infinity =
      constantLike(x.value, std::numeric_limits<double>::infinity());
  Real size = absolute(stored.value);
  Real largest = size + x.error * constantLike(x.value, kDeviations);
  auto mayOverflow =
      both(isAtLeast(largest, constantLike(x.value, rangeOf(type).overflow)),
           isBelow(size, infinity));
  return {choose(mayOverflow, stored.value * infinity, stored.value),
          choose(mayOverflow, zero, stored.error)};
}

/// True if `x` and `y` may be in the opposite order.
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

/// The error that computing a function in f32 adds to that of its argument: the
/// argument counts as rounded once more, and the result may be off by some
/// units; tanh and erf also by an absolute error, close to 0.
constexpr double kArgumentUnits = 1, kFunctionUnits = 2;

/// The error of a sum of `k` products in f32, from its value and the product of
/// the norms of both rows: K roundings of partial sums that grow from 0 to it.
/// Tensor cores truncate and align; hence 4 units per rounding, and more in long
/// sums (truncationOf). Where they read fewer bits of a factor, each product is
/// off by up to twice that cut. The common part of these errors is a part of
/// the value. The rest is independent: half of it where factors are truncated,
/// all of it where they are rounded. The same holds for short sums, which may
/// also have drifted (driftOf).
inline double errorOfSum(double value, double norms, double k,
                         Products products = Products::exact) {
  constexpr double kUnits = 4, kMaxTruncation = 2;
  double units = kUnits * std::max(1.0, truncationOf(k) / kMaxTruncation);
  double rounded = units * unitRoundoff(ElementType::f32) *
                   std::sqrt(k * value * value / 3 + norms * norms / 2);
  if (products == Products::exact)
    return rounded;
  double independent = products == Products::tf32 ? 1 : 0.5;
  return rounded + driftOf(products, k) * std::fabs(value) +
         largestCut(products, k) *
             (std::fabs(value) + norms / std::sqrt(k) * independent);
}

/// |c - r| in units of the tolerance for a result stored as `type`: correct up
/// to 1. Negative: not comparable.
double unitsOff(ElementType type, double c, Inexact<double> r);
/// The same for a result stored as f64.
double unitsOffDouble(double c, Inexact<double> r);

} // namespace hone

#endif // HONE_NUMERICS_ERRORBOUND_H
