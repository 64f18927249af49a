//===- Judge.h - Is a mutant wrong? -----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds what the proof says of a mutant beside what is found out without it: by
// sizes, seeds and launches that the proof does not try, and by walking through
// every order.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_JUDGE_H
#define HONE_TEST_SIMULATE_JUDGE_H

#include "Mistakes.h"

namespace hone::test {

/// What is wrong with a kernel and its plan, or an empty string: the verifier,
/// then barriers and numbers at the sizes that prove it.
std::string proofOf(const Built &built, const simulate::Subject &subject);

struct Resolution {
  enum Kind { found, reason, equivalent, unresolved, missed };
  Kind verdict;
  std::string why;
};
constexpr int kResolutions = 5;
llvm::StringRef toString(Resolution::Kind kind);

/// `good` is the kernel without the mistake, which is in `op`; orders are
/// walked through up to a number of states. A mutant that has one in another
/// launch of the plan computes, too.
Resolution resolve(const Built &built, const simulate::Subject &good,
                   const simulate::Subject &mutant, mlir::Operation *op,
                   const Mistake &mistake, int64_t maxStates);

/// Why a mutant that is not found is no mistake, or an empty string. `op` is
/// the op of the good kernel, or null for a mistake in the plan.
llvm::StringRef whyRight(const simulate::Subject &good, mlir::Operation *op,
                         const Mistake &mistake);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_JUDGE_H
