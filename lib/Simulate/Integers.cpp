//===- Integers.cpp - Integer arithmetic of kernels -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of the arith dialect that kernel builders use, on numbers of up to 64
// bits, which wrap around as on the GPU.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone::simulate;

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

namespace {
/// The operands, signed and unsigned.
struct Operands {
  uint64_t a = 0, b = 0;
  int64_t signedA = 0, signedB = 0;
};
} // namespace

static int64_t signExtend(uint64_t value, unsigned width) {
  return width >= 64 ? int64_t(value) : llvm::SignExtend64(value, width);
}

static bool compare(arith::CmpIPredicate predicate, const Operands &x) {
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

static bool divides(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp,
             arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
}

static bool shifts(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op);
}

static uint64_t evaluate(Operation *op, const Operands &x) {
  return llvm::TypeSwitch<Operation *, uint64_t>(op)
      .Case<arith::AddIOp, scf::ForOp>([&](auto) { return x.a + x.b; })
      .Case([&](arith::SubIOp) { return x.a - x.b; })
      .Case([&](arith::MulIOp) { return x.a * x.b; })
      .Case([&](arith::DivUIOp) { return x.a / x.b; })
      .Case([&](arith::DivSIOp) { return x.signedA / x.signedB; })
      .Case([&](arith::RemUIOp) { return x.a % x.b; })
      .Case([&](arith::RemSIOp) { return x.signedA % x.signedB; })
      .Case([&](arith::CeilDivUIOp) { return (x.a + x.b - 1) / x.b; })
      .Case([&](arith::CeilDivSIOp) {
        return llvm::divideCeilSigned(x.signedA, x.signedB);
      })
      .Case([&](arith::MinUIOp) { return std::min(x.a, x.b); })
      .Case([&](arith::MaxUIOp) { return std::max(x.a, x.b); })
      .Case([&](arith::MinSIOp) { return std::min(x.signedA, x.signedB); })
      .Case([&](arith::MaxSIOp) { return std::max(x.signedA, x.signedB); })
      .Case([&](arith::AndIOp) { return x.a & x.b; })
      .Case([&](arith::OrIOp) { return x.a | x.b; })
      .Case([&](arith::XOrIOp) { return x.a ^ x.b; })
      .Case([&](arith::ShLIOp) { return x.a << x.b; })
      .Case([&](arith::ShRUIOp) { return x.a >> x.b; })
      .Case([&](arith::ShRSIOp) { return x.signedA >> x.b; })
      .Case([&](arith::CmpIOp cmp) {
        return compare(cmp.getPredicate(), x) ? 1 : 0;
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return x.signedA; })
      .Default([&](Operation *) { return x.a; });
}

/// `op` on operands of `type`.
static std::optional<uint64_t> evaluateAs(Operation *op, Type type,
                                          ArrayRef<uint64_t> operands) {
  bool isLoop = isa<scf::ForOp>(op);
  Operands x;
  x.a = operands[0];
  x.signedA = signExtend(x.a, widthOf(type));
  if (operands.size() > 1) {
    x.b = operands[1];
    x.signedB = signExtend(x.b, widthOf(type));
  }
  if ((divides(op) && !x.b) || (isLoop && x.signedB <= 0) ||
      (shifts(op) && x.b >= widthOf(type)))
    return std::nullopt;
  unsigned width = widthOf(isLoop ? type : op->getResult(0).getType());
  return ::evaluate(op, x) & llvm::maskTrailingOnes<uint64_t>(width);
}

std::optional<uint64_t>
hone::simulate::evaluateInteger(Operation *op, ArrayRef<uint64_t> operands) {
  return evaluateAs(op, op->getOperand(0).getType(), operands);
}

bool hone::simulate::compute(const Step &step,
                             std::vector<Register> &registers) {
  int64_t &result = registers[step.out[0]].number;
  if (auto constant = dyn_cast<arith::ConstantOp>(step.op)) {
    APInt value = cast<IntegerAttr>(constant.getValue()).getValue();
    result = value.getZExtValue();
    return true;
  }
  auto in = [&](size_t i) { return registers[step.in[i]].number; };
  if (isa<arith::SelectOp>(step.op)) {
    result = in(0) ? in(1) : in(2);
    return true;
  }
  auto loop = dyn_cast<scf::ForOp>(step.op);
  SmallVector<uint64_t, 2> operands;
  for (size_t i = 0; i < std::min<size_t>(step.in.size(), 2); ++i)
    operands.push_back(in(i));
  std::optional<uint64_t> value =
      evaluateAs(step.op,
                 loop ? loop.getInductionVar().getType()
                      : step.op->getOperand(0).getType(),
                 operands);
  if (value)
    result = *value;
  return value.has_value();
}
