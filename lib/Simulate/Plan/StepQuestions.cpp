//===- StepQuestions.cpp - Questions of one step of a formula -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StepQuestions.h.
//
//===----------------------------------------------------------------------===//

#include "StepQuestions.h"
#include "hone/Runtime/Operators.h"

using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::formula;

static Question reaching(int64_t min) {
  Question question;
  question.kind = Question::reach;
  question.min = min;
  question.needsSecond = false;
  return question;
}

static Question ordering(unsigned slack) {
  Question question;
  question.kind = Question::order;
  question.slack = slack;
  question.isSigned = true;
  return question;
}

static int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

Known formula::negated(Known one) {
  if (one.constant)
    one.constant = -*one.constant;
  one.isPlain = one.constant.has_value();
  return one;
}

Known formula::resultOf(Expression::Op op, const Known &a, const Known &b) {
  Known result;
  result.isPlain = op != Expression::Op::sub && a.isPlain && b.isPlain;
  if (a.constant && b.constant) {
    int64_t number;
    if (evaluate(op, *a.constant, *b.constant, number) ==
        Expression::Fault::none)
      result.constant = number;
    return result;
  }
  auto factorOf = [](const Known &one) {
    return one.constant ? std::max<int64_t>(std::abs(*one.constant), 1)
                        : one.factor;
  };
  if (op == Expression::Op::mul)
    result.factor = product(factorOf(a), factorOf(b));
  else if (op == Expression::Op::add || op == Expression::Op::sub)
    result.factor = std::max(a.factor, b.factor);
  return result;
}

/// The question of x / number and the like: the number that x has to reach.
static Question dividing(const Known &x, int64_t number, bool roundsUp) {
  bool isWhole =
      number > 0 && (number % x.factor == 0 || x.factor % number == 0);
  Question question =
      reaching((isWhole ? number : product(number, x.factor)) + roundsUp);
  question.needsSecond = !x.isPlain;
  return question;
}

/// The question of a sum or a difference of an argument and a constant.
static std::optional<Question> ofSum(Expression::Op op, const Known &a,
                                     const Known &b) {
  if (!a.constant == !b.constant)
    return std::nullopt;
  int64_t min = std::abs(a.constant.value_or(b.constant.value_or(0)));
  if (min <= 1)
    return std::nullopt;
  Question question = reaching(min);
  question.operand = a.constant ? 1 : 0;
  question.needsSecond = op == Expression::Op::sub;
  return question;
}

std::optional<Question> formula::questionOf(Expression::Op op, const Known &a,
                                            const Known &b) {
  switch (op) {
  case Expression::Op::add:
  case Expression::Op::sub:
    return ofSum(op, a, b);
  case Expression::Op::min:
  case Expression::Op::max: {
    Question question = ordering(0);
    // Few sizes are zero.
    question.needsFirst = op == Expression::Op::min || !b.constant ||
                          *b.constant > 1 || !a.isPlain;
    return question;
  }
  case Expression::Op::div:
  case Expression::Op::mod:
  case Expression::Op::ceildiv: {
    if (b.constant)
      return dividing(a, *b.constant, op == Expression::Op::ceildiv);
    Question question = ordering(1);
    question.needsFirst = a.constant.has_value();
    return question;
  }
  case Expression::Op::eq:
  case Expression::Op::ne:
  case Expression::Op::lt:
  case Expression::Op::le:
  case Expression::Op::gt:
  case Expression::Op::ge:
    return Question();
  default:
    return std::nullopt;
  }
}

int64_t formula::resultOf(Expression::Op op, int64_t a, int64_t b) {
  int64_t result = 0;
  return evaluate(op, a, b, result) == Expression::Fault::none ? result : 0;
}

bool formula::isQuotient(Expression::Op op) {
  return op == Expression::Op::div || op == Expression::Op::mod ||
         op == Expression::Op::ceildiv;
}

bool formula::staysBelow(Expression::Op op, int64_t a, int64_t b,
                         int64_t divisor) {
  a = (a % divisor + divisor) % divisor, b = (b % divisor + divisor) % divisor;
  if (op == Expression::Op::sub)
    return a >= b;
  if (op == Expression::Op::mul)
    return !b || a <= (divisor - 1) / b;
  return a < divisor - b;
}

bool formula::isTruth(Expression::Op op) {
  return op >= Expression::Op::eq && op <= Expression::Op::ge;
}
