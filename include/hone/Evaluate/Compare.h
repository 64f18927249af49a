//===- Compare.h - An outcome beside its reference --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element by its own error (hone/Measure/ErrorBound.h). What hangs on a
// decision that rounding may turn, or on a division by what may be 0, is
// counted as not comparable; a result most of which is not has not been checked,
// and counts as wrong.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_COMPARE_H
#define HONE_EVALUATE_COMPARE_H

#include "hone/Evaluate/Call.h"

namespace hone {

struct Comparison {
  double worst = 0; ///< of what is right, in units of what is allowed
  int64_t elements = 0;
  int64_t exact = 0; ///< had to be met bit by bit
  int64_t wrong = 0;
  int64_t notComparable = 0;
  std::string firstWrong;
  /// Why this says nothing: most elements of a result are not comparable.
  std::string unanswered;

  /// What comes behind it.
  void add(const Comparison &other);
};

/// Holds `got` against `reference`. Elements that `turned`, if it is not null,
/// computes differently are not comparable. Fails where shapes differ.
llvm::Expected<Comparison> compare(const Outcome &got, const Outcome &reference,
                                   const Outcome *turned = nullptr);

} // namespace hone

#endif // HONE_EVALUATE_COMPARE_H
