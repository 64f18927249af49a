//===- ByValue.h - What the operands of a launch are ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `kernel.launch` gives each argument of its plan a value by name. Whether it
// is the right value, the module says: an address, an extent or a distance is
// read from a memref, and what is read for one operand must agree with what is
// read for the others.
//
//   | argument             | is                                              |
//   |----------------------|-------------------------------------------------|
//   | a, b, c, e0          | the address of a memref                         |
//   | lda, sa, ha, e0m ... | distances of the same memref                    |
//   | m, n, k, batch,      | extents of memrefs that have such a dimension   |
//   | heads                |                                                 |
//
// No dimension of an operand is two of the problem's, nor the other way around;
// one memref may be several operands.
// What is a constant must be one of its memref's type. Values that come from
// elsewhere are not judged.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_BYVALUE_H
#define HONE_LIB_SIMULATE_PLAN_BYVALUE_H

#include "dialects/Kernel/Kernel.h"
#include "hone/Schedule/Problem.h"

namespace hone::simulate {

/// What is wrong with the operands of `launch`, which is to compute `problem`;
/// an empty string where nothing is.
std::string faultOfOperands(kernel::LaunchOp launch, const Problem &problem);

/// True if the elements of C may share a place, as far as its type says.
bool mayOverlap(kernel::LaunchOp launch);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_BYVALUE_H
