//===- Samples.h - A reference for products too large for one ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a CPU the reference of a large product would take minutes. Where a function
// only multiplies, some thousand elements of its result are computed instead, dot
// product by dot product; they are spread so that they meet every row and every
// column, as far as their number goes. What else may be wrong shows in sums over
// all elements. Where a GPU multiplies for the reference (ProductEngine.h) none of
// this is needed, but for what no memory has room for.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_SAMPLES_H
#define HONE_EVALUATE_SAMPLES_H

#include "hone/Evaluate/Compare.h"

namespace hone {

/// Multiplications and additions up to which the whole reference is computed,
/// where the CPU has to do it.
constexpr double kMostMacs = 2e9;

/// Holds `got`, of which less is left afterwards, against the product of the
/// arguments in `data`: elements that are sampled, each by its own tolerance, and
/// all of them in sums (hone/Measure/Projection.h).
llvm::Expected<Comparison> checkLargeProduct(const Signature &signature,
                                             const PlainProduct &product,
                                             llvm::ArrayRef<Values> data,
                                             Outcome &got);

} // namespace hone

#endif // HONE_EVALUATE_SAMPLES_H
