//===- Edges.cpp - Points where a comparison changes its result -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Edges.h.
//
//===----------------------------------------------------------------------===//

#include "Edges.h"
#include "Origins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

/// The distance between any two numbers that `value` can have divides by this:
/// the step of a loop's variable, and of sums and multiples of it.
static uint64_t strideOf(Value value) {
  constexpr uint64_t kMaxStride = 1 << 16;
  auto inRange = [](uint64_t stride) {
    return stride && stride <= kMaxStride ? stride : 1;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return 1;
    // The rest of pairs is one step, the largest even number.
    if (roundBeforeRest(loop) == 2)
      return 2;
    bool isSpaced = constantOf(loop.getLowerBound()).has_value();
    return isSpaced ? inRange(constantOf(loop.getStep()).value_or(1)) : 1;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return strideOf(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return 1;
  for (unsigned i : {0u, 1u})
    if (auto number = constantOf(op->getOperand(i))) {
      uint64_t stride = strideOf(op->getOperand(1 - i));
      bool isProduct = isa<arith::MulIOp>(op);
      return isProduct ? inRange(stride * inRange(*number)) : stride;
    }
  return 1;
}

std::optional<Question> simulate::edgeOf(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return std::nullopt;
  Question question;
  question.kind = Question::edge;
  question.operand = constantOf(compare.getLhs()) ? 1 : 0;
  Value other = op->getOperand(1 - question.operand);
  auto number = constantOf(other);
  if (!number)
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::eq || predicate == Predicate::ne)
    return std::nullopt;
  // x < 20 and x >= 20 change at 20, as do 20 > x and 20 <= x; the others
  // change at 21.
  bool isBelow = predicate == Predicate::ult || predicate == Predicate::slt ||
                 predicate == Predicate::uge || predicate == Predicate::sge;
  question.min = *number + (isBelow == (question.operand == 1));
  question.slack = strideOf(op->getOperand(question.operand)) - 1;
  return question;
}
