//===- ScalarOps.cpp - Table of arithmetic on scalars ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ScalarOps.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Arithmetic/ScalarOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace hone;
using llvm::StringLiteral;
using llvm::StringRef;

using X = const IntegerOperands &;
using E = ScalarOp::Error;
using L = ScalarOp::Lowering;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static constexpr unsigned kEpilogue = ScalarOp::ofEpilogues,
                          kPosition = ScalarOp::ofPositions,
                          kCommutes = ScalarOp::commutative,
                          kDivides = ScalarOp::divides,
                          kShifts = ScalarOp::shifts,
                          kDouble = ScalarOp::onDouble,
                          kPositive = ScalarOp::ofPositives,
                          kVector = ScalarOp::vectorized;

/// An op on floats; `function` takes a pointer to its operands.
template <typename Function>
static constexpr ScalarOp real(StringLiteral name, size_t arity, E error,
                               L lowering, unsigned properties,
                               Function function) {
  ScalarOp op = {name, arity};
  op.error = error;
  op.lowering = lowering;
  op.properties = properties;
  op.inFloat = function;
  op.inDouble = function;
  return op;
}

/// An op on floats that kernels compute by an LLVM op.
template <typename Function>
static constexpr ScalarOp real(StringLiteral name, size_t arity, E error,
                               StringLiteral intrinsic, unsigned properties,
                               Function function) {
  ScalarOp op =
      real(name, arity, error, L::intrinsic, kEpilogue | properties, function);
  op.intrinsic = intrinsic;
  return op;
}

/// An op on integers that LLVM has an instruction for.
template <typename Function>
static constexpr ScalarOp integer(StringLiteral name, size_t arity,
                                  unsigned properties, Function function,
                                  ScalarOp::Form form = ScalarOp::plain) {
  ScalarOp op = {name, arity, form, /*ofIntegers=*/true};
  op.lowering = L::instruction;
  op.properties = properties;
  op.onIntegers = function;
  return op;
}

/// The same op without an instruction in bodies of elementwise functions.
static constexpr ScalarOp inPositionsOnly(ScalarOp op) {
  op.lowering = L::none;
  return op;
}

/// An op whose form says its values.
static constexpr ScalarOp byForm(StringLiteral name, size_t arity,
                                 ScalarOp::Form form, bool ofIntegers,
                                 unsigned properties) {
  ScalarOp op = {name, arity, form, ofIntegers};
  op.lowering = L::instruction;
  op.properties = properties;
  return op;
}

/// A conversion between floats.
static constexpr ScalarOp cast(StringLiteral name, ScalarOp::Form form) {
  ScalarOp op = real(name, 1, E::operand, L::instruction, kEpilogue,
                     [](auto *x) { return x[0]; });
  op.form = form;
  return op;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

template <typename Real>
static Real extremum(Real a, Real b, bool isMax, bool keepsNan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keepsNan)
      return NAN;
    return std::isnan(a) ? b : a;
  }
  return isMax ? std::max(a, b) : std::min(a, b);
}

/// 0 for subnormal numbers.
template <typename Real>
static Real flushed(Real x) {
  return std::abs(x) < std::numeric_limits<float>::min()
             ? std::copysign(Real(0), x)
             : x;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr ScalarOp kOps[] = {
    real("arith.addf", 2, E::sum, L::instruction, kEpilogue | kCommutes,
         [](auto *x) { return x[0] + x[1]; }),
    integer("arith.addi", 2, kEpilogue | kPosition | kCommutes,
            [](X x) { return x.a + x.b; }),
    integer("arith.andi", 2, kPosition | kCommutes,
            [](X x) { return x.a & x.b; }),
    byForm("arith.bitcast", 1, ScalarOp::reinterpretation, false, 0),
    integer("arith.ceildivsi", 2, kPosition | kDivides,
            [](X x) -> uint64_t {
              return llvm::divideCeilSigned(x.signedA, x.signedB);
            }),
    inPositionsOnly(integer("arith.ceildivui", 2, kPosition | kDivides,
                            [](X x) { return (x.a + x.b - 1) / x.b; })),
    byForm("arith.cmpf", 2, ScalarOp::comparison, false, kEpilogue),
    byForm("arith.cmpi", 2, ScalarOp::comparison, true, kEpilogue | kPosition),
    real("arith.divf", 2, E::quotient, L::instruction, kEpilogue,
         [](auto *x) { return x[0] / x[1]; }),
    integer("arith.divsi", 2, kPosition | kDivides,
            [](X x) -> uint64_t { return x.signedA / x.signedB; }),
    integer("arith.divui", 2, kPosition | kDivides,
            [](X x) { return x.a / x.b; }),
    cast("arith.extf", ScalarOp::widening),
    integer(
        "arith.extsi", 1, kEpilogue | kPosition,
        [](X x) -> uint64_t { return x.signedA; }, ScalarOp::widening),
    integer(
        "arith.extui", 1, kEpilogue | kPosition, [](X x) { return x.a; },
        ScalarOp::widening),
    integer("arith.floordivsi", 2, kDivides,
            [](X x) -> uint64_t {
              return llvm::divideFloorSigned(x.signedA, x.signedB);
            }),
    byForm("arith.fptosi", 1, ScalarOp::toInteger, false, kEpilogue),
    byForm("arith.fptoui", 1, ScalarOp::toInteger, false, 0),
    integer(
        "arith.index_cast", 1, kPosition,
        [](X x) -> uint64_t { return x.signedA; }, ScalarOp::reinterpretation),
    integer(
        "arith.index_castui", 1, kPosition, [](X x) { return x.a; },
        ScalarOp::reinterpretation),
    real("arith.maximumf", 2, E::function, L::extremum, kEpilogue | kCommutes,
         [](auto *x) { return extremum(x[0], x[1], true, true); }),
    real("arith.maxnumf", 2, E::function, "llvm.intr.maxnum",
         kCommutes | kDouble,
         [](auto *x) { return extremum(x[0], x[1], true, false); }),
    integer("arith.maxsi", 2, kEpilogue | kPosition | kCommutes,
            [](X x) -> uint64_t { return std::max(x.signedA, x.signedB); }),
    integer("arith.maxui", 2, kPosition | kCommutes,
            [](X x) { return std::max(x.a, x.b); }),
    real("arith.minimumf", 2, E::function, L::extremum, kEpilogue | kCommutes,
         [](auto *x) { return extremum(x[0], x[1], false, true); }),
    real("arith.minnumf", 2, E::function, "llvm.intr.minnum",
         kCommutes | kDouble,
         [](auto *x) { return extremum(x[0], x[1], false, false); }),
    integer("arith.minsi", 2, kEpilogue | kPosition | kCommutes,
            [](X x) -> uint64_t { return std::min(x.signedA, x.signedB); }),
    integer("arith.minui", 2, kPosition | kCommutes,
            [](X x) { return std::min(x.a, x.b); }),
    real("arith.mulf", 2, E::product, L::instruction, kEpilogue | kCommutes,
         [](auto *x) { return x[0] * x[1]; }),
    integer("arith.muli", 2, kEpilogue | kPosition | kCommutes,
            [](X x) { return x.a * x.b; }),
    real("arith.negf", 1, E::operand, L::instruction, kEpilogue,
         [](auto *x) { return -x[0]; }),
    integer("arith.ori", 2, kPosition | kCommutes,
            [](X x) { return x.a | x.b; }),
    real("arith.remf", 2, E::function, L::remainder, 0,
         [](auto *x) { return std::fmod(x[0], x[1]); }),
    integer("arith.remsi", 2, kPosition | kDivides,
            [](X x) -> uint64_t { return x.signedA % x.signedB; }),
    integer("arith.remui", 2, kPosition | kDivides,
            [](X x) { return x.a % x.b; }),
    byForm("arith.select", 3, ScalarOp::selection, false,
           kEpilogue | kPosition),
    integer("arith.shli", 2, kEpilogue | kPosition | kShifts,
            [](X x) { return x.a << x.b; }),
    integer("arith.shrsi", 2, kEpilogue | kPosition | kShifts,
            [](X x) -> uint64_t { return x.signedA >> x.b; }),
    integer("arith.shrui", 2, kEpilogue | kPosition | kShifts,
            [](X x) { return x.a >> x.b; }),
    byForm("arith.sitofp", 1, ScalarOp::toFloat, true, kEpilogue),
    real("arith.subf", 2, E::difference, L::instruction, kEpilogue,
         [](auto *x) { return x[0] - x[1]; }),
    integer("arith.subi", 2, kEpilogue | kPosition,
            [](X x) { return x.a - x.b; }),
    cast("arith.truncf", ScalarOp::narrowing),
    integer(
        "arith.trunci", 1, kEpilogue | kPosition, [](X x) { return x.a; },
        ScalarOp::narrowing),
    byForm("arith.uitofp", 1, ScalarOp::toFloat, true, 0),
    integer("arith.xori", 2, kPosition | kCommutes,
            [](X x) { return x.a ^ x.b; }),
    real(kExp2Approx, 1, E::function, L::instruction, 0,
         [](auto *x) { return flushed(std::exp2(flushed(x[0]))); }),
    real(kLog2Approx, 1, E::function, L::instruction, 0,
         [](auto *x) { return std::log2(x[0]); }),
    real(kRcpApprox, 1, E::function, L::instruction, 0,
         [](auto *x) { return flushed(1 / flushed(x[0])); }),
    real(kRsqrtApprox, 1, E::function, L::instruction, 0,
         [](auto *x) { return 1 / std::sqrt(x[0]); }),
    real("math.absf", 1, E::function, "llvm.intr.fabs", kDouble,
         [](auto *x) { return std::abs(x[0]); }),
    integer("math.absi", 1, 0, [](X x) { return x.signedA < 0 ? -x.a : x.a; }),
    real("math.atan2", 2, E::approximated, L::atan2, 0,
         [](auto *x) { return std::atan2(x[0], x[1]); }),
    real("math.ceil", 1, E::function, "llvm.intr.ceil", 0,
         [](auto *x) { return std::ceil(x[0]); }),
    real("math.copysign", 2, E::function, "llvm.intr.copysign", 0,
         [](auto *x) { return std::copysign(x[0], x[1]); }),
    real("math.cos", 1, E::wave, L::cosine, 0,
         [](auto *x) { return std::cos(x[0]); }),
    real("math.erf", 1, E::approximatedNearZero, L::erf, kEpilogue | kVector,
         [](auto *x) { return std::erf(x[0]); }),
    real("math.erfc", 1, E::approximatedNearZero, L::none, 0,
         [](auto *x) { return std::erfc(x[0]); }),
    real("math.exp", 1, E::approximated, L::exp, kEpilogue | kVector,
         [](auto *x) { return std::exp(x[0]); }),
    real("math.exp2", 1, E::approximated, L::exp2, kEpilogue,
         [](auto *x) { return std::exp2(x[0]); }),
    real("math.expm1", 1, E::approximated, L::expm1, kVector,
         [](auto *x) { return std::expm1(x[0]); }),
    real("math.floor", 1, E::function, "llvm.intr.floor", 0,
         [](auto *x) { return std::floor(x[0]); }),
    real("math.fma", 3, E::function, "llvm.intr.fma", kDouble,
         [](auto *x) { return std::fma(x[0], x[1], x[2]); }),
    real("math.fpowi", 2, E::approximated, L::power, 0,
         [](auto *x) { return std::pow(x[0], x[1]); }),
    real("math.log", 1, E::approximated, L::log,
         kEpilogue | kPositive | kVector,
         [](auto *x) { return std::log(x[0]); }),
    real("math.log1p", 1, E::approximated, L::log1p, kVector,
         [](auto *x) { return std::log1p(x[0]); }),
    real("math.log2", 1, E::approximated, L::log2,
         kEpilogue | kPositive | kVector,
         [](auto *x) { return std::log2(x[0]); }),
    real("math.powf", 2, E::approximated, L::power, 0,
         [](auto *x) { return std::pow(x[0], x[1]); }),
    real("math.round", 1, E::function, "llvm.intr.round", 0,
         [](auto *x) { return std::round(x[0]); }),
    real("math.roundeven", 1, E::function, "llvm.intr.roundeven", 0,
         [](auto *x) { return std::nearbyint(x[0]); }),
    real("math.rsqrt", 1, E::approximated, L::rsqrt,
         kEpilogue | kDouble | kPositive,
         [](auto *x) { return 1 / std::sqrt(x[0]); }),
    real("math.sin", 1, E::wave, L::sine, 0,
         [](auto *x) { return std::sin(x[0]); }),
    real("math.sqrt", 1, E::approximated, "llvm.intr.sqrt", kDouble | kPositive,
         [](auto *x) { return std::sqrt(x[0]); }),
    real("math.tanh", 1, E::approximatedNearZero, L::tanh, kEpilogue | kVector,
         [](auto *x) { return std::tanh(x[0]); }),
    real("math.trunc", 1, E::function, "llvm.intr.trunc", 0,
         [](auto *x) { return std::trunc(x[0]); }),
};

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

static constexpr bool isBefore(StringLiteral a, StringLiteral b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a.data()[i] == b.data()[i])
    ++i;
  return i < b.size() && (i == a.size() || a.data()[i] < b.data()[i]);
}

static constexpr bool areSorted() {
  for (size_t i = 1; i < std::size(kOps); ++i)
    if (!isBefore(kOps[i - 1].name, kOps[i].name))
      return false;
  return true;
}
static_assert(areSorted(), "findScalarOp searches by name");

llvm::ArrayRef<ScalarOp> hone::scalarOps() { return kOps; }

const ScalarOp *hone::findScalarOp(StringRef name) {
  const ScalarOp *found =
      llvm::lower_bound(kOps, name, [](const ScalarOp &op, StringRef name) {
        return op.name < name;
      });
  return found != std::end(kOps) && found->name == name ? found : nullptr;
}

const ScalarOp *hone::findScalarOpOfIntrinsic(StringRef name) {
  const ScalarOp *found = llvm::find_if(kOps, [&](const ScalarOp &op) {
    return !op.intrinsic.empty() && op.intrinsic == name;
  });
  return found != std::end(kOps) ? found : nullptr;
}
