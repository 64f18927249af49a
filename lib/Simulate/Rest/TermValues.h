//===- TermValues.h - Terms that should be equal, by value ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel writes out functions that its source names (`math.exp`), so the two
// terms differ. They are then compared by value: each leaf gets a number, the
// kernel's term is computed in the types of its ops, the function's in f64 with
// an error bound (hone/Numerics/ErrorBound.h). Numbers are drawn at several
// magnitudes; infinities, and each constant that a term holds with its
// neighbours on both sides, are among them, so that a question about a value
// has both answers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_TERMVALUES_H
#define HONE_LIB_SIMULATE_REST_TERMVALUES_H

#include "Terms.h"

namespace hone::simulate::rest {

/// Why the kernel's term is not the function's; empty if they are equal, up to
/// roundings. `isCertain` is false where nobody can say.
struct Difference {
  std::string text;
  bool isCertain = true;
};
std::optional<Difference> compareValues(const Terms &terms, TermId kernels,
                                        TermId functions);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_TERMVALUES_H
