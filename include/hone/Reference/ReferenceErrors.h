//===- ReferenceErrors.h - Arithmetic that tracks its error -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float of the program becomes a `complex<f64>` of the reference: its value
// in f64 and its error (hone/Numerics/ErrorBound.h). Ops that move elements
// (fills, transposes, slices, gathers, loops) then move both without change;
// only arithmetic is rewritten, as follows.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_REFERENCEERRORS_H
#define HONE_REFERENCE_REFERENCEERRORS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hone {

/// The outcome of a decision that rounding may turn: a comparison of two floats
/// that are too close, a conversion to an integer next to a step, a float that
/// may be too large for its type and is then infinite.
enum class Decisions { asComputed, turned };

/// Replaces each float type in `module`, and the arithmetic on it. Fails if an
/// op neither belongs to arith or math nor moves elements. Sets `hasDecisions`
/// if there are decisions that no error can track: one that leaves the op that
/// makes it, or a float that may overflow.
llvm::Error carryErrors(mlir::ModuleOp module, Decisions decisions,
                        bool &hasDecisions);

} // namespace hone

#endif // HONE_REFERENCE_REFERENCEERRORS_H
