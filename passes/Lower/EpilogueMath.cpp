//===- EpilogueMath.cpp - Epilogue ops as plain instructions --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are three kinds of op (ScalarOp::Lowering). Functions without an
// instruction go through the formulas, in f32. Ops that are one instruction
// become their LLVM intrinsic in this file, because the conversion from the GPU
// dialect would call the library even for these (math.absf, math.fma,
// arith.maxnumf). All other arith ops stay.
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/EpilogueMath.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "passes/Lower/EpilogueFormulas.h"
#include "passes/Lower/FloatValue.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

using Formula = FloatValue (*)(FloatValue);

/// The formula for a function that has no instruction; null for other ops.
static Formula formulaOf(ScalarOp::Lowering lowering) {
  using L = ScalarOp::Lowering;
  switch (lowering) {
  case L::exp:
    return formulas::exp<FloatValue>;
  case L::exp2:
    return formulas::exp2<FloatValue>;
  case L::log:
    return formulas::log<FloatValue>;
  case L::log2:
    return formulas::log2<FloatValue>;
  case L::tanh:
    return formulas::tanh<FloatValue>;
  case L::erf:
    return formulas::erf<FloatValue>;
  case L::rsqrt:
    return formulas::rsqrt<FloatValue>;
  case L::none:
  case L::instruction:
  case L::intrinsic:
  case L::extremum:
  case L::power:
  case L::sine:
  case L::cosine:
  case L::expm1:
  case L::log1p:
  case L::atan2:
  case L::remainder:
    return nullptr;
  }
  llvm_unreachable("a lowering");
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
// Interface
//===----------------------------------------------------------------------===//

Value hone::emitIntrinsic(OpBuilder &builder, Location loc, const ScalarOp &op,
                          ValueRange operands) {
  OperationState state(loc, op.intrinsic);
  state.addOperands(operands);
  state.addTypes(operands[0].getType());
  return builder.create(state)->getResult(0);
}

Value hone::expandMath(OpBuilder &builder, Operation *op, ValueRange operands) {
  const ScalarOp *row = findScalarOp(op->getName().getStringRef());
  if (!row ||
      !llvm::all_of(operands.getTypes(),
                    llvm::IsaPred<Float16Type, BFloat16Type, Float32Type>))
    return nullptr;
  if (Formula formula = formulaOf(row->lowering))
    return applyInF32(builder, op->getLoc(), formula, operands[0]);
  if (row->lowering == ScalarOp::Lowering::intrinsic)
    return emitIntrinsic(builder, op->getLoc(), *row, operands);
  return nullptr;
}
