//===- KernelDiff.h - The lines in which kernels differ ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_KERNELDIFF_H
#define HONE_TOOLS_KERNELDIFF_H

#include "mlir/IR/BuiltinOps.h"

namespace hone {

/// Prints the lines of the kernels of two modules with a sign: '-' is gone, '+'
/// is new, and some around them, or all of them. Numbers of values and kernels,
/// which change with every op before them, do not count.
void printKernelDiff(mlir::ModuleOp before, mlir::ModuleOp after, bool whole);

} // namespace hone

#endif // HONE_TOOLS_KERNELDIFF_H
