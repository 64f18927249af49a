//===- Operators.h - Operators of launch plan formulas ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary operators of formulas (Expression.h). The runtime, the proof of
// guards and the simulator share this definition. The proof of guards computes
// with 128 bits, so the width is a parameter.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_OPERATORS_H
#define HONE_RUNTIME_OPERATORS_H

#include "hone/Runtime/Expression.h"

namespace hone {

/// a / b, a % b or ceildiv(a, b).
template <typename Int>
Expression::Fault divide(Expression::Op op, Int a, Int b, Int &result) {
  using Fault = Expression::Fault;
  if (b == 0)
    return Fault::divisionByZero;
  // The one quotient that `Int` does not hold; the remainder is 0 all the same,
  // but the processor traps on either.
  if (b == -1) {
    if (op == Expression::Op::mod)
      result = 0;
    else if (__builtin_sub_overflow(Int(0), a, &result))
      return Fault::overflow;
    return Fault::none;
  }
  Int quotient = a / b, remainder = a % b;
  bool roundsUp = op == Expression::Op::ceildiv && remainder != 0 &&
                  (remainder < 0) == (b < 0);
  result = op == Expression::Op::mod ? remainder : quotient + roundsUp;
  return Fault::none;
}

/// `a op b`; `result` may be `a`. Only binary operators.
template <typename Int>
inline Expression::Fault evaluate(Expression::Op op, Int a, Int b,
                                  Int &result) {
  using Op = Expression::Op;
  using Fault = Expression::Fault;
  bool overflows = false;
  switch (op) {
  case Op::add:
    overflows = __builtin_add_overflow(a, b, &result);
    break;
  case Op::sub:
    overflows = __builtin_sub_overflow(a, b, &result);
    break;
  case Op::mul:
    overflows = __builtin_mul_overflow(a, b, &result);
    break;
  case Op::div:
  case Op::mod:
  case Op::ceildiv:
    return divide(op, a, b, result);
  case Op::eq:
    result = a == b;
    break;
  case Op::ne:
    result = a != b;
    break;
  case Op::lt:
    result = a < b;
    break;
  case Op::le:
    result = a <= b;
    break;
  case Op::gt:
    result = a > b;
    break;
  case Op::ge:
    result = a >= b;
    break;
  case Op::logicalAnd:
    result = a && b;
    break;
  case Op::logicalOr:
    result = a || b;
    break;
  case Op::min:
    result = a < b ? a : b;
    break;
  case Op::max:
    result = a > b ? a : b;
    break;
  case Op::orElse:
    result = b ? b : a;
    break;
  case Op::push:
  case Op::negate:
  case Op::skipIfZero:
  case Op::skipIfNonZero:
    // No binary operators: the caller evaluates them.
    result = b;
    break;
  }
  return overflows ? Fault::overflow : Fault::none;
}

} // namespace hone

#endif // HONE_RUNTIME_OPERATORS_H
