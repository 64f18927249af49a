//===- Loops.h - Questions of loops -----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over sizes is entered in some trial and passed over in another, unless
// it always has a step. One whose step grows has two rounds in some trial.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_LOOPS_H
#define HONE_LIB_SIMULATE_UNTRIED_LOOPS_H

#include "Questions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hone::simulate {

/// The question of `loop` if its bounds or its step grow.
std::optional<Question> questionOf(mlir::scf::ForOp loop,
                                   const Growing &growing);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_LOOPS_H
