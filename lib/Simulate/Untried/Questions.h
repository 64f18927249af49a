//===- Questions.h - What a kernel asks of its sizes ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op whose result changes its meaning with sizes asks a *question* with two
// answers. A trial that has only seen one of them proves nothing of what comes
// behind the other:
//
//   | op                              | first answer    | second answer       |
//   |---------------------------------|-----------------|---------------------|
//   | x == y, x < y, p and q          | holds           | fails               |
//   | x < 20, 20 > x, also x >= 20    | x = 20          | x = 19              |
//   | min(x, y), max(x, y)            | x < y           | x > y, or x >= y    |
//   |                                 |                 | where one argument  |
//   |                                 |                 | is in both          |
//   | x / y, x % y, ceil(x / y)       | x < y, where y  | x >= y - 1, the end |
//   |                                 | is a step or x  | of what is numbered |
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
// a tile or a loop over them. Where x is itself 3 times something, quotients
// and remainders repeat 3 times later: x / 20 wants x >= 60. The last row finds
// a product of bits, or a difference of quotients, that is zero wherever it was
// tried.
//
// An answer that no size has is not asked for: min(x - 1, 1) in a loop from 1
// to x, or what is carried around a loop that has one round at most.
//
// What no trial can answer is never proven: bits of two sizes that are combined
// (x & y, where neither is a single bit), a divisor that is a large multiple of
// a size, a product of two numbers of one argument or loop, a product of a
// degree above that of Degrees.h, a comparison or a difference of two
// arguments.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_QUESTIONS_H
#define HONE_LIB_SIMULATE_UNTRIED_QUESTIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"
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
  /// Of `carry`: the sum, difference or product that is divided, on the way to
  /// the quotient.
  mlir::Operation *inner = nullptr;
  /// Of `change`: the first number that was seen.
  std::optional<uint64_t> seen;
  /// Of `reach`: the operand, and how far it is to get; of `edge` exactly so
  /// far, and to one less.
  unsigned operand = 0;
  uint64_t least = 0;
  /// Of `order`: by how much the first may be below the second one for the
  /// second answer; 0 if it has to be above.
  unsigned slack = 0;
  bool isSigned = false;
  /// Which answers no trial has seen.
  bool wantsFirst = true, wantsSecond = true;
  /// It is about a step, behind which there may be any number of others.
  bool isOfStep = false;

  /// The answer for the operands' values, of a loop its bounds and step: true
  /// for the first one; nothing where it is neither.
  /// Of a `carry` both operands of the sum and the divisor.
  std::optional<bool> answer(llvm::ArrayRef<uint64_t> values,
                             unsigned width) const;
  /// "never holds at ..."
  std::string str() const;
};

/// The integers of a kernel that depend on the launch, or on the number of a
/// worker alone.
class Growing {
public:
  enum Of { launch, workers };
  explicit Growing(mlir::gpu::GPUFuncOp kernel, Of of = launch);
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  void spread(mlir::Operation *op);
  const Of of;
  llvm::DenseSet<mlir::Value> values;
};

class Degrees;

/// What `op` asks, if anything.
llvm::SmallVector<Question, 1>
questionsOf(mlir::Operation *op, const Growing &growing, Degrees &degrees);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_QUESTIONS_H
