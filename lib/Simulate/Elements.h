//===- Elements.h - Elements as bits ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in the memory of a simulated chip, as doubles, which hold every
// one of these types, and what tensor cores and copies make of an f32.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_ELEMENTS_H
#define HONE_LIB_SIMULATE_ELEMENTS_H

#include "hone/Schedule/Problem.h"
#include "mlir/IR/Types.h"
#include <cstdint>
#include <vector>

namespace hone::simulate {

/// The element whose bits stand at `bytes`, and back, rounded to even. A double
/// holds every f32 and every i32.
double decode(ElementType type, const uint8_t *bytes);
void encode(ElementType type, double value, uint8_t *bytes);
/// `value` as the nearest of `type`.
double rounded(ElementType type, double value);
/// What nobody has written: a NaN, or an integer that makes sums wrong.
double unwritten(ElementType type);
/// The sum of two elements: rounded to f32, or modulo 2^32.
inline double addAs(ElementType type, double a, double b) {
  return isInteger(type) ? double(int32_t(int64_t(a) + int64_t(b)))
                         : double(float(a) + float(b));
}
/// What tensor cores read of an f32: its upper 19 bits, a tf32.
float inTensorCores(float value);
/// The f32 that stands at `bytes` becomes the nearest tf32, as the copy engine
/// rounds: to even in the middle.
void roundToTf32(uint8_t *bytes);
/// Rounds `values` to the nearest tf32, as threads do: away from zero in the
/// middle. Returns what that leaves of each.
std::vector<float> splitOff(std::vector<float> &values);
/// The same, and what is left is rounded to a tf32, too.
std::vector<float> splitInTwo(std::vector<float> &values);

ElementType toElement(mlir::Type type);
/// With as many digits as tell an element from its neighbours.
std::string textOf(double element);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_ELEMENTS_H
