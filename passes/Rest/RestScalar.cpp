//===- RestScalar.cpp - Arithmetic of the rest without a library ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of linalg ops may hold more than epilogues do: integers, f64, powers,
// sines. An op with an instruction stays as it is. Functions without one are
// written out, the elementary ones as in epilogues (EpilogueMath.h).
//
//===----------------------------------------------------------------------===//

#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/Lower/EpilogueMath.h"
#include "passes/Rest/Rest.h"

using namespace mlir;
using namespace hone;

/// Powers up to this exponent become products.
static constexpr int64_t kMaxFactors = 16;

//===----------------------------------------------------------------------===//
// Numbers that emit IR
//===----------------------------------------------------------------------===//

namespace {
/// A float of any width.
struct Number {
  OpBuilder *builder;
  Location loc;
  Value value;

  Number wrap(Value result) const { return {builder, loc, result}; }
  Number constant(double number) const {
    auto attribute = builder->getFloatAttr(value.getType(), number);
    return wrap(arith::ConstantOp::create(*builder, loc, attribute));
  }
  Number to(Type type) const {
    unsigned from = value.getType().getIntOrFloatBitWidth();
    if (value.getType() == type)
      return *this;
    if (from < type.getIntOrFloatBitWidth())
      return wrap(arith::ExtFOp::create(*builder, loc, type, value));
    return wrap(arith::TruncFOp::create(*builder, loc, type, value));
  }
  friend Number operator*(Number a, Number b) {
    return a.wrap(arith::MulFOp::create(*a.builder, a.loc, a.value, b.value));
  }
  friend Number operator/(Number a, Number b) {
    return a.wrap(arith::DivFOp::create(*a.builder, a.loc, a.value, b.value));
  }
  friend Number fma(Number a, Number b, Number c) {
    return a.wrap(LLVM::FMAOp::create(*a.builder, a.loc, a.value.getType(),
                                      a.value, b.value, c.value));
  }
  /// The polynomial with these coefficients, highest power first.
  Number polynomial(std::initializer_list<double> coefficients) const {
    auto next = coefficients.begin();
    Number sum = constant(*next);
    while (++next != coefficients.end())
      sum = fma(sum, *this, constant(*next));
    return sum;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// sin(x), or cos(x), of an f32: x minus a multiple k of pi / 2, in f64, where
/// that is exact to 2^-70 for all x below 2^50; then the Taylor series of the
/// sine and of the cosine, which by pi / 4 are off by less than 2^-28.
/// `quarter` is 1 for the cosine, which is a sine shifted by a quarter.
static Number sineOf(Number x, int64_t quarter) {
  OpBuilder &builder = *x.builder;
  Number wide = x.to(builder.getF64Type());
  Number k = wide * wide.constant(0x1.45f306dc9c883p-1); // 2 / pi
  k = k.wrap(LLVM::RintOp::create(builder, x.loc, k.value));
  Number rest = fma(k, k.constant(-0x1.921fb54442d18p+0), wide);
  rest = fma(k, k.constant(-0x1.1a62633145c07p-54), rest);
  // k modulo 4, as a float first: an integer may be too small for k.
  Number fourth = k * k.constant(0.25);
  fourth = k.wrap(LLVM::FFloorOp::create(builder, x.loc, fourth.value));
  Value turn =
      arith::FPToSIOp::create(builder, x.loc, builder.getI32Type(),
                              fma(fourth, fourth.constant(-4), k).value);
  auto integer = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(builder, x.loc,
                                     builder.getI32IntegerAttr(number));
  };
  turn = arith::AddIOp::create(builder, x.loc, turn, integer(quarter));
  auto isSet = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(builder, x.loc, turn, integer(bit));
    return arith::CmpIOp::create(builder, x.loc, arith::CmpIPredicate::ne,
                                 masked, integer(0));
  };
  Number r = rest.to(x.value.getType()), square = r * r;
  Number sine = r * square.polynomial(
                        {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0});
  Number cosine = square.polynomial(
      {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0});
  Value chosen = arith::SelectOp::create(builder, x.loc, isSet(1), cosine.value,
                                         sine.value);
  Value negative = arith::NegFOp::create(builder, x.loc, chosen);
  return x.wrap(
      arith::SelectOp::create(builder, x.loc, isSet(2), negative, chosen));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// The constant exponent of a power, if it is one of those that are products
/// and roots: a multiple of one half.
static std::optional<double> exponentOf(Operation *op) {
  double exponent;
  APInt integer;
  APFloat number(0.0f);
  if (isa<math::FPowIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&integer)))
    exponent = integer.getSExtValue();
  else if (isa<math::PowFOp>(op) &&
           matchPattern(op->getOperand(1), m_ConstantFloat(&number)))
    exponent = number.convertToDouble();
  else
    return std::nullopt;
  bool isRoot = exponent == 0.5 || exponent == -0.5;
  bool isProduct =
      exponent == int64_t(exponent) && std::abs(exponent) <= kMaxFactors;
  return isRoot || isProduct ? std::optional(exponent) : std::nullopt;
}

/// For minus infinity and -0, pow(x, 0.5) differs from the root. The difference
/// is accepted.
static Number powerOf(Number x, double exponent) {
  auto root = [&](Number of) {
    return of.wrap(LLVM::SqrtOp::create(*x.builder, x.loc, of.value));
  };
  Number result = x.constant(1);
  if (exponent == 0.5 || exponent == -0.5) {
    result = root(x);
  } else {
    Number square = x;
    for (auto left = int64_t(std::abs(exponent)); left; left /= 2) {
      if (left % 2)
        result = result * square;
      square = square * square;
    }
  }
  return exponent < 0 ? result.constant(1) / result : result;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static bool isNarrowFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type);
}

bool hone::isRestScalar(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return true;
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  bool isNarrow = llvm::all_of(op->getOperandTypes(), isNarrowFloat);
  using L = ScalarOp::Lowering;
  switch (row ? row->lowering : L::none) {
  case L::none:
    return false;
  case L::instruction:
  case L::extremum:
    return true;
  case L::power:
    return exponentOf(op).has_value();
  case L::sine:
  case L::cosine:
  case L::intrinsic:
  case L::exp:
  case L::exp2:
  case L::log:
  case L::log2:
  case L::tanh:
  case L::erf:
  case L::rsqrt:
    return isNarrow || row->is(ScalarOp::onDouble);
  }
  llvm_unreachable("a lowering");
}

/// Ops on f64 that conversions from the math dialect would call a library for.
static Value emitWide(OpBuilder &builder, Operation *op, const ScalarOp &row,
                      ValueRange in) {
  Location loc = op->getLoc();
  if (!in[0].getType().isF64())
    return nullptr;
  if (row.lowering == ScalarOp::Lowering::intrinsic)
    return emitIntrinsic(builder, loc, row, in);
  if (row.lowering == ScalarOp::Lowering::rsqrt)
    return powerOf({&builder, loc, in[0]}, -0.5).value;
  if (row.lowering != ScalarOp::Lowering::extremum)
    return nullptr;
  // No instruction propagates a NaN.
  Value chosen =
      isa<arith::MaximumFOp>(op)
          ? Value(LLVM::MaxNumOp::create(builder, loc, in[0], in[1]))
          : Value(LLVM::MinNumOp::create(builder, loc, in[0], in[1]));
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, in[0], in[1]);
  Value sum = arith::AddFOp::create(builder, loc, in[0], in[1]);
  return arith::SelectOp::create(builder, loc, isNumber, chosen, sum);
}

Value hone::emitRestScalar(OpBuilder &builder, Operation *op,
                           ValueRange operands) {
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  if (Value wide = row ? emitWide(builder, op, *row, operands) : Value())
    return wide;
  using L = ScalarOp::Lowering;
  L lowering = row ? row->lowering : L::none;
  if (llvm::is_contained({L::power, L::sine, L::cosine}, lowering)) {
    Type type = op->getResult(0).getType(), f32 = builder.getF32Type();
    Number x = {&builder, op->getLoc(), operands[0]};
    if (isNarrowFloat(type))
      x = x.to(f32);
    Number result = lowering == L::power ? powerOf(x, *exponentOf(op))
                                         : sineOf(x, lowering == L::cosine);
    return result.to(type).value;
  }
  if (Value expanded = expandMath(builder, op, operands))
    return expanded;
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  return clone->getResult(0);
}
