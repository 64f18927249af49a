//===- Scalars.h - Element types and the math of epilogues ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 as bits, and the scalar region of an epilogue, carried out in
// f32 (as a kernel does) or in f64 (as the reference does).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_SCALARS_H
#define HONE_LIB_SIMULATE_SCALARS_H

#include "hone/Schedule/Problem.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace hone::simulate {

/// The element whose bits stand at `bytes`, and back, rounded to even.
float decode(ElementType type, const uint8_t *bytes);
void encode(ElementType type, float value, uint8_t *bytes);
/// `value` as the nearest of `type`.
float rounded(ElementType type, float value);

ElementType toElement(mlir::Type type);

/// What the terminator of `block` gives for these arguments. A conversion that
/// is the last thing before it does not round where `exactEnd`.
template <typename Real>
Real evaluateRegion(mlir::Block &block, llvm::ArrayRef<Real> arguments,
                    bool exactEnd);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_SCALARS_H
