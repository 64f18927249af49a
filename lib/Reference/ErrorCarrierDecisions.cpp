//===- ErrorCarrierDecisions.cpp - Decisions that rounding may change -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An integer cannot carry an error. A comparison whose result rounding may
// change is followed to the selects of its block. A use outside the block is a
// decision, and the reference can be computed again with all decisions turned.
//
//===----------------------------------------------------------------------===//

#include "ErrorCarrier.h"

using namespace mlir;
using namespace hone;
using namespace hone::detail;

void ErrorCarrier::rewriteCompare(arith::CmpFOp op) {
  Number x = unpack(op, op.getLhs()), y = unpack(op, op.getRhs());
  Emitted doubt = mayBeSwapped(x, y);
  Emitted result = emitted(op, call(op, {x.value.value, y.value.value}));
  if (decisions == Decisions::turned)
    result = result.make<arith::XOrIOp>(doubt.value);
  op.getResult().replaceAllUsesWith(result.value);
  doubts[result.value] = doubt.value;
  op.erase();
}

void ErrorCarrier::rewriteToInteger(Operation *op) {
  Number x = unpack(op, op->getOperand(0));
  Emitted reach = x.error * constantLike(x.error, kDeviations);
  Value value = call(op, x.value.value);
  Value above = call(op, (x.value + reach).value);
  Value below = call(op, (x.value - reach).value);
  Value doubt = arith::CmpIOp::create(builder, op->getLoc(),
                                      arith::CmpIPredicate::ne, above, below);
  if (decisions == Decisions::turned) {
    Value isAbove = arith::CmpIOp::create(
        builder, op->getLoc(), arith::CmpIPredicate::eq, value, above);
    value =
        arith::SelectOp::create(builder, op->getLoc(), isAbove, below, above);
  }
  op->getResult(0).replaceAllUsesWith(value);
  doubts[value] = doubt;
  op->erase();
}

/// A select of two floats: with a doubtful condition, the error covers both.
void ErrorCarrier::rewriteSelect(arith::SelectOp op) {
  Value doubt = doubts.lookup(op.getCondition());
  if (!doubt)
    return;
  Number x = unpack(op, op.getTrueValue()), y = unpack(op, op.getFalseValue());
  Emitted isTrue = emitted(op, op.getCondition());
  Emitted value = choose(isTrue, x.value, y.value);
  Emitted error = choose(isTrue, x.error, y.error);
  // Equal infinities have distance 0.
  Emitted distance = choose(isSame(x.value, y.value), constantLike(value, 0),
                            absolute(x.value - y.value));
  Emitted either = larger(x.error, y.error) + distance;
  error = choose(emitted(op, doubt), either, error);
  op.getResult().replaceAllUsesWith(
      pack(settle<Emitted>({value, error}, x.error + y.error)));
  op.erase();
}

/// Propagates doubt through an op on integers.
void ErrorCarrier::spreadDoubt(Operation *op) {
  Value doubt;
  for (Value operand : op->getOperands())
    if (Value other = doubts.lookup(operand))
      doubt = doubt ? arith::OrIOp::create(builder, op->getLoc(), doubt, other)
                          .getResult()
                    : other;
  if (!doubt)
    return;
  for (Value result : op->getResults())
    doubts[result] = doubt;
}

void ErrorCarrier::lookForDecisions() {
  for (auto [value, doubt] : doubts)
    for (Operation *user : value.getUsers())
      if (!isa_and_nonnull<arith::ArithDialect>(user->getDialect()))
        hasDecisions = true;
}
