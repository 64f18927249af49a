//===- Scalars.cpp - The math of epilogues --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops by name, as many as dialects/Hone/Epilogue.cpp lets into an epilogue.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "Elements.h"
#include "Program.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

template <typename Real>
static Real minMax(Real a, Real b, bool isMax, bool keepsNan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (keepsNan)
      return NAN;
    return std::isnan(a) ? b : a;
  }
  return isMax ? std::max(a, b) : std::min(a, b);
}

template <typename Real>
static bool compareFloats(arith::CmpFPredicate predicate, Real a, Real b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  // Bits of the predicate: equal, greater, less, unordered.
  auto bits = [&]() -> unsigned {
    switch (predicate) {
    case P::AlwaysFalse:
      return 0;
    case P::OEQ:
      return 1;
    case P::OGT:
      return 2;
    case P::OGE:
      return 3;
    case P::OLT:
      return 4;
    case P::OLE:
      return 5;
    case P::ONE:
      return 6;
    case P::ORD:
      return 7;
    case P::UEQ:
      return 9;
    case P::UGT:
      return 10;
    case P::UGE:
      return 11;
    case P::ULT:
      return 12;
    case P::ULE:
      return 13;
    case P::UNE:
      return 14;
    case P::UNO:
      return 8;
    case P::AlwaysTrue:
      return 15;
    }
    llvm_unreachable("a predicate");
  }();
  unsigned is = unordered ? 8 : a == b ? 1 : a > b ? 2 : 4;
  return bits & is;
}

template <typename Real>
static Real evaluateOp(Operation &op, ArrayRef<Real> x) {
  return llvm::TypeSwitch<Operation *, Real>(&op)
      .Case([&](arith::AddFOp) { return x[0] + x[1]; })
      .Case([&](arith::SubFOp) { return x[0] - x[1]; })
      .Case([&](arith::MulFOp) { return x[0] * x[1]; })
      .Case([&](arith::DivFOp) { return x[0] / x[1]; })
      .Case([&](arith::NegFOp) { return -x[0]; })
      .Case([&](arith::MaximumFOp) { return minMax(x[0], x[1], true, true); })
      .Case([&](arith::MinimumFOp) { return minMax(x[0], x[1], false, true); })
      .Case([&](arith::MaxNumFOp) { return minMax(x[0], x[1], true, false); })
      .Case([&](arith::MinNumFOp) { return minMax(x[0], x[1], false, false); })
      .Case([&](math::AbsFOp) { return std::abs(x[0]); })
      .Case([&](math::CeilOp) { return std::ceil(x[0]); })
      .Case([&](math::FloorOp) { return std::floor(x[0]); })
      .Case([&](math::RoundOp) { return std::round(x[0]); })
      .Case([&](math::RoundEvenOp) { return std::nearbyint(x[0]); })
      .Case([&](math::TruncOp) { return std::trunc(x[0]); })
      .Case([&](math::CopySignOp) { return std::copysign(x[0], x[1]); })
      .Case([&](math::ErfOp) { return std::erf(x[0]); })
      .Case([&](math::ExpOp) { return std::exp(x[0]); })
      .Case([&](math::Exp2Op) { return std::exp2(x[0]); })
      .Case([&](math::FmaOp) { return std::fma(x[0], x[1], x[2]); })
      .Case([&](math::LogOp) { return std::log(x[0]); })
      .Case([&](math::Log2Op) { return std::log2(x[0]); })
      .Case([&](math::RsqrtOp) { return 1 / std::sqrt(x[0]); })
      .Case([&](math::SqrtOp) { return std::sqrt(x[0]); })
      .Case([&](math::TanhOp) { return std::tanh(x[0]); })
      .Default([&](Operation *) { return x[0]; });
}

/// Walks through `block`; `evaluate` is asked for each op that is no constant.
template <typename Number>
static Number
walkBlock(Block &block, ArrayRef<Number> arguments,
          llvm::function_ref<Number(Operation &, ArrayRef<Number>)> evaluate,
          llvm::function_ref<Number(Operation *)> constant) {
  llvm::SmallDenseMap<Value, Number, 16> values;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  auto valueOf = [&](Value value) -> Number {
    auto found = values.find(value);
    // A constant may have been moved out of the region.
    return found != values.end() ? found->second
                                 : constant(value.getDefiningOp());
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    SmallVector<Number, 3> operands;
    for (Value operand : op.getOperands())
      operands.push_back(valueOf(operand));
    values[op.getResult(0)] = evaluate(op, operands);
  }
  return valueOf(block.getTerminator()->getOperand(0));
}

namespace {
/// A value of a region: a float, or an integer with its sign.
struct Held {
  float real = 0;
  int64_t whole = 0;
};
} // namespace

static bool isWhole(Type type) { return type.isInteger(); }

/// A constant that is an integer, with its sign; a truth value is 0 or 1.
static int64_t wholeConstant(Operation *op) {
  APInt value =
      cast<IntegerAttr>(cast<arith::ConstantOp>(op).getValue()).getValue();
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
}
static double realConstant(Operation *op) {
  auto value = cast<FloatAttr>(cast<arith::ConstantOp>(op).getValue());
  return value.getValueAsDouble();
}

static int64_t withSign(uint64_t bits, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 1 ? bits & 1 : llvm::SignExtend64(bits, width);
}

/// An op on integers alone.
static int64_t evaluateWhole(Operation &op, ArrayRef<int64_t> x) {
  SmallVector<uint64_t, 3> operands;
  for (auto [value, type] : llvm::zip_equal(x, op.getOperandTypes()))
    operands.push_back(uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(
                                             type.getIntOrFloatBitWidth()));
  // Nothing that divides is in an epilogue.
  return withSign(evaluateInteger(&op, operands).value_or(0),
                  op.getResult(0).getType());
}

/// Rounded towards zero. Beyond the type's range it is anything: kernels give
/// the nearest number.
static int64_t toWhole(double value, Type type) {
  double limit = std::ldexp(1, type.getIntOrFloatBitWidth() - 1);
  double whole = std::isnan(value) ? 0 : std::trunc(value);
  if (whole >= limit)
    return int64_t(~(uint64_t(1) << 63) >> (64 - type.getIntOrFloatBitWidth()));
  return int64_t(std::max(whole, -limit));
}

static Held evaluateHeld(Operation &op, ArrayRef<Held> x) {
  Type type = op.getResult(0).getType();
  if (isa<arith::SelectOp>(op))
    return x[0].whole ? x[1] : x[2];
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return {0, compareFloats(cmp.getPredicate(), x[0].real, x[1].real)};
  if (isa<arith::FPToSIOp>(op))
    return {0, toWhole(x[0].real, type)};
  if (isa<arith::SIToFPOp>(op))
    return {float(rounded(toElement(type), float(x[0].whole))), 0};
  if (isWhole(type))
    return {0, evaluateWhole(op, llvm::map_to_vector(x, [](const Held &held) {
                               return held.whole;
                             }))};
  auto value = evaluateOp<float>(
      op, llvm::map_to_vector(x, [](const Held &held) { return held.real; }));
  // Ops on shorter floats round as they are, which may overflow.
  return {float(rounded(toElement(type), value)), 0};
}

double simulate::evaluateInFloat(Block &block, ArrayRef<double> arguments) {
  SmallVector<Held> held;
  for (auto [value, argument] :
       llvm::zip_equal(arguments, block.getArguments()))
    held.push_back(isWhole(argument.getType()) ? Held{0, int64_t(value)}
                                               : Held{float(value), 0});
  auto constant = [](Operation *op) -> Held {
    if (isWhole(op->getResult(0).getType()))
      return {0, wholeConstant(op)};
    return {float(realConstant(op)), 0};
  };
  Held result = walkBlock<Held>(block, held, evaluateHeld, constant);
  Type type = block.getTerminator()->getOperand(0).getType();
  return isWhole(type) ? double(result.whole) : double(result.real);
}

//===----------------------------------------------------------------------===//
// Regions with errors
//===----------------------------------------------------------------------===//

using Number = Inexact<double>;

/// Computed by a formula of ours, or an instruction that approximates.
static bool isApproximated(Operation &op) {
  return isa_and_nonnull<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
              math::FmaOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
}

/// Any op: at its value, and a little above and below in each operand.
static Number evaluateFunction(Operation &op, ArrayRef<Number> operands) {
  SmallVector<double, 3> values;
  for (const Number &operand : operands)
    values.push_back(operand.value);
  constexpr double kUnit = 0x1p-24;
  double value = evaluateOp<double>(op, values), error = 0, errors = 0;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    double reach = operand.error;
    if (isApproximated(op) && std::isfinite(operand.value))
      reach += kArgumentUnits * kUnit * std::abs(operand.value);
    auto at = [&](double place) {
      SmallVector<double, 3> moved(values);
      moved[i] = place;
      return evaluateOp<double>(op, moved);
    };
    if (reach != 0)
      error += spread(value, at(operand.value + kDeviations * reach),
                      at(operand.value - kDeviations * reach));
    errors += operand.error;
  }
  if (isApproximated(op))
    error += kFunctionUnits * kUnit * std::abs(value);
  if (isa<math::TanhOp, math::ErfOp>(op))
    error += kFunctionUnits * kUnit;
  return settle<double>({value, error}, errors);
}

namespace {
/// A value of a region: a float with its error, or an integer and by how much
/// it may be off.
struct Doubted {
  Number real = {0, 0};
  int64_t whole = 0;
  double doubt = 0;
};
} // namespace

/// The doubt of a condition is its error.
static Doubted evaluateSelect(ArrayRef<Doubted> x) {
  Doubted chosen = x[0].whole ? x[1] : x[2];
  if (x[0].doubt == 0)
    return chosen;
  const Number &a = x[1].real, &b = x[2].real;
  if (a.value != b.value)
    chosen.real.error =
        std::max(a.error, b.error) + std::abs(a.value - b.value);
  if (x[1].whole != x[2].whole)
    chosen.doubt = std::max(x[1].doubt, x[2].doubt) +
                   std::abs(double(x[1].whole) - double(x[2].whole));
  return chosen;
}

/// Truncates it; nothing is known of what may be beyond the type's range.
static Doubted evaluateToWhole(const Number &x, Type type) {
  double limit = std::ldexp(1, type.getIntOrFloatBitWidth() - 1);
  double reach = kDeviations * x.error;
  double above = std::trunc(x.value + reach);
  double below = std::trunc(x.value - reach);
  Doubted result = {{0, 0}, toWhole(x.value, type), 0};
  bool isInside = below >= -limit && above < limit;
  result.doubt = isInside ? spread(std::trunc(x.value), above, below)
                          : std::numeric_limits<double>::infinity();
  return result;
}

/// An op on integers alone: at its value, and a little above and below.
static Doubted evaluateWholes(Operation &op, ArrayRef<Doubted> x) {
  auto wholes = llvm::map_to_vector(
      x, [](const Doubted &operand) { return operand.whole; });
  Doubted result = {{0, 0}, evaluateWhole(op, wholes), 0};
  for (auto [i, operand] : llvm::enumerate(x)) {
    constexpr double kMost = 0x1p40;
    if (operand.doubt == 0)
      continue;
    if (!(operand.doubt < kMost)) {
      result.doubt = std::numeric_limits<double>::infinity();
      return result;
    }
    auto at = [&](int64_t place) {
      auto moved = wholes;
      moved[i] = place;
      return double(evaluateWhole(op, moved));
    };
    auto reach = int64_t(std::ceil(kDeviations * operand.doubt));
    result.doubt += spread(double(result.whole), at(operand.whole + reach),
                           at(operand.whole - reach));
  }
  return result;
}

static Number evaluateReal(Operation &op, ArrayRef<Number> x) {
  if (isa<arith::AddFOp>(op))
    return settle(add(x[0], x[1]), x[0].error + x[1].error);
  if (isa<arith::SubFOp>(op))
    return settle(subtract(x[0], x[1]), x[0].error + x[1].error);
  if (isa<arith::MulFOp>(op))
    return settle(multiply(x[0], x[1]), x[0].error + x[1].error);
  if (isa<arith::DivFOp>(op))
    return settle(divide(x[0], x[1]), x[0].error + x[1].error);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return x[0];
  return evaluateFunction(op, x);
}

static Doubted evaluateDoubted(Operation &op, ArrayRef<Doubted> x) {
  Type type = op.getResult(0).getType();
  if (isa<arith::SelectOp>(op))
    return evaluateSelect(x);
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    const Number &a = x[0].real, &b = x[1].real;
    bool is = compareFloats(cmp.getPredicate(), a.value, b.value);
    return {{0, 0}, is, mayBeSwapped(a, b) ? 1.0 : 0.0};
  }
  if (isa<arith::FPToSIOp>(op))
    return evaluateToWhole(x[0].real, type);
  if (isWhole(type))
    return evaluateWholes(op, x);
  Number result =
      isa<arith::SIToFPOp>(op)
          ? Number{double(x[0].whole), x[0].doubt}
          : evaluateReal(op, llvm::map_to_vector(x, [](const Doubted &operand) {
                           return operand.real;
                         }));
  return {roundInto(toElement(type), result), 0, 0};
}

Number simulate::evaluateWithErrors(Block &block, ArrayRef<Number> arguments) {
  SmallVector<Doubted> doubted;
  for (auto [number, argument] :
       llvm::zip_equal(arguments, block.getArguments()))
    doubted.push_back(isWhole(argument.getType())
                          ? Doubted{{0, 0}, int64_t(number.value), number.error}
                          : Doubted{number, 0, 0});
  auto constant = [](Operation *op) -> Doubted {
    if (isWhole(op->getResult(0).getType()))
      return {{0, 0}, wholeConstant(op), 0};
    return {{realConstant(op), 0}, 0, 0};
  };
  Doubted result =
      walkBlock<Doubted>(block, doubted, evaluateDoubted, constant);
  Type type = block.getTerminator()->getOperand(0).getType();
  return isWhole(type) ? Number{double(result.whole), result.doubt}
                       : result.real;
}
