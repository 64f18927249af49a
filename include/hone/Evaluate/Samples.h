//===- Samples.h - Sampled references of large products ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference of a large product would take minutes. If a function only
// multiplies, some thousand elements of its result are computed instead, dot
// product by dot product, spread over every row and every column as far as
// their number goes.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_SAMPLES_H
#define HONE_EVALUATE_SAMPLES_H

#include "hone/Evaluate/Call.h"
#include "hone/Measure/Projection.h"

namespace hone {

/// Multiplications and additions up to which the whole reference is computed.
constexpr double kMostMacs = 2e9;

/// Keeps only sampled elements of `got`'s result, and returns their references,
/// computed from the arguments in `data`.
Outcome sampleProduct(const Signature &signature, const PlainProduct &product,
                      llvm::ArrayRef<Values> data, Outcome &got);

/// Compares all of `got`'s result with the product of the arguments in `data`.
ProjectionFindings projectProduct(const Signature &signature,
                                  const PlainProduct &product,
                                  llvm::ArrayRef<Values> data,
                                  const Outcome &got);

} // namespace hone

#endif // HONE_EVALUATE_SAMPLES_H
