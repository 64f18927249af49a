//===- Formulas.h - Questions about a plan's formulas -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No trial runs a kernel at extents of millions. A formula that is a polynomial
// of the call's arguments means the same there as at small sizes; a formula
// with a question (`min(m, 262144)`, `lda % 1048576`) may not. So each of its
// questions must have got both answers in some trial, as those of kernels must
// (Untried/Questions.h). A constant added to an argument (`m + 1000000`) has a
// question, too, because it shifts the sizes at which quotients of the sum
// repeat. So do the dividends of constants (Untried/Carries.h), and a part that
// never changed is untried. Guards are excluded: they define which sizes are
// legal.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_FORMULAS_H
#define HONE_LIB_SIMULATE_PLAN_FORMULAS_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// Adds a finding for each formula of the subject's alternative that none of
/// the trials has tried in full.
llvm::Error findUntriedFormulas(const Subject &subject,
                                llvm::ArrayRef<Trial> trials,
                                std::vector<Finding> &findings);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_FORMULAS_H
