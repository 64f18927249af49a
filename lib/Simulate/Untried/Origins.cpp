//===- Origins.cpp - Origins of a kernel's values -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Origins.h.
//
//===----------------------------------------------------------------------===//

#include "Origins.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

std::optional<uint64_t> simulate::constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getZExtValue();
}

uint64_t simulate::factorOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto of = [&](unsigned operand) { return factorOf(op->getOperand(operand)); };
  if (isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp,
                      arith::IndexCastUIOp, arith::TruncIOp>(op))
    return of(0);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::max(of(0), of(1));
  if (isa_and_nonnull<arith::MulIOp>(op)) {
    uint64_t factor = llvm::SaturatingMultiply(of(0), of(1));
    for (Value operand : op->getOperands())
      if (auto number = constantOf(operand))
        factor =
            llvm::SaturatingMultiply(factor, std::max<uint64_t>(*number, 1));
    return factor;
  }
  if (isa_and_nonnull<arith::ShLIOp>(op))
    if (auto by = constantOf(op->getOperand(1)); by && *by < 64)
      return llvm::SaturatingMultiply(of(0), uint64_t(1) << *by);
  return 1;
}

uint64_t simulate::divisorOf(Value value) {
  // A sum with a negative number may wrap around.
  if (auto number = constantOf(value))
    return *number <= uint64_t(std::numeric_limits<int32_t>::max()) ? *number
                                                                    : 1;
  Operation *op = value.getDefiningOp();
  auto of = [&](unsigned operand) {
    return divisorOf(op->getOperand(operand));
  };
  if (isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(op))
    return of(0);
  if (isa_and_nonnull<arith::AddIOp>(op))
    return std::gcd(of(0), of(1));
  if (!isa_and_nonnull<arith::MulIOp>(op))
    return 1;
  bool overflows;
  uint64_t product = llvm::SaturatingMultiply(of(0), of(1), &overflows);
  return overflows ? of(0) : product;
}

bool simulate::isMultipleOf(Value value, uint64_t number) {
  return number && divisorOf(value) % number == 0;
}

std::optional<uint64_t> simulate::roundBeforeRest(scf::ForOp loop) {
  Value end = loop.getUpperBound();
  Operation *first = loop.getLowerBound().getDefiningOp();
  if (auto difference = dyn_cast_or_null<arith::SubIOp>(first)) {
    Operation *rest = difference.getRhs().getDefiningOp();
    if (difference.getLhs() == end &&
        isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(rest) &&
        rest->getOperand(0) == end)
      return constantOf(rest->getOperand(1));
  }
  if (auto product = dyn_cast_or_null<arith::MulIOp>(first)) {
    Operation *rounds = product.getLhs().getDefiningOp();
    if (isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(rounds) &&
        rounds->getOperand(0) == end &&
        constantOf(rounds->getOperand(1)) == constantOf(product.getRhs()))
      return constantOf(product.getRhs());
  }
  return std::nullopt;
}

Value simulate::beforeOnlyRound(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : nullptr;
  constexpr uint64_t kOneIsLeft = 2;
  if (!loop || argument == loop.getInductionVar() ||
      roundBeforeRest(loop) != kOneIsLeft)
    return value;
  return loop.getTiedLoopInit(argument)->get();
}

Origins::Origins(ValueRange from) {
  SmallVector<Value> values(from);
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (seen.insert(value).second)
      follow(value, values);
  }
}

void Origins::follow(Value value, SmallVector<Value> &values) {
  Operation *from = value.getDefiningOp();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(from)) {
    // No step of the loop follows after its end.
    values.push_back(
        loop.getInitArgs()[cast<OpResult>(value).getResultNumber()]);
  } else if (auto branch = dyn_cast_or_null<scf::IfOp>(from)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    values.push_back(branch.getCondition());
    values.push_back(branch.thenYield().getOperand(number));
    values.push_back(branch.elseYield().getOperand(number));
  } else if (from) {
    if (isa<kernel::WorkerOp>(from))
      arguments.insert(from->getResult(0));
    llvm::append_range(values, from->getOperands());
  } else {
    followArgument(cast<BlockArgument>(value), values);
  }
}

void Origins::followArgument(BlockArgument value, SmallVector<Value> &values) {
  Operation *parent = value.getOwner()->getParentOp();
  if (isa<gpu::GPUFuncOp>(parent))
    arguments.insert(value);
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (loop && !roundBeforeRest(loop))
    loops.insert(loop);
  if (loop && value != loop.getInductionVar()) {
    values.push_back(loop.getTiedLoopInit(value)->get());
    values.push_back(loop.getTiedLoopYieldedValue(value)->get());
  }
}

bool simulate::areOfOneArgument(Value one, Value other) {
  Origins sides[] = {Origins(one), Origins(other)};
  for (Origins &side : sides)
    for (Operation *loop : llvm::to_vector(side.loops)) {
      Origins bound(cast<scf::ForOp>(loop).getUpperBound());
      side.arguments.insert_range(bound.arguments);
    }
  return llvm::any_of(sides[0].arguments, [&](Value argument) {
    return sides[1].arguments.contains(argument);
  });
}

bool simulate::isOfWorkers(Value value) {
  return llvm::any_of(Origins(value).arguments, [](Value argument) {
    return argument.getDefiningOp<kernel::WorkerOp>() != nullptr;
  });
}

bool simulate::isOfStep(ValueRange operands) {
  if (operands.size() != 2)
    return !Origins(operands).loops.empty();
  Origins sides[] = {Origins(operands[0]), Origins(operands[1])};
  if (sides[0].loops.empty() && sides[1].loops.empty())
    return false;
  if (!sides[0].loops.empty() && !sides[1].loops.empty())
    return llvm::any_of(
        operands, [](Value value) { return constantOf(value).has_value(); });
  const Origins &step = sides[sides[0].loops.empty()];
  const Origins &other = sides[!sides[0].loops.empty()];
  for (Operation *op : step.loops) {
    Origins bound(cast<scf::ForOp>(op).getUpperBound());
    if (llvm::any_of(other.arguments, [&](Value argument) {
          return bound.arguments.contains(argument);
        }))
      return false;
  }
  return true;
}
