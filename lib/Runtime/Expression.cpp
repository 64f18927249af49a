//===- Expression.cpp - Evaluation of formulas ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch evaluates some twenty formulas in a budget of some hundred
// nanoseconds. So a program is flat, and an operation includes its right
// operand if that is an argument or a constant, which is nearly always the
// case. A formula of a single name costs one load.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/Expression.h"
#include "hone/Runtime/Operators.h"

using namespace hone;
using Op = Expression::Op;
using Source = Expression::Source;
using Fault = Expression::Fault;

void Expression::bind(size_t index, int64_t value) {
  for (Step &step : program)
    if (step.source == Source::argument && size_t(step.value) == index) {
      step.source = Source::constant;
      step.value = value;
    }
  first = program.front();
}

bool Expression::isConstant() const {
  for (const Step &step : program)
    if (step.source == Source::argument || step.source == Source::resident)
      return false;
  return true;
}

bool Expression::asksResident() const {
  for (const Step &step : program)
    if (step.source == Source::resident)
      return true;
  return false;
}

/// a / b, a % b or ceildiv(a, b). Tiles are powers of two, for which shifts
/// replace the division, the slowest part of a formula.
static Fault divideFast(Op op, int64_t a, int64_t b, int64_t &result) {
  if (a < 0 || b <= 0 || (b & (b - 1)) != 0)
    return divide(op, a, b, result);
  int64_t quotient = a >> __builtin_ctzll(b), remainder = a & (b - 1);
  result = op == Op::mod ? remainder
                         : quotient + (op == Op::ceildiv && remainder != 0);
  return Fault::none;
}

Fault Expression::run(const int64_t *args, int64_t resident,
                      int64_t &value) const {
  // PlanFormula has checked that the program fits. The top of the stack is in
  // `top`; the rest, from the second push on, is in memory.
  int64_t stack[maxStack], top = 0;
  unsigned size = 0;
  const Step *end = program.data() + program.size();
  for (const Step *step = program.data(); step != end; ++step) {
    int64_t b = step->value;
    if (step->source == Source::argument) {
      b = args[b];
    } else if (step->source == Source::resident) {
      b = resident;
    } else if (step->source == Source::stack) {
      b = top;
      top = stack[--size];
    }
    switch (step->op) {
    case Op::push:
      stack[size++] = top;
      top = b;
      break;
    case Op::div:
    case Op::mod:
    case Op::ceildiv:
      if (Fault fault = divideFast(step->op, top, b, top); fault != Fault::none)
        return fault;
      break;
    default:
      if (Fault fault = hone::evaluate(step->op, top, b, top);
          fault != Fault::none)
        return fault;
      break;
    case Op::negate:
      stack[size++] = top;
      if (__builtin_sub_overflow(int64_t(0), b, &top))
        return Fault::overflow;
      break;
    case Op::skipIfZero:
      if (top == 0)
        step += step->value;
      break;
    case Op::skipIfNonZero:
      if (top != 0) {
        top = 1;
        step += step->value;
      }
      break;
    }
  }
  value = top;
  return Fault::none;
}
