//===- ErrorCarrier.h - Module with error-carrying floats -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two halves of ReferenceErrors.h: numbers with errors as values of the IR,
// for which the formulas of hone/Numerics/ErrorBound.h emit ops, and the walk
// that replaces the arithmetic of a module by them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_REFERENCE_ERRORCARRIER_H
#define HONE_LIB_REFERENCE_ERRORCARRIER_H

#include "hone/Numerics/ErrorBound.h"
#include "hone/Reference/ReferenceErrors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace hone::detail {

//===----------------------------------------------------------------------===//
// Numbers as IR values
//===----------------------------------------------------------------------===//

struct Emitted {
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;

  Emitted with(mlir::Value other) const { return {builder, loc, other}; }
  template <typename Op>
  Emitted make(mlir::Value right) const {
    return with(Op::create(*builder, loc, value, right));
  }
};
using Number = Inexact<Emitted>;

// The formulas find these by argument-dependent lookup.
inline Emitted operator+(Emitted x, Emitted y) {
  return x.make<mlir::arith::AddFOp>(y.value);
}
inline Emitted operator-(Emitted x, Emitted y) {
  return x.make<mlir::arith::SubFOp>(y.value);
}
inline Emitted operator*(Emitted x, Emitted y) {
  return x.make<mlir::arith::MulFOp>(y.value);
}
inline Emitted operator/(Emitted x, Emitted y) {
  return x.make<mlir::arith::DivFOp>(y.value);
}
inline Emitted constantLike(Emitted like, double value) {
  auto type = mlir::Float64Type::get(like.builder->getContext());
  return like.with(mlir::arith::ConstantOp::create(
      *like.builder, like.loc, type, like.builder->getFloatAttr(type, value)));
}
inline Emitted absolute(Emitted x) {
  return x.with(mlir::math::AbsFOp::create(*x.builder, x.loc, x.value));
}
inline Emitted compare(mlir::arith::CmpFPredicate predicate, Emitted x,
                       Emitted y) {
  return x.with(mlir::arith::CmpFOp::create(*x.builder, x.loc, predicate,
                                            x.value, y.value));
}
inline Emitted isBelow(Emitted x, Emitted y) {
  return compare(mlir::arith::CmpFPredicate::OLT, x, y);
}
inline Emitted isSame(Emitted x, Emitted y) {
  return compare(mlir::arith::CmpFPredicate::OEQ, x, y);
}
inline Emitted isNaN(Emitted x) {
  return compare(mlir::arith::CmpFPredicate::UNO, x, x);
}
inline Emitted both(Emitted x, Emitted y) {
  return x.make<mlir::arith::AndIOp>(y.value);
}
inline Emitted either(Emitted x, Emitted y) {
  return x.make<mlir::arith::OrIOp>(y.value);
}
inline Emitted choose(Emitted which, Emitted ifTrue, Emitted ifFalse) {
  return which.with(mlir::arith::SelectOp::create(
      *which.builder, which.loc, which.value, ifTrue.value, ifFalse.value));
}

//===----------------------------------------------------------------------===//
// Replacement of a module's arithmetic
//===----------------------------------------------------------------------===//

class ErrorCarrier {
public:
  ErrorCarrier(mlir::ModuleOp module, Decisions decisions)
      : module(module), builder(module.getContext()), decisions(decisions) {}

  llvm::Error run();
  bool hasDecisions = false;

private:
  void noteRoundings();
  void replaceTypes();
  llvm::Error rewrite(mlir::Operation *op);
  llvm::Error rewriteConstant(mlir::arith::ConstantOp op);
  void rewriteCompare(mlir::arith::CmpFOp op);
  void rewriteToInteger(mlir::Operation *op);
  void rewriteSelect(mlir::arith::SelectOp op);
  void spreadDoubt(mlir::Operation *op);
  void lookForDecisions();

  Number evaluate(mlir::Operation *op);
  Number inAnyOrder(double roundoff, Number sum, Emitted term);
  Number evaluateFunction(mlir::Operation *op);
  Number fromInteger(mlir::Operation *op);
  mlir::Value call(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

  Emitted emitted(mlir::Operation *at, mlir::Value value) {
    return {&builder, at->getLoc(), value};
  }
  Number unpack(mlir::Operation *at, mlir::Value value);
  mlir::Value pack(Number number);
  std::optional<ElementType> roundingOf(mlir::Operation *op) const;

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  Decisions decisions;
  /// For each integer that rounding may change: an i1 that is true if it may.
  llvm::DenseMap<mlir::Value, mlir::Value> doubts;
};

} // namespace hone::detail

#endif // HONE_LIB_REFERENCE_ERRORCARRIER_H
