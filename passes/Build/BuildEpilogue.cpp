//===- BuildEpilogue.cpp - A matmul's epilogue as kernel IR ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region of a matmul becomes that of a `kernel.epilogue`, after the
// addition of C's old values where the sum starts from them.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Build/BuildGemm.h"
#include "passes/Support.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

Value EpilogueWriter::i64(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

Type EpilogueWriter::elementC() {
  return cast<ShapedType>(op.getC().getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value EpilogueWriter::batchOffset(const BatchPlace &place,
                                  const std::string &stride,
                                  const std::string &headStride) {
  Value offset;
  for (auto [number, name] :
       {std::pair(place.batch, &stride), {place.head, &headStride}}) {
    auto found = params.find(*name);
    if (!number || found == params.end())
      continue;
    Value part = arith::MulIOp::create(builder, loc, number, found->second);
    offset = offset ? arith::AddIOp::create(builder, loc, offset, part) : part;
  }
  return offset ? offset : i64(0);
}

Value EpilogueWriter::stride(int64_t index, char dim) {
  if (isSideBySide(op, index, dim))
    return i64(1);
  auto found = params.find(epilogueName(index, dim));
  return found == params.end() ? Value(i64(0)) : found->second;
}

Value EpilogueWriter::operand(Value buffer, Value offset, Type element,
                              StringRef dims, Value rowStride,
                              Value colStride) {
  auto type = OperandType::get(builder.getContext(), element, dims);
  return OperandOp::create(builder, loc, type, buffer, offset, rowStride,
                           colStride);
}

void EpilogueWriter::placeOperands(const BatchPlace &place, bool transposed) {
  turned = transposed;
  operands.clear();
  char rows = turned ? 'n' : 'm', cols = turned ? 'm' : 'n';
  if (problem.init == Init::read) {
    operands.push_back(Value());
    if (params.count("c")) {
      Value rowStride = params.at("ldc"), colStride = i64(1);
      if (turned)
        std::swap(rowStride, colStride);
      operands.back() = operand(params.at("c"), batchOffset(place, "sc", "hc"),
                                elementC(), "mn", rowStride, colStride);
    }
  }
  for (auto [i, value] : llvm::enumerate(op.getEpilogueOperands())) {
    if (!params.count(epilogueName(i))) {
      operands.push_back(Value());
      continue;
    }
    Type element = cast<ShapedType>(value.getType()).getElementType();
    StringRef dims = op.getDimsOf(i);
    // For an operand of kernel IR, m are the rows of the accumulator.
    std::string kind = std::string(dims.contains(rows) ? "m" : "") +
                       (dims.contains(cols) ? "n" : "");
    operands.push_back(
        operand(params.at(epilogueName(i)),
                batchOffset(place, epilogueName(i, 'b'), epilogueName(i, 'h')),
                element, kind, stride(i, rows), stride(i, cols)));
  }
}

size_t EpilogueWriter::operandAt(int64_t index) const {
  return index < 0 ? 0 : index + (problem.init == Init::read);
}

size_t EpilogueWriter::numOperands() const {
  return operandAt(MatmulOp(op).getEpilogueOperands().size());
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

/// Drops the flags for overflow, shifted-out bits and signs. A problem's text
/// omits them, and one kernel serves all problems with the same text.
static void dropIntegerFlags(Operation *op) {
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    op->removeAttr("isExact");
  if (isa<arith::ExtUIOp>(op))
    op->removeAttr("nonNeg");
  if (isa<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr("overflowFlags",
                arith::IntegerOverflowFlagsAttr::get(
                    op->getContext(), arith::IntegerOverflowFlags::none));
}

/// The matmul's own region applied to these values, or the plain conversion.
Value EpilogueWriter::inlineRegion(Value sum, ValueRange inputs) {
  if (!op.hasEpilogue())
    return convertScalar(builder, loc, sum, elementC());
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  mapping.map(body.getArguments().drop_front(), inputs);
  for (Operation &inner : body.without_terminator())
    dropIntegerFlags(builder.clone(inner, mapping));
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

Value EpilogueWriter::apply(Value acc, Value row, Value col,
                            ArrayRef<Value> tiles) {
  auto from = cast<AccType>(acc.getType());
  auto to = AccType::get(builder.getContext(), from.getRows(), from.getCols(),
                         elementC(), from.getWarpsM(), from.getWarpsN(),
                         from.getRun());
  if (from == to && operands.empty() && !op.hasEpilogue())
    return acc;
  Value rows = params.at("m"), cols = params.at("n");
  if (turned)
    std::swap(rows, cols);
  SmallVector<Value> read(operands);
  for (auto [operand, tile] : llvm::zip(read, tiles))
    if (tile)
      operand = tile;
  auto epilogue =
      EpilogueOp::create(builder, loc, to, acc, ValueRange{row, col},
                         ValueRange{rows, cols}, read);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&epilogue.getBody());
  Value sum = body->addArgument(from.getElement(), loc);
  for (Value input : read) {
    auto operand = dyn_cast<OperandType>(input.getType());
    body->addArgument(operand ? operand.getElement()
                              : cast<AccType>(input.getType()).getElement(),
                      loc);
  }
  auto inputs = body->getArguments().drop_front();
  if (problem.init == Init::read) {
    Value old = convertScalar(builder, loc, inputs.front(), sum.getType());
    sum = isa<IntegerType>(sum.getType())
              ? Value(arith::AddIOp::create(builder, loc, sum, old))
              : Value(arith::AddFOp::create(builder, loc, sum, old));
    inputs = inputs.drop_front();
  }
  kernel::YieldOp::create(builder, loc, inlineRegion(sum, inputs));
  return epilogue;
}
