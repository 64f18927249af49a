//===- ScalarOps.h - Table of arithmetic on scalars -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row for each op of the arith and math dialects in the body of an epilogue
// or of another elementwise function, and for each integer op of kernels: the
// types that it takes, its values, its error, and how kernels compute it. Every
// room looks ops up here. A new op is a new row; where a room needs code of its
// own for a row, a switch without a default or a test names that room
// (test/unit/Arithmetic/ScalarOpsTest.cpp).
//
// `arith.constant` has no row: it has no operands.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_ARITHMETIC_SCALAROPS_H
#define HONE_ARITHMETIC_SCALAROPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace hone {

/// One or two operands of an op on integers of up to 64 bits.
struct IntegerOperands {
  uint64_t a = 0, b = 0;
  int64_t signedA = 0, signedB = 0;
};

struct ScalarOp {
  /// The types of operands and result.
  enum Form {
    plain, ///< all the same
    comparison,
    selection,
    widening,
    narrowing,
    toFloat,
    toInteger,
    reinterpretation ///< of bits, or from and to `index`
  };

  /// The error of a float that the op computes from other floats, by the rules
  /// of hone/Numerics/ErrorBound.h.
  enum class Error {
    none,    ///< not such an op
    operand, ///< its operand's
    sum,
    difference,
    product,
    quotient,
    function, ///< that of its operands, by the function's slope
    /// From here on, kernels approximate it: the operand counts as rounded once
    /// more, and the result may be off by some units.
    approximated,
    approximatedNearZero, ///< and by some units of 1
    wave ///< values at both ends of an interval do not bound those within
  };

  /// How kernels compute it.
  enum class Lowering {
    none,        ///< no kernel does
    instruction, ///< LLVM has an instruction for all types
    intrinsic,   ///< `intrinsic` is an instruction for floats up to 32 bits
    extremum,    ///< such an op, too, but on f64 it takes a few to keep a NaN
    // Formulas of passes/Rest.
    power,
    sine,
    cosine,
    expm1,
    log1p,
    atan2,
    remainder,
    // A formula of passes/Lower/EpilogueFormulas.h.
    exp,
    exp2,
    log,
    log2,
    tanh,
    erf,
    rsqrt
  };

  enum Property : unsigned {
    /// An epilogue may contain it.
    ofEpilogues = 1,
    /// Kernel IR computes positions with it, and the proof follows them.
    ofPositions = 2,
    commutative = 4, ///< and associative, if rounding is ignored
    /// The second operand must not be 0.
    divides = 8,
    /// The second operand must be less than the bits of the first.
    shifts = 16,
    /// An `intrinsic` or a formula that has instructions for f64, too.
    onDouble = 32,
    /// Defined for positive operands only.
    ofPositives = 64,
    /// Host code has a polynomial for vectors of f32.
    vectorized = 128
  };

  llvm::StringLiteral name; ///< "math.exp"
  size_t arity;
  Form form = plain;
  /// Whether its operands are integers; a selection takes either.
  bool ofIntegers = false;
  Error error = Error::none;
  Lowering lowering = Lowering::none;
  llvm::StringLiteral intrinsic = ""; ///< "llvm.intr.sqrt"
  unsigned properties = 0;

  /// Its values; null for ops on integers, and for forms without a formula.
  float (*inFloat)(const float *) = nullptr;
  double (*inDouble)(const double *) = nullptr;
  /// Its values as wide as the result, in the low bits; null for other ops.
  uint64_t (*onIntegers)(const IntegerOperands &) = nullptr;

  llvm::StringRef dialect() const { return name.split('.').first; }
  /// "exp", as epilogues spell it.
  llvm::StringRef shortName() const { return name.split('.').second; }
  bool is(Property property) const { return properties & property; }
  /// Whether its error has a formula of its own: applyFormula.
  bool hasFormula() const {
    return error >= Error::sum && error <= Error::quotient;
  }
  bool isApproximated() const { return error >= Error::approximated; }
  /// Whether its text ends in the type that it converts to.
  bool converts() const { return form >= widening; }
  bool givesIntegers() const {
    return form == toInteger || (ofIntegers && form != toFloat);
  }
};

/// All of them, sorted by name.
llvm::ArrayRef<ScalarOp> scalarOps();
/// The op of this name; null if it has no row.
const ScalarOp *findScalarOp(llvm::StringRef name);
/// The op that kernels compute by the LLVM op of this name, or null.
const ScalarOp *findScalarOpOfIntrinsic(llvm::StringRef name);

/// The approximating instructions of the formulas; each has a row.
inline constexpr llvm::StringLiteral kExp2Approx =
    "llvm.nvvm.ex2.approx.ftz.f32";
inline constexpr llvm::StringLiteral kLog2Approx = "llvm.nvvm.lg2.approx.f";
inline constexpr llvm::StringLiteral kRcpApprox = "llvm.nvvm.rcp.approx.ftz.f";
inline constexpr llvm::StringLiteral kRsqrtApprox = "llvm.nvvm.rsqrt.approx.f";

} // namespace hone

#endif // HONE_ARITHMETIC_SCALAROPS_H
