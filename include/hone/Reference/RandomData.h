//===- RandomData.h - Random arguments of a function ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random values for the arguments of a function, representable in their types.
// They depend only on the seed, the argument and the position of an element.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_RANDOMDATA_H
#define HONE_REFERENCE_RANDOMDATA_H

#include "hone/Reference/Call.h"

namespace hone {

enum class Inputs {
  normal, ///< floats are N(0, scale), integers from all of their range
  zeroOne ///< 0 and 1; integers the two smallest of their range
};

/// Values for every argument; NaN for elements that must not be read.
std::vector<Values> makeData(const Signature &signature, Inputs inputs,
                             int64_t seed, double scale = 1);

} // namespace hone

#endif // HONE_REFERENCE_RANDOMDATA_H
