//===- Carries.cpp - Carries into a quotient ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Carries.h.
//
//===----------------------------------------------------------------------===//

#include "Carries.h"
#include "Origins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

bool simulate::staysBelow(Operation *inner, uint64_t a, uint64_t b,
                          uint64_t divisor) {
  a %= divisor, b %= divisor;
  if (isa<arith::SubIOp>(inner))
    return a >= b;
  if (isa<arith::MulIOp>(inner))
    return !b || a <= (divisor - 1) / b;
  return a < divisor - b;
}

std::optional<uint64_t> simulate::divisorOf(Operation *op) {
  constexpr uint64_t kBits = 64;
  if (op->getNumOperands() != 2)
    return std::nullopt;
  auto number = constantOf(op->getOperand(1));
  if (!number)
    return std::nullopt;
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return number;
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op) && *number < kBits)
    return uint64_t(1) << *number;
  if (isa<arith::AndIOp>(op) && llvm::isPowerOf2_64(*number + 1))
    return *number + 1;
  return std::nullopt;
}

void simulate::addCarries(Operation *op, const Growing &growing,
                          SmallVectorImpl<Question> &questions) {
  auto divisor = divisorOf(op);
  if (!divisor || *divisor < 2)
    return;
  // True if a product of remainders is a remainder at one value only.
  auto isOneTime = [&](Operation *inner) {
    constexpr uint64_t kEven = 2;
    return isa<arith::MulIOp>(inner) &&
           (*divisor == kEven ||
            llvm::any_of(inner->getOperands(), [&](Value operand) {
              auto number = constantOf(operand);
              return number && *number % *divisor == 1;
            }));
  };
  auto isMultiple = [&](Value value) {
    auto number = constantOf(value);
    return (number ? *number : factorOf(value)) % *divisor == 0;
  };
  SmallVector<Value> open = {op->getOperand(0)};
  llvm::DenseSet<Operation *> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *inner = value.getDefiningOp();
    if (!inner || !growing.contains(value) || !seen.insert(inner).second)
      continue;
    bool isSum = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner);
    if (!isSum && !isa<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp,
                       arith::IndexCastUIOp>(inner))
      continue;
    llvm::append_range(open, inner->getOperands());
    // A product with the number of a group, or of a block in its cluster, may
    // have 0 and 1 as its only factors.
    bool isOfGroups =
        isa<arith::MulIOp>(inner) &&
        llvm::any_of(inner->getOperands(), [&](Value operand) {
          return !growing.contains(operand) && !constantOf(operand);
        });
    if (!isSum || isOfGroups || isOneTime(inner) ||
        isMultiple(inner->getOperand(1)) ||
        (!isa<arith::SubIOp>(inner) && isMultiple(inner->getOperand(0))))
      continue;
    Question question;
    question.kind = Question::carry;
    question.inner = inner;
    questions.push_back(question);
  }
}
