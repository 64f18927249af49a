//===- EpilogueGate.cpp - Products of x and a sigmoid ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EpilogueGate.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/EpilogueGate.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/Lower/EpilogueFormulas.h"
#include "passes/Lower/FloatValue.h"

using namespace mlir;
using namespace hone;

/// The depth of the search in an argument: a GELU's has four ops in a row.
static constexpr int kDepth = 6;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::optional<double> constantOf(Value value) {
  FloatAttr attribute;
  if (!value.getType().isF32() || !matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  return attribute.getValueAsDouble();
}

/// The y of the first y * y below `value`.
static Value squareBelow(Value value, int depth = kDepth) {
  Operation *op = value.getDefiningOp();
  if (!depth || !isa_and_present<arith::MulFOp, arith::AddFOp>(op))
    return Value();
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (isa<arith::MulFOp>(op) && left == right)
    return left;
  Value found = squareBelow(left, depth - 1);
  return found ? found : squareBelow(right, depth - 1);
}

/// Coefficients from the constant one on.
using Cubic = std::array<double, 4>;

/// `value` as a polynomial in `y`.
static std::optional<Cubic> cubicOf(Value value, Value y, int depth = kDepth) {
  if (value == y)
    return Cubic{0, 1, 0, 0};
  if (std::optional<double> constant = constantOf(value))
    return Cubic{*constant, 0, 0, 0};
  Operation *op = value.getDefiningOp();
  if (!depth || !isa_and_present<arith::MulFOp, arith::AddFOp>(op))
    return std::nullopt;
  auto left = cubicOf(op->getOperand(0), y, depth - 1);
  auto right = cubicOf(op->getOperand(1), y, depth - 1);
  if (!left || !right)
    return std::nullopt;
  Cubic result = {0, 0, 0, 0};
  if (isa<arith::AddFOp>(op)) {
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = (*left)[i] + (*right)[i];
    return result;
  }
  for (size_t i = 0; i < result.size(); ++i)
    for (size_t j = 0; j < result.size(); ++j) {
      double product = (*left)[i] * (*right)[j];
      if (product == 0)
        continue;
      if (i + j >= result.size())
        return std::nullopt;
      result[i + j] += product;
    }
  return result;
}

/// Takes apart the sigmoid's argument: a multiple of a value, or an odd cubic
/// of one whose terms have the same sign.
static void takeArgument(Value value, EpilogueGate &gate) {
  // The product of very large or very small factors might round to 0 or
  // infinity.
  constexpr double kMax = 0x1p+32;
  auto isMild = [](double number) {
    return std::abs(number) <= kMax && std::abs(number) >= 1 / kMax;
  };
  gate.argument = value;
  while (Operation *op = gate.argument.getDefiningOp()) {
    if (isa<arith::NegFOp>(op)) {
      gate.argument = op->getOperand(0);
      gate.linear = -gate.linear;
      continue;
    }
    Value factor;
    if (isa<arith::MulFOp>(op))
      for (unsigned i : {0, 1})
        if (std::optional<double> constant = constantOf(op->getOperand(i));
            constant && isMild(*constant * gate.linear)) {
          gate.linear *= *constant;
          factor = op->getOperand(1 - i);
          break;
        }
    if (!factor)
      break;
    gate.argument = factor;
  }
  Value y = squareBelow(gate.argument);
  auto cubic = y ? cubicOf(gate.argument, y) : std::nullopt;
  if (!cubic || (*cubic)[0] != 0 || (*cubic)[2] != 0 ||
      !((*cubic)[1] * (*cubic)[3] > 0) || !isMild(gate.linear * (*cubic)[1]) ||
      !isMild(gate.linear * (*cubic)[3]) || gate.sigmoid == EpilogueGate::erf)
    return;
  gate.argument = y;
  gate.cubic = gate.linear * (*cubic)[3];
  gate.linear *= (*cubic)[1];
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// The other operand of an addition of 1, or null.
static Value plusOne(Operation *op) {
  if (!isa_and_present<arith::AddFOp>(op) ||
      !op->getResult(0).getType().isF32())
    return Value();
  for (unsigned i : {0, 1})
    if (matchPattern(op->getOperand(1 - i), m_OneFloat()))
      return op->getOperand(i);
  return Value();
}

/// 1 + tanh u, 1 + erf u.
static std::optional<EpilogueGate> matchPlusOne(Operation *op) {
  Value added = plusOne(op);
  Operation *function = added ? added.getDefiningOp() : nullptr;
  if (!isa_and_present<math::TanhOp, math::ErfOp>(function))
    return std::nullopt;
  EpilogueGate gate;
  gate.sigmoid =
      isa<math::TanhOp>(function) ? EpilogueGate::tanh : EpilogueGate::erf;
  takeArgument(function->getOperand(0), gate);
  return gate;
}

/// x / (1 + exp u).
static std::optional<EpilogueGate> matchLogistic(Operation *op) {
  if (!isa<arith::DivFOp>(op) || !op->getResult(0).getType().isF32())
    return std::nullopt;
  Value added = plusOne(op->getOperand(1).getDefiningOp());
  auto function = added ? added.getDefiningOp<math::ExpOp>() : math::ExpOp();
  if (!function)
    return std::nullopt;
  EpilogueGate gate;
  gate.sigmoid = EpilogueGate::exp;
  gate.isHalved = true;
  takeArgument(function.getOperand(), gate);
  if (!matchPattern(op->getOperand(0), m_OneFloat()))
    gate.factor = op->getOperand(0);
  return gate;
}

/// Of two factors, the one that `is` accepts (a half, or a sigmoid plus one),
/// and the other one.
template <typename Is>
static Value otherFactor(Operation *op, Is is) {
  if (!isa_and_present<arith::MulFOp>(op))
    return Value();
  for (unsigned i : {0, 1})
    if (is(op->getOperand(i)))
      return op->getOperand(1 - i);
  return Value();
}

/// The product of a half, x, and a sigmoid plus one, in any order.
static std::optional<EpilogueGate> matchHalved(Operation *op) {
  auto isHalf = [](Value value) { return constantOf(value) == 0.5; };
  std::optional<EpilogueGate> gate;
  auto isPlusOne = [&](Value value) {
    Operation *sum = value.getDefiningOp();
    gate = sum ? matchPlusOne(sum) : std::nullopt;
    return gate.has_value();
  };
  Value factor;
  auto take = [&](Value found) {
    factor = found;
    return bool(found);
  };
  // (0.5 x) s, 0.5 (x s), x (0.5 s).
  auto isHalvedFactor = [&](Value value) {
    return take(otherFactor(value.getDefiningOp(), isHalf));
  };
  auto isGatedFactor = [&](Value value) {
    return take(otherFactor(value.getDefiningOp(), isPlusOne));
  };
  Value other = otherFactor(op, isPlusOne);
  bool isFound = other && (isHalf(other) || isHalvedFactor(other));
  if (!isFound && (other = otherFactor(op, isHalf)))
    isFound = isGatedFactor(other);
  if (!isFound) {
    auto isHalvedGate = [&](Value value) {
      Value gated = otherFactor(value.getDefiningOp(), isHalf);
      return gated && isPlusOne(gated);
    };
    factor = otherFactor(op, isHalvedGate);
    isFound = bool(factor);
  }
  if (!isFound)
    return std::nullopt;
  gate->isHalved = true;
  gate->factor = factor;
  return gate;
}

std::optional<EpilogueGate> EpilogueGate::match(Operation *op) {
  if (isa<arith::MulFOp>(op))
    return matchHalved(op);
  if (isa<arith::DivFOp>(op))
    return matchLogistic(op);
  return matchPlusOne(op);
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

Value EpilogueGate::expand(OpBuilder &builder, Location loc, Value argument,
                           Value factor) const {
  FloatValue x(builder, loc, argument);
  FloatValue result =
      sigmoid == erf
          ? formulas::gateOfErf(x, linear, isHalved)
          : formulas::gateOfPower(x, (sigmoid == tanh ? -2.0 : 1.0) * linear,
                                  (sigmoid == tanh ? -2.0 : 1.0) * cubic,
                                  isHalved);
  return factor ? result * FloatValue(builder, loc, factor) : result;
}
