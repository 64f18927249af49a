//===- EpilogueGate.h - Products of x and a sigmoid -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GELU and SiLU multiply x by a function of x that rises from 0 to 1. Lowered
// op by op, this takes up to twice as many instructions as needed. Halving and
// scaling constants can go into the exponent of the power that a sigmoid is
// computed from, and so can the polynomial that is its argument.
//
//   text                                  | becomes
//   --------------------------------------|----------------------------------
//   1 + tanh u                            | 2 / (1 + 2^t)
//   0.5 x (1 + tanh u), however grouped   | x / (1 + 2^t)
//   x / (1 + exp u)                       | x / (1 + 2^t)
//   1 + erf u, 0.5 x (1 + erf u)          | the same with a polynomial for t
//
// with t = y (a + b y^2) where u is such a function of some y, and a, b have
// the same sign, so that no digits cancel; y may be u itself. The bounds of
// EpilogueFormulas.h hold: constants are multiplied in f64, and rounding fewer
// intermediate values makes no error larger.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_EPILOGUEGATE_H
#define HONE_PASSES_LOWER_EPILOGUEGATE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace hone {

/// The expression that an op of an epilogue and its operands' ops compute.
struct EpilogueGate {
  enum Sigmoid { tanh, erf, exp };
  Sigmoid sigmoid;
  /// The sigmoid's argument is argument * (linear + cubic * argument^2).
  mlir::Value argument;
  double linear = 1, cubic = 0;
  /// True if the sigmoid is between 0 and 1; false if between 0 and 2.
  bool isHalved = false;
  /// The factor of the sigmoid; null for none.
  mlir::Value factor;

  /// The gate whose result is that of `op`, in f32.
  static std::optional<EpilogueGate> match(mlir::Operation *op);
  /// Emits the gate; `argument` and `factor` replace its own.
  mlir::Value expand(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value argument, mlir::Value factor) const;
};

} // namespace hone

#endif // HONE_PASSES_LOWER_EPILOGUEGATE_H
