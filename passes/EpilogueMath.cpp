//===- EpilogueMath.cpp - Epilogue ops as plain instructions --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three kinds of op. Functions without an instruction go through the formulas,
// in f32. Ops that are one instruction become their LLVM intrinsic here and
// now, because the conversion from the GPU dialect would call the library even
// for these (math.absf, math.fma, arith.maxnumf). All other arith ops stay.
//
//===----------------------------------------------------------------------===//

#include "passes/EpilogueMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/EpilogueFormulas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// The number that writes itself out
//===----------------------------------------------------------------------===//

namespace {

/// An f32 in the sense of EpilogueFormulas.h.
class FloatValue {
public:
  FloatValue(OpBuilder &builder, Location loc, Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator Value() const { return value; }

  FloatValue constant(float number) const {
    return wrap(arith::ConstantOp::create(*builder, loc,
                                          builder->getF32FloatAttr(number)));
  }

  friend FloatValue operator+(FloatValue a, FloatValue b) {
    return a.emit<arith::AddFOp>(a, b);
  }
  friend FloatValue operator*(FloatValue a, FloatValue b) {
    return a.emit<arith::MulFOp>(a, b);
  }
  friend FloatValue fma(FloatValue a, FloatValue b, FloatValue c) {
    return a.emit<LLVM::FMAOp>(a, b, c);
  }
  friend FloatValue absolute(FloatValue x) { return x.emit<LLVM::FAbsOp>(x); }
  friend FloatValue copySign(FloatValue magnitude, FloatValue sign) {
    return magnitude.emit<LLVM::CopySignOp>(magnitude, sign);
  }
  friend FloatValue chooseBelow(FloatValue x, float bound, FloatValue ifBelow,
                                FloatValue ifNot) {
    Value below = arith::CmpFOp::create(
        *x.builder, x.loc, arith::CmpFPredicate::OLT, x, x.constant(bound));
    return x.wrap(
        arith::SelectOp::create(*x.builder, x.loc, below, ifBelow, ifNot));
  }

  friend FloatValue exp2Approx(FloatValue x) {
    return x.call("llvm.nvvm.ex2.approx.ftz.f32");
  }
  friend FloatValue log2Approx(FloatValue x) {
    return x.call("llvm.nvvm.lg2.approx.f");
  }
  friend FloatValue rcpApprox(FloatValue x) {
    return x.call("llvm.nvvm.rcp.approx.ftz.f");
  }
  friend FloatValue rsqrtApprox(FloatValue x) {
    return x.call("llvm.nvvm.rsqrt.approx.f");
  }

private:
  FloatValue wrap(Value result) const { return {*builder, loc, result}; }
  template <typename Op, typename... Operands>
  FloatValue emit(Operands... operands) const {
    return wrap(Op::create(*builder, loc, Value(operands)...));
  }
  FloatValue call(StringRef intrinsic) const {
    return wrap(LLVM::CallIntrinsicOp::create(*builder, loc, value.getType(),
                                              builder->getStringAttr(intrinsic),
                                              ValueRange{value})
                    .getResult(0));
  }

  OpBuilder *builder;
  Location loc;
  Value value;
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

using Formula = FloatValue (*)(FloatValue);

/// The formula for a function that has no instruction; null for other ops.
static Formula formulaOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Formula>(op)
      .Case([](math::ExpOp) { return formulas::exp<FloatValue>; })
      .Case([](math::Exp2Op) { return formulas::exp2<FloatValue>; })
      .Case([](math::LogOp) { return formulas::log<FloatValue>; })
      .Case([](math::Log2Op) { return formulas::log2<FloatValue>; })
      .Case([](math::TanhOp) { return formulas::tanh<FloatValue>; })
      .Case([](math::ErfOp) { return formulas::erf<FloatValue>; })
      .Case([](math::RsqrtOp) { return formulas::rsqrt<FloatValue>; })
      .Default(Formula(nullptr));
}

static Value applyInF32(OpBuilder &builder, Location loc, Formula formula,
                        Value operand) {
  Type type = operand.getType(), f32 = builder.getF32Type();
  if (type != f32)
    operand = arith::ExtFOp::create(builder, loc, f32, operand);
  Value result = formula(FloatValue(builder, loc, operand));
  if (type != f32)
    result = arith::TruncFOp::create(builder, loc, type, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// `op` as the LLVM intrinsic that is one instruction; null for other ops.
static Value emitIntrinsic(OpBuilder &builder, Operation *op, ValueRange in) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::AbsFOp) {
        return LLVM::FAbsOp::create(builder, loc, in[0]);
      })
      .Case([&](math::SqrtOp) {
        return LLVM::SqrtOp::create(builder, loc, in[0]);
      })
      .Case([&](math::FloorOp) {
        return LLVM::FFloorOp::create(builder, loc, in[0]);
      })
      .Case([&](math::CeilOp) {
        return LLVM::FCeilOp::create(builder, loc, in[0]);
      })
      .Case([&](math::FmaOp) {
        return LLVM::FMAOp::create(builder, loc, in[0], in[1], in[2]);
      })
      .Case([&](math::CopySignOp) {
        return LLVM::CopySignOp::create(builder, loc, in[0], in[1]);
      })
      .Case([&](arith::MaxNumFOp) {
        return LLVM::MaxNumOp::create(builder, loc, in[0], in[1]);
      })
      .Case([&](arith::MinNumFOp) {
        return LLVM::MinNumOp::create(builder, loc, in[0], in[1]);
      })
      .Default(Value());
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static bool isFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type);
}

Value hone::expandMath(OpBuilder &builder, Operation *op, ValueRange operands) {
  if (!llvm::all_of(operands.getTypes(), isFloat))
    return nullptr;
  if (Formula formula = formulaOf(op))
    return applyInF32(builder, op->getLoc(), formula, operands[0]);
  return emitIntrinsic(builder, op, operands);
}

Operation *hone::sigmoidPlusOne(Operation *op) {
  if (!isa<arith::AddFOp>(op) || !op->getResult(0).getType().isF32())
    return nullptr;
  for (unsigned i : {0, 1}) {
    Operation *function = op->getOperand(i).getDefiningOp();
    if (isa_and_present<math::TanhOp, math::ErfOp>(function) &&
        matchPattern(op->getOperand(1 - i), m_OneFloat()))
      return function;
  }
  return nullptr;
}

Value hone::expandPlusOne(OpBuilder &builder, Operation *sigmoid,
                          Value operand) {
  FloatValue x(builder, sigmoid->getLoc(), operand);
  return isa<math::TanhOp>(sigmoid) ? formulas::onePlusTanh(x)
                                    : formulas::onePlusErf(x);
}

bool hone::needsNoLibrary(Operation *op) {
  auto known = [](Type type) {
    return isFloat(type) || type.isSignlessInteger(1) ||
           type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
           type.isSignlessInteger(32) || type.isSignlessInteger(64);
  };
  if (!llvm::all_of(op->getOperandTypes(), known) ||
      !llvm::all_of(op->getResultTypes(), known))
    return false;
  return formulaOf(op) ||
         isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::SqrtOp>(op) ||
         isa<arith::AddFOp, arith::CmpFOp, arith::ConstantOp, arith::DivFOp,
             arith::ExtFOp, arith::MaxNumFOp, arith::MaximumFOp,
             arith::MinNumFOp, arith::MinimumFOp, arith::MulFOp, arith::NegFOp,
             arith::SIToFPOp, arith::SelectOp, arith::SubFOp, arith::TruncFOp,
             arith::UIToFPOp>(op);
}
