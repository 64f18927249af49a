//===- Degrees.cpp - Degrees of a kernel's integers in its sizes ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Degrees.h.
//
//===----------------------------------------------------------------------===//

#include "Degrees.h"
#include "Origins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

void Degrees::Degree::add(const Degree &factor) {
  for (auto [variable, degree] : factor.in)
    in[variable] += degree;
  isUnbounded |= factor.isUnbounded;
  sumWith |= factor.sumWith;
}

void Degrees::Degree::raiseTo(const Degree &other) {
  for (auto [variable, degree] : other.in)
    in[variable] = std::max(in.lookup(variable), degree);
  isUnbounded |= other.isUnbounded;
  sumWith |= other.sumWith;
}

Degrees::Degree Degrees::ofVariable(Value value) {
  Degree degree;
  degree.in[value] = 1;
  return degree;
}

Degrees::Degree Degrees::unbounded() {
  Degree degree;
  degree.isUnbounded = true;
  return degree;
}

bool Degrees::isTooHigh(Value value) {
  Degree degree = find(value);
  return degree.isUnbounded || llvm::any_of(degree.in, [](const auto &one) {
           return one.second > kMaxDegree;
         });
}

Degrees::Degree Degrees::find(Value value) {
  if (!growing.contains(value) || value.getType().isInteger(1))
    return Degree();
  for (auto [level, one] : llvm::enumerate(carried))
    if (one.value == value) {
      Degree self;
      self.sumWith = uint64_t(1) << level;
      return self;
    }
  if (auto at = known.find(value); at != known.end())
    return at->second;
  if (!carried.empty()) {
    auto &inRound = carried.back().known;
    if (auto at = inRound.find(value); at != inRound.end())
      return at->second;
  }
  Degree degree = compute(value);
  (degree.sumWith ? carried.back().known : known)[value] = degree;
  return degree;
}

Degrees::Degree Degrees::compute(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return ofOp(result.getOwner(), result.getResultNumber());
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || value == loop.getInductionVar())
    return ofVariable(value);
  return ofCarried(loop, argument);
}

Degrees::Degree Degrees::ofCarried(scf::ForOp loop, BlockArgument value) {
  constexpr unsigned kMaxLevels = 64;
  unsigned level = carried.size();
  if (level == kMaxLevels)
    return unbounded();
  carried.emplace_back();
  carried.back().value = value;
  Degree degree = find(loop.getTiedLoopYieldedValue(value)->get());
  carried.pop_back();
  // Without a sum with itself, it is another value of the previous round.
  uint64_t self = uint64_t(1) << level;
  if (degree.sumWith & self)
    ++degree.in[loop.getInductionVar()];
  degree.sumWith &= ~self;
  degree.raiseTo(find(loop.getTiedLoopInit(value)->get()));
  return degree;
}

Degrees::Degree Degrees::larger(ValueRange values) {
  Degree all;
  for (Value value : values)
    all.raiseTo(find(value));
  return all;
}

Degrees::Degree Degrees::ofProduct(Operation *op) {
  Degree product = find(op->getOperand(0));
  product.add(find(op->getOperand(1)));
  product.isUnbounded |= product.sumWith != 0;
  return product;
}

Degrees::Degree Degrees::ofQuotient(Operation *op) {
  Degree degree = larger(op->getOperands());
  if (growing.contains(op->getOperand(1)))
    for (auto &one : degree.in)
      one.second = 1;
  return degree;
}

/// A loop that carries twice its last value computes a power of two.
Degrees::Degree Degrees::ofSum(Operation *op) {
  Degree sum = find(op->getOperand(0)), other = find(op->getOperand(1));
  bool isTwice = sum.sumWith && other.sumWith;
  sum.raiseTo(other);
  sum.isUnbounded |= isTwice;
  return sum;
}

Degrees::Degree Degrees::ofOp(Operation *op, unsigned result) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return find(loop.getRegionIterArgs()[result]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return larger({branch.thenYield().getOperand(result),
                   branch.elseYield().getOperand(result)});
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return ofVariable(op->getResult(result));
  if (isa<arith::SelectOp>(op))
    return larger(op->getOperands().drop_front());
  if (isa<arith::MulIOp>(op))
    return ofProduct(op);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return ofSum(op);
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
          arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return ofQuotient(op);
  if (isa<arith::ShLIOp>(op) && growing.contains(op->getOperand(1)))
    return unbounded();
  return larger(op->getOperands());
}
