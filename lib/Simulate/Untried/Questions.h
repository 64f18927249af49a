//===- Questions.h - Questions about a kernel's sizes -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op whose result changes its meaning with sizes has a *question* with two
// answers. Trials with only one of the answers prove nothing about the ops that
// follow after the other one:
//
//   | op                              | first answer    | second answer       |
//   |---------------------------------|-----------------|---------------------|
//   | x == y, x < y, p and q          | holds           | fails               |
//   | x < 20, 20 > x, also x >= 20    | x = 20          | x = 19              |
//   | min(x, y), max(x, y)            | x < y           | x > y, or x >= y    |
//   |                                 |                 | where one argument  |
//   |                                 |                 | is in both          |
//   | x / y, x % y, ceil(x / y)       | x < y, where y  | x >= y - 1, the end |
//   |                                 | is a step or x  | of the numbers      |
//   |                                 | a number        | below y             |
//   | x & 20, x | 20, x ^ 20          | x > 20          | x <= 20             |
//   | x / 20, x % 20                  | x >= 20         | x < 20, unless x is |
//   | ceil(x / 20), x >> 4, x as i8   | x > 20, 15, 255 | made of arguments   |
//   | x + 20, x - 20, 20 - x          | x >= 20         | x < 20              |
//   | 20 >> x, 1 << x                 | x has the last  |                     |
//   |                                 | bit's number    |                     |
//   | a loop                          | is entered      | is passed over      |
//   | ... by steps that grow          | has two rounds  | has one, or none    |
//   | a branch                        | is taken        | is passed over      |
//   | (x + y) / 20, (x * y) % 20      | Carries.h       |                     |
//   | any                             | one number      | another             |
//
// where x or y grows: it comes from arguments of the kernel, a worker's number,
// a tile or a loop over them. Where x is itself a multiple of 3, quotients and
// remainders repeat after three times the range: x / 20 needs x >= 60. Where it
// is a multiple of 20, x / 20 is a product, and has no such question. The last
// row finds a product of bits, or a difference of quotients, that is zero in
// every trial.
//
// An answer that is impossible at every size is not required: for min(x - 1, 1)
// in a loop from 1 to x, or for a value that is carried around a loop with at
// most one round.
//
// A question that no trial can answer is never proven: combined bits of two
// sizes (x & y, where neither is a single bit), a divisor that is a large
// multiple of a size, a product of two numbers of one argument or loop, a
// product of a degree above that of Degrees.h, a comparison or a difference of
// two arguments.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_QUESTIONS_H
#define HONE_LIB_SIMULATE_UNTRIED_QUESTIONS_H

#include "Growing.h"
#include <optional>

namespace hone::simulate {

struct Question {
  enum Kind {
    truth,
    order,
    reach,
    trips,
    rounds,
    carry,
    edge,
    change,
    unanswerable
  } kind = truth;
  /// For `carry`: the sum, difference or product below the quotient.
  mlir::Operation *inner = nullptr;
  /// For `change`: the first number that was seen.
  std::optional<uint64_t> seen;
  /// For `reach`: the operand, and the number that it must reach; for `edge`
  /// exactly this number, and one less.
  unsigned operand = 0;
  uint64_t min = 0;
  /// For `order`: the maximum by which the first operand may be below the
  /// second one for the second answer; 0 if it has to be above. For `edge`: the
  /// numbers that the operand skips, as a loop's variable does.
  unsigned slack = 0;
  bool isSigned = false;
  /// The answers that no trial has given.
  bool needsFirst = true, needsSecond = true;
  /// The question is about a step, and any number of steps may follow it.
  bool isOfStep = false;

  /// The answer for the operands' values, or for a loop's bounds and step: true
  /// for the first answer; nothing if it is neither. For a `carry`, the
  /// values are both operands of the sum and the divisor.
  std::optional<bool> answer(llvm::ArrayRef<uint64_t> values,
                             unsigned width) const;
  /// "never holds at ..."
  std::string str() const;
};

class Degrees;

/// The questions of `op`.
llvm::SmallVector<Question, 1>
questionsOf(mlir::Operation *op, const Growing &growing, Degrees &degrees);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_QUESTIONS_H
