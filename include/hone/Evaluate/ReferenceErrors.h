//===- ReferenceErrors.h - Arithmetic that carries its errors ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float of the program becomes a `complex<f64>` of the reference: its value
// in f64 and its error (hone/Measure/ErrorBound.h). Whatever moves elements
// (fills, transposes, slices, gathers, loops) then moves both and needs no
// change; only arithmetic does, and here is how.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_REFERENCEERRORS_H
#define HONE_EVALUATE_REFERENCEERRORS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hone {

/// Which way a decision goes that rounding may turn: a comparison of two floats
/// that are too close, a conversion to an integer next to a step.
enum class Decisions { asComputed, turned };

/// Replaces each float type in `module`, and the arithmetic on it. Fails where
/// an op is none of arith, math, or what moves elements. Sets `hasDecisions` if
/// a decision leaves the op that makes it, so that no error can tell of it.
llvm::Error carryErrors(mlir::ModuleOp module, Decisions decisions,
                        bool &hasDecisions);

} // namespace hone

#endif // HONE_EVALUATE_REFERENCEERRORS_H
