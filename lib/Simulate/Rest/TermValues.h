//===- TermValues.h - Comparison of terms by value --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel expands functions that its source names (`math.exp`), so the two
// terms differ. They are then compared by value: each leaf gets a number, the
// kernel's term is computed in the types of its ops, the function's in f64 with
// an error bound (hone/Numerics/ErrorBound.h). Numbers are drawn at several
// magnitudes. They include infinities, and each constant of a term with its
// neighbours on both sides, so that comparisons of a value have both results.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_TERMVALUES_H
#define HONE_LIB_SIMULATE_REST_TERMVALUES_H

#include "Terms.h"

namespace hone::simulate::rest {

/// The reason that the kernel's term is not the function's; empty if they are
/// equal, up to roundings. `isCertain` is false if the comparison is
/// inconclusive.
struct Difference {
  std::string text;
  bool isCertain = true;
};
std::optional<Difference> compareValues(const Terms &terms, TermId kernels,
                                        TermId functions);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_TERMVALUES_H
