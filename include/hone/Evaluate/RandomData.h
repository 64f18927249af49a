//===- RandomData.h - What a function is called with ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random values for the arguments of a function, as their types can hold them.
// They hang on the seed, the argument and the place of an element alone.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_RANDOMDATA_H
#define HONE_EVALUATE_RANDOMDATA_H

#include "hone/Evaluate/Call.h"

namespace hone {

enum class Inputs {
  normal, ///< floats are N(0, scale), integers any of their range
  zeroOne ///< 0 and 1; integers the two smallest of their range
};

/// Values for every argument; NaN where nothing is to be read.
std::vector<Values> makeData(const Signature &signature, Inputs inputs,
                             int64_t seed, double scale = 1);

} // namespace hone

#endif // HONE_EVALUATE_RANDOMDATA_H
