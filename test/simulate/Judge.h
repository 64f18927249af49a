//===- Judge.h - Verdicts on mutants ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the proof's verdict on a mutant with independent evidence: sizes,
// seeds and launches that the proof does not try, and a walk through every
// order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_JUDGE_H
#define HONE_TEST_SIMULATE_JUDGE_H

#include "Mistakes.h"

namespace hone::test {

/// The fault of a kernel and its plan, or an empty string. The verifier runs
/// first, then barriers and numbers at the sizes that prove the kernel.
std::string proofOf(const Built &built, const simulate::Subject &subject);

struct Resolution {
  enum Kind { found, reason, equivalent, unresolved, missed };
  Kind verdict;
  std::string why;
};
constexpr int kResolutions = 5;
llvm::StringRef toString(Resolution::Kind kind);

/// `good` is the kernel without the mistake, which is in `op`. Orders are
/// walked up to `maxStates` states. A mutant with its mistake in another launch
/// of the plan is run too.
Resolution resolve(const Built &built, const simulate::Subject &good,
                   const simulate::Subject &mutant, mlir::Operation *op,
                   const Mistake &mistake, int64_t maxStates);

/// The reason why an undetected mutant is not a mistake, or an empty string.
/// `op` is the op of the good kernel, or null for a mistake in the plan.
llvm::StringRef whyRight(const simulate::Subject &good, mlir::Operation *op,
                         const Mistake &mistake);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_JUDGE_H
