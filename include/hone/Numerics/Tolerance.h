//===- Tolerance.h - Tolerances of results ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result c is compared with a reference r computed in f64. The inputs are
// either N(0, 1), or 0 and 1.
//
// For N(0, 1) inputs c is correct if
//
//   |c - r| <= u * |r|  +  16 * 2^-24 * sqrt(K) * scale  +  smallest
//
// | term     | meaning                                                      |
// |----------|--------------------------------------------------------------|
// | u        | half a unit in the last place of c's type: 2^-11 for f16,    |
// |          | 2^-8 for bf16, 2^-24 for f32. Storing rounds once.           |
// | 2^-24    | the same for the accumulator, which is f32                   |
// | sqrt(K)  | rounding errors of K additions grow like a random walk       |
// | 16       | room for tensor cores, which truncate after every step of K, |
// |          | and for the largest of many million elements                 |
// | scale    | size of a sum: sqrt(K) times that of one product             |
// | smallest | half the smallest subnormal of c's type                      |
//
// The losses of truncation have the sign of the partial sum, so they add up: for
// products of N(0, 1) in steps of 16 they are 0.026 * 2^-24 * K^1.5 in the mean
// square, and twice that in steps of 8. From a K of 1,821 on, 16 is therefore
// replaced by 6 / 16 * sqrt(K).
//
// Factors that are rounded to tf32 are off by up to 2^-11 each. For a single
// product that is a part of r, for many a random walk; hence, in addition,
//
//   2^-10 * |r|  +  8 * 2^-11 * scale
//
// Sums of blocks of 128 products of 8 bits keep 14 bits. Each of their four
// steps truncates 32 products and the sum at the last bit of the largest: some
// 2^-10 of the sum's size, in no preferred direction. With room for the largest
// of many millions, 2^-8 |r| + 4 * 2^-9 * scale is allowed there. A sum that is
// short from end to end is off by more: its K / 32 steps are truncated like
// these four, relative to a sum of full size, so errors grow like a walk of as
// many steps, and
//
//   2^-9 * sqrt(K / 128)
//
// replaces 2^-9. For a K of 4096 that is 1.1 %, and with the factor 4 above 4.4
// % of the scale; others have found a largest error of nearly 2 % there (arXiv
// 2412.19437, section 3.3.2). Where all products have the same sign, so do the
// truncation errors: such a sum drifts by up to 2^-14 of itself for each
// product (driftOf), which N(0, 1) data do not show.
//
// That leaves no room for an f16 accumulator, whose unit is 2^13 times that of
// the second term.
//
// Sums of integers are exact: the tolerance is 0, and c equals r. Random
// integers are N(0, 1) times a deviation, rounded.
//
// For inputs 0 and 1 every partial sum is a whole number below 2^24, which f32
// represents exactly in any order, so c must equal r rounded once to c's type,
// bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_NUMERICS_TOLERANCE_H
#define HONE_NUMERICS_TOLERANCE_H

#include "hone/Schedule/Problem.h"
#include "llvm/Support/Compiler.h"
#include <cstdint>

namespace hone {

/// Half a unit in the last place, relative to the value; 0 for integers.
LLVM_READNONE double unitRoundoff(ElementType type);
/// Half the smallest positive number; 0 for integers.
LLVM_READNONE double smallestError(ElementType type);
/// The standard deviation of random data: most of an integer's bits are used,
/// and the largest of many millions is still in its range.
double deviationOf(ElementType type);
/// A byte that, repeated, gives an element of `type` that is in no data or
/// result: a NaN, or an integer near the smallest one.
uint8_t poisonOf(ElementType type);
/// The relative error with which tensor cores may read a factor; for short
/// sums, the average over a sum of `k` products.
double largestCut(Products products, double k);
/// The additional relative loss of a sum of `k` products of one sign.
double driftOf(Products products, double k);
/// The root mean square of the error of a sum of `k` products in f32, in units
/// of 2^-24 * k times a product, on units that truncate: from the first to the
/// last step, each loses up to a unit of the partial sum, towards 0.
double truncationOf(double k);
/// Whole numbers up to this one are exact.
double largestExactInteger(ElementType type);
/// Products of whole numbers up to this one are exact.
double largestExactFactor(Products products);
/// Sums of whole numbers are exact if no part of them is larger.
double largestExactSum(Products products);

/// The limits of a type's numbers.
struct FloatRange {
  double smallestNormal;
  /// Values from this one on are stored as an infinity.
  double overflow;
};
LLVM_READNONE FloatRange rangeOf(ElementType type);

/// |c - r| may be `relative * |r| + absolute`.
struct Tolerance {
  double relative = 0;
  double absolute = 0;

  /// For sums of `k` products, each about `product` in size, stored as `type`.
  static Tolerance ofSum(ElementType type, int64_t k, double product = 1,
                         Products products = Products::exact);
  /// For the sums of `problem`.
  static Tolerance ofSum(const Problem &problem, int64_t k,
                         double product = 1) {
    return ofSum(problem.c, k, product, problem.products);
  }

  /// |c - r| in units of the tolerance: correct up to 1. Infinite for a NaN.
  double units(double c, double r) const;
};

//===----------------------------------------------------------------------===//
// Elements in memory
//===----------------------------------------------------------------------===//

/// Reads element `index` of an array of `type`.
double loadElement(ElementType type, const void *data, int64_t index);
/// Writes element `index`, rounded to nearest even; a value that is too large
/// for an integer wraps around, like sums.
void storeElement(ElementType type, void *data, int64_t index, double value);
/// `value` rounded to nearest even.
double roundTo(ElementType type, double value);

} // namespace hone

#endif // HONE_NUMERICS_TOLERANCE_H
