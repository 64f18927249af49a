//===- Carries.h - Carries into a quotient --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// (m + 30) / 64 differs from m / 64 where the remainder of m is 34 or more.
// Trials have few remainders, so a kernel could test for one that none of them
// has without a comparison. So for each sum, difference and product below a
// quotient by a constant, some trial must change the quotient by it, and some
// trial must not.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_CARRIES_H
#define HONE_LIB_SIMULATE_UNTRIED_CARRIES_H

#include "Questions.h"

namespace hone::simulate {

/// The constant by which `op` divides, or takes a remainder: also by a shift or
/// a mask.
std::optional<uint64_t> divisorOf(mlir::Operation *op);

/// True if `inner` of the remainders of `a` and `b` is again a remainder.
bool staysBelow(mlir::Operation *inner, uint64_t a, uint64_t b,
                uint64_t divisor);

/// Adds a question for each sum, difference and product that `op` divides.
void addCarries(mlir::Operation *op, const Growing &growing,
                llvm::SmallVectorImpl<Question> &questions);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_CARRIES_H
