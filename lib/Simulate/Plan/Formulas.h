//===- Formulas.h - What a plan's formulas ask of sizes ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No trial runs a kernel at extents of millions. A formula that is a polynomial
// of the call's arguments means the same there as at small sizes; one that asks
// a question (`min(m, 262144)`, `lda % 1048576`) may not. So each of its
// questions must have got both answers in some trial, as those of kernels must
// (Untried/Questions.h). A number beside an argument (`m + 1000000`) asks one,
// too: quotients of it repeat from elsewhere on. So does what is divided by a
// constant (Untried/Carries.h), and a part that never changed is untried. Guards
// are no formulas of this kind: they say which sizes there are.
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
