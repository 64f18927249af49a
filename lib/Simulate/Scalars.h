//===- Scalars.h - Element types and the math of epilogues ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as bits, and the scalar region of an epilogue, carried out in
// f32 as a kernel does, or in f64 with errors as the reference does. Integers are
// exact in both, and wrap around where their type does.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SCALARS_H
#define HONE_LIB_SIMULATE_SCALARS_H

#include "hone/Measure/ErrorBound.h"
#include "hone/Schedule/Problem.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

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

/// What the terminator of `block` gives for these arguments, in f32; results of
/// conversions are rounded.
double evaluateInFloat(mlir::Block &block, llvm::ArrayRef<double> arguments);

/// The same in f64, with what the roundings of each op may make of it.
Inexact<double> evaluateWithErrors(mlir::Block &block,
                                   llvm::ArrayRef<Inexact<double>> arguments);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARS_H
