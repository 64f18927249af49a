//===- Samples.h - A reference for products too large for one ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of a large product would take minutes. Where a function only
// multiplies, some thousand elements of its result are computed instead, dot
// product by dot product; they are spread so that they meet every row and every
// column, as far as their number goes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_SAMPLES_H
#define HONE_EVALUATE_SAMPLES_H

#include "hone/Evaluate/Call.h"
#include "hone/Measure/Projection.h"

namespace hone {

/// Multiplications and additions up to which the whole reference is computed.
constexpr double kMostMacs = 2e9;

/// Keeps the elements of `got`'s result that are sampled, and returns their
/// references, computed from the arguments in `data`.
Outcome sampleProduct(const Signature &signature, const PlainProduct &product,
                      llvm::ArrayRef<Values> data, Outcome &got);

/// Holds all of `got`'s result against the product of the arguments in `data`.
ProjectionFindings projectProduct(const Signature &signature,
                                  const PlainProduct &product,
                                  llvm::ArrayRef<Values> data,
                                  const Outcome &got);

} // namespace hone

#endif // HONE_EVALUATE_SAMPLES_H
