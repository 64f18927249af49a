//===- FunctionElements.cpp - Elements that a step touches ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a step at a point, and the checks that they are in bounds and
// do not overlap.
//
//===----------------------------------------------------------------------===//

#include "Function.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hone::simulate;
using namespace hone::simulate::rest;

std::optional<Polynomial> Function::positionOf(AffineExpr expr,
                                               const Point &point) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Polynomial(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto a = positionOf(binary.getLHS(), point);
  auto b = positionOf(binary.getRHS(), point);
  if (!a || !b)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return *a + *b;
  case AffineExprKind::Mul:
    return *a * *b;
  case AffineExprKind::Mod:
    return terms.symbols.remainder(*a, *b);
  case AffineExprKind::FloorDiv:
    return terms.symbols.quotient(*a, *b);
  case AffineExprKind::CeilDiv:
    return terms.symbols.quotient(*a + *b - 1, *b);
  default:
    return std::nullopt;
  }
}

std::optional<TermId> Function::elementOf(const GenericStep &step,
                                          unsigned number, const Point &point) {
  linalg::GenericOp op = step.op;
  OpOperand &operand = op->getOpOperand(number);
  auto array = arrayOf(operand.get());
  if (!array) {
    llvm::DenseMap<Value, TermId> values;
    return valueOf(operand.get(), values);
  }
  Polynomial bytes;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto position = positionOf(expr, point);
    if (!position)
      return std::nullopt;
    bytes = bytes + *position * memory[*array].strides[dim];
  }
  bytes = bytes * memory[*array].elementBytes();
  if (!bytes.isValid())
    return std::nullopt;
  return terms.load(*array, bytes, memory[*array].type.getElementType());
}

std::string Function::whyOutside(const GenericStep &step, const Point &point) {
  linalg::GenericOp op = step.op;
  for (OpOperand &operand : op->getOpOperands()) {
    auto array = arrayOf(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      // linalg requires that dimensions known only at the launch fit.
      if (!array || !memory[*array].extents[dim].constant())
        continue;
      auto position = positionOf(expr, point);
      bool isInside =
          position && terms.symbols.isNonNegative(*position) &&
          terms.symbols.isLess(*position, memory[*array].extents[dim]);
      if (!isInside)
        return "may be outside of operand " +
               std::to_string(operand.getOperandNumber()) + ", in dimension " +
               std::to_string(dim);
    }
  }
  return "";
}

bool Function::isWritten(unsigned array) const {
  return llvm::any_of(all, [&](const GenericStep &step) {
    for (unsigned i = 0; i < step.results(); ++i)
      if (arrayOf(step, step.inputs() + i) == array)
        return true;
    return false;
  });
}

/// For an array whose rows follow each other without gaps.
std::optional<int64_t> Function::bytesOf(const Array &array) const {
  if (!array.type.hasStaticShape() || !array.type.getLayout().isIdentity())
    return std::nullopt;
  return array.type.getNumElements() * array.elementBytes();
}

std::string Function::whyOtherRow(const GenericStep &step, const Point &point,
                                  const Polynomial &row,
                                  const Polynomial &rows) {
  if (all.size() == 1)
    return "";
  linalg::GenericOp op = step.op;
  for (OpOperand &operand : op->getOpOperands()) {
    auto array = arrayOf(operand.get());
    if (!array || !isWritten(*array))
      continue;
    auto element = elementOf(step, operand.getOperandNumber(), point);
    auto bytes = bytesOf(memory[*array]), count = rows.constant();
    bool isCut =
        element && bytes && count && *count > 0 && *bytes % *count == 0;
    auto own = isCut ? terms.symbols.quotient(terms[*element].position,
                                              *bytes / *count)
                     : std::nullopt;
    if (!own || !(*own == row))
      return "may touch elements that the block of another row writes, in "
             "operand " +
             std::to_string(operand.getOperandNumber());
  }
  bool loadsWritten = false;
  op.getRegion().walk([&](memref::LoadOp load) {
    auto array = arrayOf(load.getMemRef());
    loadsWritten |= array && isWritten(*array);
  });
  return loadsWritten ? "may load elements that the block of another row writes"
                      : "";
}

std::string Function::whyNotApart(const GenericStep &step) const {
  linalg::GenericOp op = step.op;
  for (OpOperand &result : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&result);
    for (unsigned loop : step.parallel)
      if (step.extents[loop].constant() != 1 &&
          !llvm::is_contained(map.getResults(),
                              getAffineDimExpr(loop, map.getContext())))
        return "is written once more for each position along loop " +
               std::to_string(loop);
  }
  return "";
}
