//===- Compare.h - Comparison with the reference ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares each element by its own error (hone/Numerics/ErrorBound.h). Elements
// that depend on a decision that rounding may turn, or on a division by a value
// that may be 0, count as not comparable; a result that is mostly not
// comparable has not been checked, and counts as wrong.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_COMPARE_H
#define HONE_REFERENCE_COMPARE_H

#include "hone/Reference/Call.h"

namespace hone {

struct Comparison {
  double worst = 0; ///< of correct elements, in units of the tolerance
  int64_t elements = 0;
  int64_t exact = 0; ///< had to match bit for bit
  int64_t wrong = 0;
  int64_t notComparable = 0;
  std::string firstWrong;
  /// Why the check is inconclusive: most elements of a result are not
  /// comparable.
  std::string unanswered;

  /// Appends another comparison.
  void add(const Comparison &other);
};

/// Compares `got` with `reference`. Elements that `turned`, if it is not null,
/// computes differently are not comparable. Fails if shapes differ.
llvm::Expected<Comparison> compare(const Outcome &got, const Outcome &reference,
                                   const Outcome *turned = nullptr);

} // namespace hone

#endif // HONE_REFERENCE_COMPARE_H
