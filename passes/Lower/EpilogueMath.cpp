//===- EpilogueMath.cpp - Epilogue ops as plain instructions --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are three kinds of op. Functions without an instruction go through the
// formulas, in f32. Ops that are one instruction become their LLVM intrinsic in
// this file, because the conversion from the GPU dialect would call the library
// even for these (math.absf, math.fma, arith.maxnumf). All other arith ops
// stay.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/EpilogueMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Lower/EpilogueFormulas.h"
#include "passes/Lower/FloatValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;

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
      .Case([&](math::RoundOp) {
        return LLVM::RoundOp::create(builder, loc, in[0]);
      })
      .Case([&](math::RoundEvenOp) {
        return LLVM::RoundEvenOp::create(builder, loc, in[0]);
      })
      .Case([&](math::TruncOp) {
        return LLVM::FTruncOp::create(builder, loc, in[0]);
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
             math::FmaOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op) ||
         isa<arith::AddFOp, arith::CmpFOp, arith::ConstantOp, arith::DivFOp,
             arith::ExtFOp, arith::MaxNumFOp, arith::MaximumFOp,
             arith::MinNumFOp, arith::MinimumFOp, arith::MulFOp, arith::NegFOp,
             arith::SIToFPOp, arith::SelectOp, arith::SubFOp, arith::TruncFOp,
             arith::UIToFPOp>(op);
}
