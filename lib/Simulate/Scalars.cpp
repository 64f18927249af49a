//===- Scalars.cpp - Element types and the math of epilogues --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions by hand, because APFloat takes longer than a product; ops by
// name, as many as dialects/Hone/Epilogue.cpp lets into an epilogue.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "dialects/Hone/Hone.h"
#include "hone/Measure/Tolerance.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) {
    float small = float(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return llvm::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

static uint16_t toHalf(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value), size = bits & 0x7fffffff;
  uint16_t sign = bits >> 16 & 0x8000;
  constexpr uint32_t kInfinity = 0x7f800000;
  if (size > kInfinity)
    return sign | 0x7e00;
  // Halfway between the largest number and the next that there would be.
  constexpr uint32_t kTooLarge = 0x477ff000;
  if (size >= kTooLarge)
    return sign | 0x7c00;
  // Below 2^-14 all share one unit, that of numbers next to a half.
  constexpr uint32_t kLeastNormal = 0x38800000;
  if (size < kLeastNormal)
    return sign | uint16_t(llvm::bit_cast<uint32_t>(
                               llvm::bit_cast<float>(size) + 0.5f) -
                           llvm::bit_cast<uint32_t>(0.5f));
  // A fraction that rounds up carries into the exponent by itself.
  constexpr uint32_t kBias = 127 - 15;
  uint32_t rounded = size + 0xfff + (size >> 13 & 1);
  return sign | uint16_t((rounded >> 13) - (kBias << 10));
}

float simulate::decode(ElementType type, const uint8_t *bytes) {
  if (sizeOf(type) == 1 || isInteger(type))
    return float(loadElement(type, bytes, 0));
  uint16_t half;
  std::memcpy(&half, bytes, sizeof half);
  if (type == ElementType::f16)
    return fromHalf(half);
  if (type == ElementType::bf16)
    return llvm::bit_cast<float>(uint32_t(half) << 16);
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

static uint16_t toBFloat(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

void simulate::encode(ElementType type, float value, uint8_t *bytes) {
  if (type == ElementType::f32) {
    std::memcpy(bytes, &value, sizeof value);
    return;
  }
  if (sizeOf(type) == 1 || isInteger(type))
    return storeElement(type, bytes, 0, value);
  uint16_t half = type == ElementType::f16 ? toHalf(value) : toBFloat(value);
  std::memcpy(bytes, &half, sizeof half);
}

float simulate::rounded(ElementType type, float value) {
  uint8_t bytes[4];
  encode(type, value, bytes);
  return decode(type, bytes);
}

/// Bits of an f32 that a tf32 has not.
static constexpr uint32_t kCutBits = 0x1fff;

float simulate::inTensorCores(float value) {
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) & ~kCutBits);
}

std::vector<float> simulate::splitOff(std::vector<float> &values) {
  std::vector<float> low;
  for (float &value : values) {
    uint32_t raised = llvm::bit_cast<uint32_t>(value) + (kCutBits + 1) / 2;
    float high = llvm::bit_cast<float>(raised & ~kCutBits);
    low.push_back(value - high);
    value = high;
  }
  return low;
}

ElementType simulate::toElement(Type type) {
  return toAnyElementType(type).value_or(ElementType::f32);
}

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
static Real compareFloats(arith::CmpFPredicate predicate, Real a, Real b) {
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
  return bits & is ? 1 : 0;
}

template <typename Real>
static Real evaluateOp(Operation &op, ArrayRef<Real> x) {
  return llvm::TypeSwitch<Operation *, Real>(&op)
      .Case([&](arith::AddFOp) { return x[0] + x[1]; })
      .Case([&](arith::AddIOp) { return x[0] + x[1]; })
      .Case([&](arith::SubFOp) { return x[0] - x[1]; })
      .Case([&](arith::SubIOp) { return x[0] - x[1]; })
      .Case([&](arith::MulFOp) { return x[0] * x[1]; })
      .Case([&](arith::MulIOp) { return x[0] * x[1]; })
      .Case([&](arith::DivFOp) { return x[0] / x[1]; })
      .Case([&](arith::NegFOp) { return -x[0]; })
      .Case([&](arith::MaximumFOp) { return minMax(x[0], x[1], true, true); })
      .Case([&](arith::MinimumFOp) { return minMax(x[0], x[1], false, true); })
      .Case([&](arith::MaxNumFOp) { return minMax(x[0], x[1], true, false); })
      .Case([&](arith::MinNumFOp) { return minMax(x[0], x[1], false, false); })
      .Case([&](arith::MaxSIOp) { return std::max(x[0], x[1]); })
      .Case([&](arith::MinSIOp) { return std::min(x[0], x[1]); })
      .Case([&](arith::SelectOp) { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](arith::CmpFOp cmp) {
        return compareFloats(cmp.getPredicate(), x[0], x[1]);
      })
      .Case([&](math::AbsFOp) { return std::abs(x[0]); })
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

template <typename Real>
static Real constantOf(Operation *op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    return Real(number.getValueAsDouble());
  APInt whole = cast<IntegerAttr>(value).getValue();
  return Real(whole.getBitWidth() == 1 ? whole.getZExtValue()
                                       : whole.getSExtValue());
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

float simulate::evaluateInFloat(Block &block, ArrayRef<float> arguments) {
  auto evaluate = [](Operation &op, ArrayRef<float> operands) {
    float value = evaluateOp<float>(op, operands);
    return isa<arith::TruncFOp, arith::SIToFPOp>(op)
               ? rounded(toElement(op.getResult(0).getType()), value)
               : value;
  };
  return walkBlock<float>(block, arguments, evaluate, constantOf<float>);
}

//===----------------------------------------------------------------------===//
// Regions with errors
//===----------------------------------------------------------------------===//

using Number = Inexact<double>;

/// Computed by a formula of ours, or an instruction that approximates.
static bool isApproximated(Operation &op) {
  return isa_and_nonnull<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::CopySignOp, math::FmaOp>(op);
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

/// The doubt of a condition is its error.
static Number evaluateSelect(ArrayRef<Number> x) {
  Number chosen = x[0].value != 0 ? x[1] : x[2];
  if (x[0].error != 0 && x[1].value != x[2].value)
    chosen.error =
        std::max(x[1].error, x[2].error) + std::abs(x[1].value - x[2].value);
  return chosen;
}

static Number evaluateNumber(Operation &op, ArrayRef<Number> x) {
  Number result;
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    result = settle(add(x[0], x[1]), x[0].error + x[1].error);
  else if (isa<arith::SubFOp, arith::SubIOp>(op))
    result = settle(subtract(x[0], x[1]), x[0].error + x[1].error);
  else if (isa<arith::MulFOp, arith::MulIOp>(op))
    result = settle(multiply(x[0], x[1]), x[0].error + x[1].error);
  else if (isa<arith::DivFOp>(op))
    result = settle(divide(x[0], x[1]), x[0].error + x[1].error);
  else if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>(op))
    result = x[0];
  else if (isa<arith::SelectOp>(op))
    return evaluateSelect(x);
  else if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return {compareFloats(cmp.getPredicate(), x[0].value, x[1].value),
            mayBeSwapped(x[0], x[1]) ? 1.0 : 0.0};
  else
    result = evaluateFunction(op, x);
  Type type = op.getResult(0).getType();
  return isa<FloatType>(type) ? roundInto(toElement(type), result) : result;
}

Number simulate::evaluateWithErrors(Block &block, ArrayRef<Number> arguments) {
  auto constant = [](Operation *op) -> Number {
    return {constantOf<double>(op), 0};
  };
  return walkBlock<Number>(block, arguments, evaluateNumber, constant);
}
