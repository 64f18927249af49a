//===- Rest.h - Proof of kernels other than matmuls -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of the *rest* is one that computes no matmul. It is proven against
// the function that it was made from, at every size at once:
//
//   Function.h        the function to compute: steps, elements, bodies
//   Launch.h          the plan's promises: parameters, grid, alignment
//   LaunchOperands.h  the values that the host code passes for the parameters
//   Walk.h            the kernel's ops in order, for any thread
//   Threads.h         values that the threads of a block exchange
//   Polynomial.h      positions and addresses as formulas
//   Terms.h           values as expressions
//   TermValues.h      expressions that are written in two ways, by value
//   TermSample.h      one choice of values for them
//   Poison.h          promises of integer ops
//
// docs/Simulate.md lists the proven properties and the assumptions.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_REST_H
#define HONE_LIB_SIMULATE_REST_REST_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate::rest {

/// Proves the kernel of a subject that is a rest kernel.
Proof prove(const Subject &subject);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_REST_H
