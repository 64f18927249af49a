//===- ByValue.h - Check of a launch's operands -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `kernel.launch` gives each argument of its plan a value by name. The module
// shows whether it is the right value: an address, an extent or a distance is
// read from a memref, and the values read for one operand must agree with those
// for the others.
//
//   | argument             | is                                              |
//   |----------------------|-------------------------------------------------|
//   | a, b, c, e0          | the address of a memref                         |
//   | lda, sa, ha, e0m ... | distances of the same memref                    |
//   | m, n, k, batch,      | extents of memrefs that have such a dimension   |
//   | heads                |                                                 |
//
// No dimension of an operand stands for two of the problem's, nor the other way
// around; one memref may be several operands.
//
// A constant must be that of its memref's type. Values from other sources are
// not checked.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_BYVALUE_H
#define HONE_LIB_SIMULATE_PLAN_BYVALUE_H

#include "dialects/Kernel/Kernel.h"
#include "hone/Schedule/Problem.h"

namespace hone::simulate {

/// The fault of the operands of `launch`, which has to compute `problem`; an
/// empty string where there is none.
std::string faultOfOperands(kernel::LaunchOp launch, const Problem &problem);

/// True if elements of C may overlap, as far as its type shows.
bool mayOverlap(kernel::LaunchOp launch);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_BYVALUE_H
