//===- Elements.h - Elements as bits ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements in the memory of a simulated chip, as doubles, which represent
// all of these types exactly, and the conversions of an f32 by tensor cores and
// copies.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_ELEMENTS_H
#define HONE_LIB_SIMULATE_ELEMENTS_H

#include "hone/Schedule/Problem.h"
#include "mlir/IR/Types.h"
#include <cstdint>
#include <vector>

namespace hone::simulate {

/// The element whose bits are at `bytes`, and back, rounded to even. A double
/// represents every f32 and every i32.
double decode(ElementType type, const uint8_t *bytes);
void encode(ElementType type, double value, uint8_t *bytes);
/// `value` rounded to the nearest number of `type`.
double rounded(ElementType type, double value);
/// The value of unwritten elements: a NaN, or an integer that makes sums wrong.
double unwritten(ElementType type);
/// The sum of two elements: rounded to f32, or modulo 2^32.
inline double addAs(ElementType type, double a, double b) {
  return type == ElementType::i32 ? double(int32_t(int64_t(a) + int64_t(b)))
                                  : double(float(a) + float(b));
}
/// An f32 as tensor cores read it: its upper 19 bits, a tf32.
float inTensorCores(float value);
/// Rounds the f32 at `bytes` to the nearest tf32, as the copy engine does: ties
/// to even.
void roundToTf32(uint8_t *bytes);
/// Rounds `values` to the nearest tf32, as threads do: ties away from zero.
/// Returns the remainder of each.
std::vector<float> splitOff(std::vector<float> &values);
/// The same, with the remainders rounded to tf32, too.
std::vector<float> splitInTwo(std::vector<float> &values);

ElementType toElement(mlir::Type type);
/// With enough digits to distinguish adjacent elements.
std::string textOf(double element);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_ELEMENTS_H
