//===- Edges.h - Points where a comparison changes its result ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison with a number changes its result between two numbers. Trials
// with both results may be far away from these, so a kernel could compare with
// another number and do the same in all of them. Some trial must have each of
// the two; where the operand skips numbers, as the variable of an unrolled loop
// does, the nearest that it can have.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_EDGES_H
#define HONE_LIB_SIMULATE_UNTRIED_EDGES_H

#include "Questions.h"

namespace hone::simulate {

/// The question of `op` if it compares with a number by order.
std::optional<Question> edgeOf(mlir::Operation *op);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_EDGES_H
