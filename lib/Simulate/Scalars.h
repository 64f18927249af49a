//===- Scalars.h - The math of epilogues ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar region of an epilogue, carried out in f32 as a kernel does, or in
// f64 with errors as the reference does. Integers are exact in both, and wrap
// around where their type does.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SCALARS_H
#define HONE_LIB_SIMULATE_SCALARS_H

#include "hone/Measure/ErrorBound.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone::simulate {

/// What the terminator of `block` gives for these arguments, in f32; results of
/// conversions are rounded.
double evaluateInFloat(mlir::Block &block, llvm::ArrayRef<double> arguments);

/// The same in f64, with what the roundings of each op may make of it.
Inexact<double> evaluateWithErrors(mlir::Block &block,
                                   llvm::ArrayRef<Inexact<double>> arguments);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARS_H
