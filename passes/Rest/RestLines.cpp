//===- RestLines.cpp - Loads of lines in a body ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RestLines.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Rest/RestLines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hone;

RestLines::RestLines(const RestStep &step, int64_t width)
    : op(step.op), width(width) {
  if (step.shared().empty())
    return;
  last = step.shared().back();
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(last))
      varying.insert(op.getMatchingBlockArgument(&operand));
  for (Operation &inner : op.getBody()->without_terminator())
    read(inner);
}

std::optional<LoopSum> RestLines::readSum(Operation &inner) const {
  LoopSum sum;
  sum.factors.resize(op.getNumLoops());
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    sum.factors[index.getDim()] = 1;
    return sum;
  }
  if (inner.getNumResults() != 1 || !inner.getResult(0).getType().isIndex())
    return std::nullopt;
  APInt number;
  if (matchPattern(&inner, m_ConstantInt(&number))) {
    sum.constant = number.getSExtValue();
    return sum;
  }
  if (!isa<arith::AddIOp, arith::MulIOp>(inner))
    return std::nullopt;
  const LoopSum *a = sumOf(inner.getOperand(0));
  const LoopSum *b = sumOf(inner.getOperand(1));
  if (!a || !b)
    return std::nullopt;
  auto isNumber = [](const LoopSum &sum) {
    return llvm::all_of(sum.factors, [](int64_t each) { return each == 0; });
  };
  bool isProduct = isa<arith::MulIOp>(inner);
  if (isProduct && isNumber(*a))
    std::swap(a, b);
  if (isProduct && !isNumber(*b))
    return std::nullopt;
  auto combine = [&](int64_t x, int64_t y) {
    return isProduct ? x * b->constant : x + y;
  };
  for (auto [factor, x, y] : llvm::zip(sum.factors, a->factors, b->factors))
    factor = combine(x, y);
  sum.constant = combine(a->constant, b->constant);
  return sum;
}

void RestLines::read(Operation &inner) {
  // Constants are outside of the body.
  for (Value operand : inner.getOperands())
    if (APInt number; operand.getType().isIndex() && !sumOf(operand) &&
                      matchPattern(operand, m_ConstantInt(&number)))
      sums[operand] = {SmallVector<int64_t>(op.getNumLoops()),
                       number.getSExtValue()};
  if (std::optional<LoopSum> sum = readSum(inner)) {
    if (sum->factors[last] != 0)
      varying.insert(inner.getResult(0));
    sums[inner.getResult(0)] = std::move(*sum);
    return;
  }
  bool isVarying = inner.getNumRegions() > 0 ||
                   llvm::any_of(inner.getOperands(), [&](Value operand) {
                     return varying.contains(operand);
                   });
  if (isVarying)
    varying.insert_range(inner.getResults());
}

const LoopSum *RestLines::sumOf(Value value) const {
  auto found = sums.find(value);
  return found == sums.end() ? nullptr : &found->second;
}

bool RestLines::isSame(Value value) const { return !varying.contains(value); }

bool RestLines::isLine(memref::LoadOp load) const {
  MemRefType type = load.getMemRefType();
  Type element = type.getElementType();
  auto [strides, offset] = type.getStridesAndOffset();
  if (load.getIndices().empty() || load->getBlock() != op.getBody() ||
      element.isIndex() || element.getIntOrFloatBitWidth() < 8 ||
      strides.back() != 1)
    return false;
  const LoopSum *along = sumOf(load.getIndices().back());
  if (!along || along->constant % width != 0)
    return false;
  for (auto [loop, factor] : llvm::enumerate(along->factors))
    if (factor != (loop == last))
      return false;
  for (auto [index, stride] : llvm::zip(load.getIndices().drop_back(), strides))
    if (!isSame(index) || ShapedType::isDynamic(stride) || stride % width != 0)
      return false;
  return true;
}

bool RestLines::isLine(Operation *inner) const {
  auto select = dyn_cast<arith::SelectOp>(inner);
  auto load = select ? select.getTrueValue().getDefiningOp<memref::LoadOp>()
                     : memref::LoadOp();
  return load && isLine(load) && isSame(select.getCondition()) &&
         matchPattern(select.getFalseValue(), m_Constant());
}

SmallVector<memref::LoadOp> RestLines::loads() const {
  SmallVector<memref::LoadOp> loads;
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    if (isLine(load))
      loads.push_back(load);
  return loads;
}
