//===- IndexValue.h - Integers that emit IR ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address maps are templates over an integer type. Instantiated with
// IndexValue they emit unsigned i32 (or i64) arithmetic. Values are never
// negative, so division and remainder by a power of two become a shift and a
// mask. Operations never wrap and are marked so: only then can LLVM move a
// constant out of a widened sum and into an address's immediate.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_LOWER_INDEXVALUE_H
#define HONE_PASSES_LOWER_INDEXVALUE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace hone {

class IndexValue {
public:
  IndexValue(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }

  /// The constant `number`, of this value's type.
  IndexValue constant(int64_t number) const {
    return wrap(mlir::arith::ConstantOp::create(
        *builder, loc, builder->getIntegerAttr(value.getType(), number)));
  }
  /// This value as a wider or narrower integer.
  IndexValue to(mlir::Type type) const {
    unsigned from = value.getType().getIntOrFloatBitWidth();
    unsigned width = type.getIntOrFloatBitWidth();
    if (from == width)
      return *this;
    if (from < width)
      return wrap(mlir::arith::ExtUIOp::create(*builder, loc, type, value));
    return wrap(mlir::arith::TruncIOp::create(*builder, loc, type, value));
  }
  IndexValue min(IndexValue other) const {
    return wrap(mlir::arith::MinUIOp::create(*builder, loc, value, other));
  }
  /// i1: this < other, unsigned.
  mlir::Value lessThan(IndexValue other) const {
    return mlir::arith::CmpIOp::create(
        *builder, loc, mlir::arith::CmpIPredicate::ult, value, other);
  }

  friend IndexValue operator+(IndexValue a, IndexValue b) {
    return a.emitExact<mlir::arith::AddIOp>(b);
  }
  friend IndexValue operator-(IndexValue a, IndexValue b) {
    return a.emitExact<mlir::arith::SubIOp>(b);
  }
  friend IndexValue operator*(IndexValue a, IndexValue b) {
    return a.emitExact<mlir::arith::MulIOp>(b);
  }
  friend IndexValue operator/(IndexValue a, IndexValue b) {
    return a.emit<mlir::arith::DivUIOp>(b);
  }
  friend IndexValue operator%(IndexValue a, IndexValue b) {
    return a.emit<mlir::arith::RemUIOp>(b);
  }
  friend IndexValue operator^(IndexValue a, IndexValue b) {
    return a.emit<mlir::arith::XOrIOp>(b);
  }
  friend IndexValue operator+(IndexValue a, int64_t b) {
    return b == 0 ? a : b < 0 ? a - a.constant(-b) : a + a.constant(b);
  }
  friend IndexValue operator*(IndexValue a, int64_t b) {
    if (b == 1)
      return a;
    if (llvm::isPowerOf2_64(b))
      return a.emitExact<mlir::arith::ShLIOp>(a.constant(llvm::Log2_64(b)));
    return a * a.constant(b);
  }
  friend IndexValue operator/(IndexValue a, int64_t b) {
    if (b == 1)
      return a;
    if (llvm::isPowerOf2_64(b))
      return a.emit<mlir::arith::ShRUIOp>(a.constant(llvm::Log2_64(b)));
    return a / a.constant(b);
  }
  friend IndexValue operator%(IndexValue a, int64_t b) {
    if (llvm::isPowerOf2_64(b))
      return a.emit<mlir::arith::AndIOp>(a.constant(b - 1));
    return a % a.constant(b);
  }

private:
  IndexValue wrap(mlir::Value result) const { return {*builder, loc, result}; }
  template <typename Op>
  IndexValue emit(IndexValue other) const {
    return wrap(Op::create(*builder, loc, value, other));
  }

  /// The same, for an operation whose result does not wrap.
  template <typename Op>
  IndexValue emitExact(IndexValue other) const {
    return wrap(Op::create(*builder, loc, value, other,
                           mlir::arith::IntegerOverflowFlags::nuw));
  }

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

} // namespace hone

#endif // HONE_PASSES_LOWER_INDEXVALUE_H
