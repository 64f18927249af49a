//===- MatchRegion.cpp - Region of an epilogue ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar ops of all steps, one after the other, between the sum and the
// stored value. Values have the program's types, so that the region rounds
// where the program does.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Match/Match.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

namespace {
/// Writes the steps into a block that has the sum and the operands.
class RegionWriter {
public:
  RegionWriter(OpBuilder &builder, ValueRange operands)
      : builder(builder), operands(operands) {}

  /// Sets the scalar that replaces a result of the program.
  void define(Value result, Value scalar) { scalars.map(result, scalar); }
  Value get(Value result) const { return scalars.lookup(result); }

  Value get(Location loc, const Argument &argument);
  void write(const Step &step);

private:
  Value writeBody(const Step &step, linalg::LinalgOp op);
  Value writeTensorOp(const Step &step);
  Value constant(Location loc, TypedAttr value) {
    return arith::ConstantOp::create(builder, loc, value);
  }

  OpBuilder &builder;
  ValueRange operands;
  IRMapping scalars;
};
} // namespace

Value RegionWriter::get(Location loc, const Argument &argument) {
  if (argument.result)
    return scalars.lookup(argument.result);
  if (argument.constant)
    return constant(loc, argument.constant);
  Value value = operands[*argument.operand];
  for (Type type : argument.casts)
    value = convertScalar(builder, loc, value, type);
  return value;
}

/// Clones the body of a linalg op. Captured values are written at their first
/// use.
Value RegionWriter::writeBody(const Step &step, linalg::LinalgOp op) {
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip(op->getOpOperands(), step.arguments)) {
    // An unused scalar or init operand may have no argument.
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    mapping.map(op.getMatchingBlockArgument(&operand),
                get(op.getLoc(), argument));
  }
  auto capture = [&](Value value) {
    if (mapping.contains(value))
      return;
    for (auto &[captured, argument] : step.captures)
      if (captured == value)
        mapping.map(value, get(op.getLoc(), argument));
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    llvm::for_each(inner.getOperands(), capture);
    builder.clone(inner, mapping);
  }
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  capture(yielded);
  return mapping.lookup(yielded);
}

/// Writes an op on whole tensors as the same op on scalars.
Value RegionWriter::writeTensorOp(const Step &step) {
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip(step.op->getOperands(), step.arguments))
    if (!mapping.contains(operand))
      mapping.map(operand, get(step.op->getLoc(), argument));
  Operation *clone = builder.clone(*step.op, mapping);
  Value result = clone->getResult(0);
  result.setType(getElementTypeOrSelf(result.getType()));
  return result;
}

void RegionWriter::write(const Step &step) {
  auto op = dyn_cast<linalg::LinalgOp>(step.op);
  define(step.op->getResult(0), op ? writeBody(step, op) : writeTensorOp(step));
}

/// True if the region only rounds the sum, which needs no region.
static bool isRoundingOnly(Block &block) {
  Value value = block.getTerminator()->getOperand(0);
  if (auto truncation = value.getDefiningOp<arith::TruncFOp>();
      truncation && !truncation.getRoundingmodeAttr())
    value = truncation.getIn();
  return value == block.getArgument(0) && block.getNumArguments() == 1;
}

void match::buildEpilogue(OpBuilder &builder, MatmulOp op,
                          const Contraction &contraction,
                          const Epilogue &epilogue) {
  if (!epilogue.addend && epilogue.steps.empty())
    return;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  Block *block = builder.createBlock(&op.getEpilogue());
  Value sum = block->addArgument(op.getAcc(), loc);
  for (Value operand : op.getEpilogueOperands())
    block->addArgument(getElementTypeOrSelf(operand), loc);

  RegionWriter writer(builder, block->getArguments().drop_front());
  if (epilogue.addend) {
    Value addend = convertScalar(
        builder, loc, writer.get(loc, *epilogue.addend), op.getAcc());
    sum = isa<IntegerType>(op.getAcc())
              ? Value(arith::AddIOp::create(builder, loc, sum, addend))
              : Value(arith::AddFOp::create(builder, loc, sum, addend));
  }
  if (!epilogue.steps.empty()) {
    linalg::LinalgOp matmul = contraction.op;
    Value result = matmul->getResult(0);
    writer.define(
        result, convertScalar(builder, loc, sum, getElementTypeOrSelf(result)));
    for (const Step &step : epilogue.steps)
      writer.write(step);
    sum = writer.get(epilogue.last->getResult(0));
  }
  sum = convertScalar(builder, loc, sum, getElementTypeOrSelf(op.getC()));
  YieldOp::create(builder, loc, sum);
  if (isRoundingOnly(*block))
    block->erase();
}
