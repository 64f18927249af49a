//===- LaunchOperands.h - Operands of a rest kernel's launch ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan's arguments are named after those of the function (Launch.h); the
// values come from memrefs of the host code:
//
//   | argument | is                                                          |
//   |----------|-------------------------------------------------------------|
//   | p0       | the address of a memref that has the type of argument 0     |
//   | p0d1     | the extent of the same memref in dimension 1                |
//   | p0s1     | its stride                                                  |
//   | x1       | the bits of a scalar of the type of argument 1              |
//
// Values from other sources are not checked.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_LAUNCHOPERANDS_H
#define HONE_LIB_SIMULATE_REST_LAUNCHOPERANDS_H

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::simulate::rest {

/// The fault of the operands of `launch`, which has to compute `function`; an
/// empty string where there is none.
std::string faultOfOperands(kernel::LaunchOp launch,
                            mlir::func::FuncOp function);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_LAUNCHOPERANDS_H
