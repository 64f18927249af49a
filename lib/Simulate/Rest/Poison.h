//===- Poison.h - Promises that integer ops make ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `overflow<nuw>` and `exact` promise that a result does not wrap, or that no
// bits are lost. A result that breaks its promise is poison: LLVM may replace
// it with any number.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_POISON_H
#define HONE_LIB_SIMULATE_REST_POISON_H

#include "mlir/IR/Operation.h"

namespace hone::simulate::rest {

/// The promises of an op.
struct Promises {
  bool noSignedWrap = false, noUnsignedWrap = false, exact = false;

  bool any() const { return noSignedWrap || noUnsignedWrap || exact; }
  unsigned bits() const {
    return unsigned(noSignedWrap) | unsigned(noUnsignedWrap) << 1 |
           unsigned(exact) << 2;
  }
};
Promises promisesOf(mlir::Operation *op);

/// True if the result of `op`, an integer op of the arith dialect, is poison on
/// these operands, zero-extended to 64 bits.
bool isPoison(mlir::Operation *op, llvm::ArrayRef<uint64_t> operands);

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_POISON_H
