//===- Tolerance.h - How far from the reference is right --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result c is compared with a reference r computed in f64. The inputs are
// either N(0, 1), or 0 and 1.
//
// For N(0, 1) inputs c is right if
//
//   |c - r| <= u * |r|  +  16 * 2^-24 * sqrt(K) * scale  +  smallest
//
// | term     | what it stands for                                            |
// |----------|---------------------------------------------------------------|
// | u        | half a unit in the last place of c's type: 2^-11 for f16,     |
// |          | 2^-8 for bf16, 2^-24 for f32. Storing rounds once.            |
// | 2^-24    | the same of the accumulator, which is f32                     |
// | sqrt(K)  | rounding errors of K additions walk like that                 |
// | 16       | room for tensor cores, which truncate after every step of K,  |
// |          | and for the largest of many million elements                  |
// | scale    | size of a sum: sqrt(K) times that of one product              |
// | smallest | half the smallest subnormal of c's type                       |
//
// That leaves no room for an f16 accumulator: its error is 2^13 times the
// second term's unit.
//
// For inputs 0 and 1 every partial sum is a whole number below 2^24, which f32
// holds exactly whatever the order, so c must be r rounded once to c's type,
// bit by bit.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_TOLERANCE_H
#define HONE_MEASURE_TOLERANCE_H

#include "hone/Schedule/Problem.h"
#include <cstdint>

namespace hone {

/// Half a unit in the last place, relative to the value.
double unitRoundoff(ElementType type);
/// Half the smallest positive number.
double smallestError(ElementType type);
/// Whole numbers up to here are exact.
double largestExactInteger(ElementType type);

/// Where a type's numbers end.
struct FloatRange {
  double smallestNormal;
  /// From here on a value is stored as an infinity.
  double overflow;
};
FloatRange rangeOf(ElementType type);

/// |c - r| may be `relative * |r| + absolute`.
struct Tolerance {
  double relative = 0;
  double absolute = 0;

  /// For sums of `k` products, each about `product` in size, stored as `type`.
  static Tolerance ofSum(ElementType type, int64_t k, double product = 1);

  /// |c - r| in units of what is allowed: right up to 1. Infinite for a NaN.
  double units(double c, double r) const;
};

//===----------------------------------------------------------------------===//
// Elements as they lie in memory
//===----------------------------------------------------------------------===//

/// Reads element `index` of an array of `type`.
double loadElement(ElementType type, const void *data, int64_t index);
/// Writes it, rounded to nearest even.
void storeElement(ElementType type, void *data, int64_t index, double value);
/// `value` rounded to nearest even.
double roundTo(ElementType type, double value);

} // namespace hone

#endif // HONE_MEASURE_TOLERANCE_H
