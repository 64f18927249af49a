//===- Rest.h - Proof of the kernels beside the matmuls ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of the rest is proven against the function that it was made from, at
// every size at once:
//
//   Function.h        what is to be done: steps, elements, bodies
//   Launch.h          what the plan promises: parameters, grid, alignment
//   LaunchOperands.h  what the host code passes for the parameters
//   Walk.h            what the kernel does, op by op, for any thread
//   Threads.h         what the threads of a block exchange, each by itself
//   Polynomial.h      positions and addresses as formulas
//   Terms.h           values as expressions
//   TermValues.h      expressions that are written in two ways, by value
//   TermSample.h      one choice of values for them
//   Poison.h          what integer ops promise
//
// docs/Simulate.md says what is proven and what is assumed.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_REST_H
#define HONE_LIB_SIMULATE_REST_REST_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate::rest {

/// Proves the kernel of a subject that is one of the rest.
Proof prove(const Subject &subject);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_REST_H
