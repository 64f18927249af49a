//===- TermIntegers.cpp - Integers as formulas ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and comparisons on positions; see Terms.h.
//
//===----------------------------------------------------------------------===//

#include "Poison.h"
#include "Terms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone::simulate;
using namespace hone::simulate::rest;

/// True if `value` is certain to fit this type, as a signed number and as an
/// unsigned one. Addresses and extents fit 64 bits.
bool Terms::fits(const Polynomial &value, Type type) const {
  unsigned width = widthOf(type);
  if (width == 64)
    return value.isValid();
  int64_t last = width == 1 ? 1 : (int64_t(1) << (width - 1)) - 1;
  return symbols.isNonNegative(value) &&
         symbols.isNonNegative(Polynomial(last) - value);
}

Polynomial Terms::numberOf(TermId id) {
  const Term term = terms[id];
  if (term.kind == Term::number)
    return term.position;
  if (auto found = unknowns.find(id); found != unknowns.end())
    return found->second;
  bool mayWrap = !term.attribute && term.kind == Term::result && term.op &&
                 widthOf(term.type) == 64;
  Polynomial number;
  auto operand = [&](unsigned i) { return numberOf(term.operands[i]); };
  if (mayWrap && isa<arith::AddIOp>(term.op)) {
    number = operand(0) + operand(1);
  } else if (mayWrap && isa<arith::SubIOp>(term.op)) {
    number = operand(0) - operand(1);
  } else if (mayWrap && isa<arith::MulIOp>(term.op)) {
    number = operand(0) * operand(1);
  } else {
    Symbol symbol = symbols.addUnknown("value " + std::to_string(id));
    termsOfUnknowns[symbol] = id;
    number = Polynomial::of(symbol);
  }
  return unknowns[id] = number;
}

/// True if `value`, the result of `op` on `x` and `y`, which fits its type, is
/// not poison.
bool Terms::keepsPromises(Operation *op, const Polynomial &x,
                          const Polynomial &y, const Polynomial &value) const {
  Promises promises = promisesOf(op);
  if (promises.noUnsignedWrap && !symbols.isNonNegative(value))
    return false;
  // A value that fits is below the sign bit, except for truth values.
  if (promises.noSignedWrap && widthOf(op->getResult(0).getType()) == 1)
    return false;
  if (!promises.exact)
    return true;
  auto bits = y.constant();
  bool isShift = isa<arith::ShRUIOp, arith::ShRSIOp>(op);
  return value * (isShift ? Polynomial(int64_t(1) << *bits) : y) == x;
}

/// Integer arithmetic on positions; nothing if the result may not fit.
std::optional<TermId> Terms::applyNumbers(Operation *op, TermId a, TermId b) {
  const Polynomial x = terms[a].position, y = terms[b].position;
  Type type = op->getResult(0).getType();
  auto powerOf = [&](const Polynomial &shift) -> std::optional<Polynomial> {
    auto bits = shift.constant();
    if (!bits || *bits < 0 || *bits >= std::min(63u, widthOf(type)))
      return std::nullopt;
    return Polynomial(int64_t(1) << *bits);
  };
  std::optional<Polynomial> value;
  if (isa<arith::AddIOp>(op))
    value = x + y;
  else if (isa<arith::SubIOp>(op))
    value = x - y;
  else if (isa<arith::MulIOp>(op))
    value = x * y;
  else if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    value = symbols.quotient(x, y);
  else if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    value = symbols.quotient(x + y - 1, y);
  else if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    value = symbols.remainder(x, y);
  else if (isa<arith::ShLIOp>(op)) {
    if (auto power = powerOf(y))
      value = x * *power;
  } else if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    if (auto power = powerOf(y))
      value = symbols.quotient(x, *power);
  } else if (auto mask = y.constant(); isa<arith::AndIOp>(op) && mask &&
                                       *mask > 0 && (*mask & (*mask + 1)) == 0)
    value = symbols.remainder(x, *mask + 1);
  if (!value || !fits(*value, type) || !keepsPromises(op, x, y, *value))
    return std::nullopt;
  return number(*value, type);
}

/// A comparison of positions whose outcome is certain.
std::optional<TermId> Terms::decide(Operation *op, TermId a, TermId b) {
  using P = arith::CmpIPredicate;
  P predicate = cast<arith::CmpIOp>(op).getPredicate();
  Polynomial x = terms[a].position, y = terms[b].position;
  bool isSigned = predicate == P::slt || predicate == P::sle ||
                  predicate == P::sgt || predicate == P::sge;
  if (!isSigned && (!symbols.isNonNegative(x) || !symbols.isNonNegative(y)))
    return std::nullopt;
  bool isLess = symbols.isLess(x, y), isMore = symbols.isLess(y, x);
  bool isUpTo = symbols.isNonNegative(y - x);
  bool isFrom = symbols.isNonNegative(x - y), isEqual = x == y;
  auto answer = [&](bool yes, bool no) -> std::optional<TermId> {
    if (!yes && !no)
      return std::nullopt;
    return number(yes, op->getResult(0).getType());
  };
  switch (predicate) {
  case P::eq:
    return answer(isEqual, isLess || isMore);
  case P::ne:
    return answer(isLess || isMore, isEqual);
  case P::slt:
  case P::ult:
    return answer(isLess, isFrom);
  case P::sle:
  case P::ule:
    return answer(isUpTo, isMore);
  case P::sgt:
  case P::ugt:
    return answer(isMore, isUpTo);
  case P::sge:
  case P::uge:
    return answer(isFrom, isLess);
  }
  return std::nullopt;
}
