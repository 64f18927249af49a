//===- ScalarFunctions.h - Ops on floats, in f64 ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the ops of a body, and of the instructions that kernels use
// for them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_SCALARFUNCTIONS_H
#define HONE_LIB_SIMULATE_REST_SCALARFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone::simulate::rest {

using RealFunction = double (*)(llvm::ArrayRef<double>);

/// The function of the op of this name; null if it is unknown.
RealFunction functionOf(llvm::StringRef name);
/// True if kernels compute it by a formula, or by an approximating instruction.
bool isApproximated(llvm::StringRef name);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_SCALARFUNCTIONS_H
