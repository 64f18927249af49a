//===- Samples.h - Sampled references of large products ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a CPU the reference of a large product would take minutes. If a function
// only multiplies, some thousand elements of its result are computed instead,
// dot product by dot product, spread over as many rows and columns as possible.
// Sums over all elements show other mistakes. If a GPU multiplies for the
// reference (ProductEngine.h), this is needed only for products whose reference
// does not fit in memory.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_SAMPLES_H
#define HONE_REFERENCE_SAMPLES_H

#include "hone/Reference/Compare.h"

namespace hone {

/// Multiplications and additions up to which the CPU computes the whole
/// reference.
constexpr double kMaxMacs = 2e9;

/// Compares `got` with the product of the arguments in `data`: sampled
/// elements, each with its own tolerance, and all elements in sums
/// (hone/Numerics/Projection.h). Removes elements from `got`.
llvm::Expected<Comparison> checkLargeProduct(const Signature &signature,
                                             const PlainProduct &product,
                                             llvm::ArrayRef<Values> data,
                                             Outcome &got);

} // namespace hone

#endif // HONE_REFERENCE_SAMPLES_H
