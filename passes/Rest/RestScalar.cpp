//===- RestScalar.cpp - Arithmetic of the rest without a library ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of linalg ops may hold more than epilogues do: integers, f64, powers,
// sines, remainders. An op with an instruction stays as it is. Functions
// without one are written out, the elementary ones as in epilogues
// (EpilogueMath.h), and those of RestFormulas.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/Lower/EpilogueMath.h"
#include "passes/Lower/FloatValue.h"
#include "passes/Rest/Rest.h"
#include "passes/Rest/RestFormulas.h"

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

/// x to the power of an integer. Where the integer is not an f32, the rest of
/// it is a second exponent; i64 beyond 2^24 are rounded.
static FloatValue powerOfInteger(OpBuilder &builder, Location loc, FloatValue x,
                                 Value exponent) {
  Type type = exponent.getType(), i64 = builder.getI64Type();
  auto toFloat = [&](Value integer) {
    return FloatValue(
        builder, loc,
        arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer));
  };
  FloatValue y = toFloat(exponent), low = x.constant(0.0f);
  if (type.getIntOrFloatBitWidth() < 64) {
    Value whole = arith::ExtSIOp::create(builder, loc, i64, exponent);
    Value rounded = arith::FPToSIOp::create(builder, loc, i64, y);
    low = toFloat(arith::SubIOp::create(builder, loc, whole, rounded));
  }
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  Value odd = arith::AndIOp::create(builder, loc, exponent, number(1));
  FloatValue isEven =
      toFloat(arith::XOrIOp::create(builder, loc, odd, number(1)));
  return formulas::withSign(x, formulas::powerOfMagnitude(x, y, low), isEven);
}

/// Any power in f32.
static FloatValue generalPower(OpBuilder &builder, Operation *op, FloatValue x,
                               Number exponent) {
  Location loc = op->getLoc();
  if (isa<math::FPowIOp>(op))
    return powerOfInteger(builder, loc, x, exponent.value);
  FloatValue y(builder, loc, exponent.to(builder.getF32Type()).value);
  APFloat base(0.0f);
  if (matchPattern(op->getOperand(0), m_ConstantFloat(&base)) &&
      base.isFiniteNonZero() && !base.isNegative() && !base.isExactlyValue(1))
    return formulas::powerOfConstant(base.convertToDouble(), y);
  return formulas::pow(x, y);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// The remainder of two f32, exactly: in f64 a quotient below 2^28 and its
/// product with the divisor are exact. Larger quotients take several steps,
/// with multiples of the divisor.
static Number remainderOf(Number x, Number y) {
  constexpr int kBits = 28, kLargestQuotient = 278;
  OpBuilder &builder = *x.builder;
  Type f32 = x.value.getType(), f64 = builder.getF64Type();
  auto size = [&](Number of) {
    return of.wrap(LLVM::FAbsOp::create(builder, x.loc, of.value)).to(f64);
  };
  auto choose = [&](arith::CmpFPredicate predicate, Number a, Number b,
                    Number ifTrue, Number ifNot) {
    Value holds =
        arith::CmpFOp::create(builder, x.loc, predicate, a.value, b.value);
    return a.wrap(arith::SelectOp::create(builder, x.loc, holds, ifTrue.value,
                                          ifNot.value));
  };
  Number left = size(x), divisor = size(y), zero = left.constant(0);
  for (int step = kLargestQuotient / kBits; step >= 0; --step) {
    Number by = divisor * divisor.constant(std::ldexp(1.0, step * kBits));
    Number quotient = left / by;
    quotient =
        quotient.wrap(LLVM::FTruncOp::create(builder, x.loc, quotient.value));
    Number next = fma(quotient * quotient.constant(-1), by, left);
    // The quotient may have been rounded up to a whole number.
    left = choose(arith::CmpFPredicate::OLT, next, zero,
                  fma(by, by.constant(1), next), next);
  }
  // A number is its own remainder by infinity; infinity has none.
  Number own = fma(size(x), zero, size(x));
  left = choose(arith::CmpFPredicate::OEQ, divisor, zero.constant(INFINITY),
                own, left);
  return x.wrap(
      LLVM::CopySignOp::create(builder, x.loc, left.to(f32).value, x.value));
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
    return exponentOf(op) || isNarrowFloat(op->getOperand(0).getType());
  case L::expm1:
  case L::log1p:
  case L::atan2:
  case L::remainder:
    return isNarrow;
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

/// A function of this file on floats, which are computed in f32 if they are
/// narrow; null for other ops.
static Value emitOwn(OpBuilder &builder, Operation *op,
                     ScalarOp::Lowering lowering, ValueRange in) {
  Type type = op->getResult(0).getType(), f32 = builder.getF32Type();
  Location loc = op->getLoc();
  auto wide = [&](unsigned i) {
    Number own = {&builder, loc, in[i]};
    return isNarrowFloat(own.value.getType()) ? own.to(f32) : own;
  };
  auto real = [&](unsigned i) {
    return FloatValue(builder, loc, wide(i).value);
  };
  auto result = [&](Value value) {
    return Number{&builder, loc, value}.to(type).value;
  };
  using L = ScalarOp::Lowering;
  switch (lowering) {
  case L::power:
    if (std::optional<double> exponent = exponentOf(op))
      return result(powerOf(wide(0), *exponent).value);
    return result(generalPower(builder, op, real(0), wide(1)));
  case L::sine:
  case L::cosine:
    return result(sineOf(wide(0), lowering == L::cosine).value);
  case L::expm1:
    return result(formulas::expm1(real(0)));
  case L::log1p:
    return result(formulas::log1p(real(0)));
  case L::atan2:
    return result(formulas::atan2(real(0), real(1)));
  case L::remainder:
    return result(remainderOf(wide(0), wide(1)).value);
  default:
    return nullptr;
  }
}

Value hone::emitRestScalar(OpBuilder &builder, Operation *op,
                           ValueRange operands) {
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  if (Value wide = row ? emitWide(builder, op, *row, operands) : Value())
    return wide;
  if (Value own = row ? emitOwn(builder, op, row->lowering, operands) : Value())
    return own;
  if (Value expanded = expandMath(builder, op, operands))
    return expanded;
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  return clone->getResult(0);
}
