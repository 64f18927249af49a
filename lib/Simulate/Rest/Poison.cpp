//===- Poison.cpp - Promises that integer ops make ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Poison.h.
//
//===----------------------------------------------------------------------===//

#include "Poison.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::APInt;

Promises rest::promisesOf(Operation *op) {
  Promises promises;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op)) {
    promises.noSignedWrap = flags.hasNoSignedWrap();
    promises.noUnsignedWrap = flags.hasNoUnsignedWrap();
  }
  promises.exact =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<arith::DivUIOp, arith::DivSIOp, arith::ShRUIOp, arith::ShRSIOp>(
              [](auto divides) { return divides.getIsExact(); })
          .Default(false);
  return promises;
}

/// Whether the op wraps as signed and as unsigned numbers.
static std::pair<bool, bool> wraps(Operation *op, const APInt &a,
                                   const APInt &b) {
  bool isSigned = false, isUnsigned = false;
  if (isa<arith::AddIOp>(op)) {
    (void)a.sadd_ov(b, isSigned);
    (void)a.uadd_ov(b, isUnsigned);
  } else if (isa<arith::SubIOp>(op)) {
    (void)a.ssub_ov(b, isSigned);
    (void)a.usub_ov(b, isUnsigned);
  } else if (isa<arith::MulIOp>(op)) {
    (void)a.smul_ov(b, isSigned);
    (void)a.umul_ov(b, isUnsigned);
  } else if (isa<arith::ShLIOp>(op)) {
    (void)a.sshl_ov(b, isSigned);
    (void)a.ushl_ov(b, isUnsigned);
  }
  return {isSigned, isUnsigned};
}

static bool loses(Operation *op, const APInt &a, const APInt &b) {
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op))
    return b.uge(a.getBitWidth()) || a.countr_zero() < b.getZExtValue();
  if (b.isZero())
    return true;
  return !(isa<arith::DivUIOp>(op) ? a.urem(b) : a.srem(b)).isZero();
}

bool rest::isPoison(Operation *op, ArrayRef<uint64_t> operands) {
  Promises promises = promisesOf(op);
  if (!promises.any())
    return false;
  auto widthOf = [](Type type) {
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  APInt a(widthOf(op->getOperand(0).getType()), operands[0]);
  if (isa<arith::TruncIOp>(op)) {
    unsigned width = widthOf(op->getResult(0).getType());
    return (promises.noSignedWrap && !a.isSignedIntN(width)) ||
           (promises.noUnsignedWrap && !a.isIntN(width));
  }
  if (operands.size() != 2)
    return true;
  APInt b(a.getBitWidth(), operands[1]);
  auto [isSigned, isUnsigned] = wraps(op, a, b);
  return (promises.noSignedWrap && isSigned) ||
         (promises.noUnsignedWrap && isUnsigned) ||
         (promises.exact && loses(op, a, b));
}
