//===- LaunchOperands.h - What a launch of the rest is given ----*- C++ -*-===//
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
// Values that come from elsewhere are not judged.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_LAUNCHOPERANDS_H
#define HONE_LIB_SIMULATE_REST_LAUNCHOPERANDS_H

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hone::simulate::rest {

/// What is wrong with the operands of `launch`, which is to do what `function`
/// does; an empty string where nothing is.
std::string faultOfOperands(kernel::LaunchOp launch,
                            mlir::func::FuncOp function);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_LAUNCHOPERANDS_H
