//===- FloatValue.h - An f32 that emits IR ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number type with which the formulas of EpilogueFormulas.h emit IR.
// Private to passes/.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_FLOATVALUE_H
#define HONE_PASSES_LOWER_FLOATVALUE_H

#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hone {

/// An f32 in the sense of EpilogueFormulas.h.
class FloatValue {
public:
  FloatValue(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }

  FloatValue constant(float number) const {
    return wrap(mlir::arith::ConstantOp::create(
        *builder, loc, builder->getF32FloatAttr(number)));
  }

  friend FloatValue operator+(FloatValue a, FloatValue b) {
    return a.emit<mlir::arith::AddFOp>(a, b);
  }
  friend FloatValue operator*(FloatValue a, FloatValue b) {
    return a.emit<mlir::arith::MulFOp>(a, b);
  }
  friend FloatValue operator/(FloatValue a, FloatValue b) {
    return a.emit<mlir::arith::DivFOp>(a, b);
  }
  friend FloatValue fma(FloatValue a, FloatValue b, FloatValue c) {
    return a.emit<mlir::LLVM::FMAOp>(a, b, c);
  }
  friend FloatValue absolute(FloatValue x) {
    return x.emit<mlir::LLVM::FAbsOp>(x);
  }
  friend FloatValue copySign(FloatValue magnitude, FloatValue sign) {
    return magnitude.emit<mlir::LLVM::CopySignOp>(magnitude, sign);
  }
  friend FloatValue roundEven(FloatValue x) {
    return x.emit<mlir::LLVM::RintOp>(x);
  }
  friend FloatValue chooseLess(FloatValue a, FloatValue b, FloatValue ifLess,
                               FloatValue ifNot) {
    mlir::Value less = mlir::arith::CmpFOp::create(
        *a.builder, a.loc, mlir::arith::CmpFPredicate::OLT, a, b);
    return a.wrap(
        mlir::arith::SelectOp::create(*a.builder, a.loc, less, ifLess, ifNot));
  }
  friend FloatValue chooseBelow(FloatValue x, float bound, FloatValue ifBelow,
                                FloatValue ifNot) {
    return chooseLess(x, x.constant(bound), ifBelow, ifNot);
  }

  friend FloatValue exp2Approx(FloatValue x) { return x.call(kExp2Approx); }
  friend FloatValue log2Approx(FloatValue x) { return x.call(kLog2Approx); }
  friend FloatValue rcpApprox(FloatValue x) { return x.call(kRcpApprox); }
  friend FloatValue rsqrtApprox(FloatValue x) { return x.call(kRsqrtApprox); }

private:
  FloatValue wrap(mlir::Value result) const { return {*builder, loc, result}; }
  template <typename Op, typename... Operands>
  FloatValue emit(Operands... operands) const {
    return wrap(Op::create(*builder, loc, mlir::Value(operands)...));
  }
  FloatValue call(llvm::StringRef intrinsic) const {
    return wrap(mlir::LLVM::CallIntrinsicOp::create(
                    *builder, loc, value.getType(),
                    builder->getStringAttr(intrinsic), mlir::ValueRange{value})
                    .getResult(0));
  }

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

} // namespace hone

#endif // HONE_PASSES_LOWER_FLOATVALUE_H
