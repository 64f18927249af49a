//===- StepQuestions.h - Questions of one step of a formula -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about operands that are known before a formula is evaluated, and the
// question that they leave open (Formulas.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_STEPQUESTIONS_H
#define HONE_LIB_SIMULATE_PLAN_STEPQUESTIONS_H

#include "../Untried/Questions.h"
#include "hone/Runtime/Expression.h"
#include <array>
#include <optional>

namespace hone::simulate::formula {

/// The known facts about a number before a formula is evaluated.
struct Known {
  std::optional<int64_t> constant;
  /// The product of its constant factors.
  int64_t factor = 1;
  /// No difference: never below zero.
  bool isPlain = true;
  /// The step that computes it, or else the argument that it is.
  std::optional<size_t> step, argument;
};

/// A step that computes a number, and which of its operands grow.
struct Result {
  Expression::Op op;
  std::array<Known, 2> operands;
  /// Its result and its operands in the previous trial.
  int64_t last = 0, a = 0, b = 0;
  bool wasSeen = false, changes = false;
};

/// A quotient, and a sum, difference or product in its dividend that may carry
/// into the quotient.
struct Carry {
  size_t quotient, inner;
  int64_t divisor;
  bool needsStay = true, needsPass = true;
};

Known negated(Known one);
Known resultOf(Expression::Op op, const Known &a, const Known &b);
/// Arithmetic without a result is an error of the launch, and reported there.
int64_t resultOf(Expression::Op op, int64_t a, int64_t b);
/// The question of `op`, whose operands are not both constant.
std::optional<Question> questionOf(Expression::Op op, const Known &a,
                                   const Known &b);
bool isQuotient(Expression::Op op);
bool isTruth(Expression::Op op);
/// True if `op` of the remainders of `a` and `b` is again a remainder.
bool staysBelow(Expression::Op op, int64_t a, int64_t b, int64_t divisor);

} // namespace hone::simulate::formula

#endif // HONE_LIB_SIMULATE_PLAN_STEPQUESTIONS_H
