//===- Integers.cpp - Integer arithmetic of kernels -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the arith dialect on numbers of up to 64 bits, which wrap around as on
// the GPU.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static int64_t signExtend(uint64_t value, unsigned width) {
  return width >= 64 ? int64_t(value) : llvm::SignExtend64(value, width);
}

static bool compare(arith::CmpIPredicate predicate, const IntegerOperands &x) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return x.a == x.b;
  case P::ne:
    return x.a != x.b;
  case P::slt:
    return x.signedA < x.signedB;
  case P::sle:
    return x.signedA <= x.signedB;
  case P::sgt:
    return x.signedA > x.signedB;
  case P::sge:
    return x.signedA >= x.signedB;
  case P::ult:
    return x.a < x.b;
  case P::ule:
    return x.a <= x.b;
  case P::ugt:
    return x.a > x.b;
  case P::uge:
    return x.a >= x.b;
  }
  llvm_unreachable("a predicate");
}

/// `op`, whose row is `row`, on operands of `width` bits.
static std::optional<uint64_t> evaluateAs(Operation *op, const ScalarOp *row,
                                          unsigned width, unsigned resultWidth,
                                          ArrayRef<uint64_t> operands) {
  IntegerOperands x;
  x.a = operands[0];
  x.signedA = signExtend(x.a, width);
  if (operands.size() > 1) {
    x.b = operands[1];
    x.signedB = signExtend(x.b, width);
  }
  uint64_t value;
  if (isa<scf::ForOp>(op)) {
    if (x.signedB <= 0)
      return std::nullopt;
    value = x.a + x.b;
  } else if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    value = compare(cmp.getPredicate(), x);
  } else {
    if (!row || !row->onIntegers || (row->is(ScalarOp::divides) && !x.b) ||
        (row->is(ScalarOp::shifts) && x.b >= width))
      return std::nullopt;
    value = row->onIntegers(x);
  }
  return value & llvm::maskTrailingOnes<uint64_t>(resultWidth);
}

std::optional<uint64_t>
hone::simulate::evaluateInteger(Operation *op, ArrayRef<uint64_t> operands) {
  return evaluateAs(op, findScalarOp(op->getName().getStringRef()),
                    widthOf(op->getOperand(0).getType()),
                    widthOf(op->getResult(0).getType()), operands);
}

void hone::simulate::prepareStep(Step &step) {
  step.row = findScalarOp(step.op->getName().getStringRef());
  if (auto constant = dyn_cast<arith::ConstantOp>(step.op))
    step.constant =
        cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue();
  else if (auto loop = dyn_cast<scf::ForOp>(step.op))
    step.width = step.resultWidth = widthOf(loop.getInductionVar().getType());
  else {
    step.width = widthOf(step.op->getOperand(0).getType());
    step.resultWidth = widthOf(step.op->getResult(0).getType());
  }
}

bool hone::simulate::compute(const Step &step,
                             std::vector<Register> &registers) {
  int64_t &result = registers[step.out[0]].number;
  if (step.constant) {
    result = *step.constant;
    return true;
  }
  auto in = [&](size_t i) { return registers[step.in[i]].number; };
  if (isa<arith::SelectOp>(step.op)) {
    result = in(0) ? in(1) : in(2);
    return true;
  }
  SmallVector<uint64_t, 2> operands;
  for (size_t i = 0; i < std::min<size_t>(step.in.size(), 2); ++i)
    operands.push_back(in(i));
  std::optional<uint64_t> value =
      evaluateAs(step.op, step.row, step.width, step.resultWidth, operands);
  if (value)
    result = *value;
  return value.has_value();
}
