//===- Answers.cpp - Answers to a kernel's questions ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Questions.h.
//
//===----------------------------------------------------------------------===//

#include "Carries.h"
#include "Questions.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

std::optional<bool> Question::answer(ArrayRef<uint64_t> values,
                                     unsigned width) const {
  auto numberOf = [&](uint64_t value) {
    return isSigned && width < 64 ? llvm::SignExtend64(value, width)
                                  : int64_t(value);
  };
  if (kind == truth)
    return values[0] != 0;
  if (kind == carry)
    return values[2] ? std::optional(
                           staysBelow(inner, values[0], values[1], values[2]))
                     : std::nullopt;
  if (kind == unanswerable || kind == change)
    return std::nullopt;
  if (kind == reach)
    return values[operand] >= min;
  if (kind == edge) {
    uint64_t x = values[operand];
    bool isNear = x >= min ? x - min <= slack : min - 1 - x <= slack;
    return isNear ? std::optional(x >= min) : std::nullopt;
  }
  int64_t x = numberOf(values[0]), y = numberOf(values[1]);
  if (kind == trips)
    return x < y;
  if (kind == rounds)
    return x + numberOf(values[2]) < y;
  if (x + int64_t(slack) > y)
    return false;
  return x < y ? std::optional(true) : std::nullopt;
}

std::string Question::str() const {
  constexpr StringRef kWhere = "at the sizes that prove a kernel";
  switch (kind) {
  case truth:
    return formatv("never {0} {1}", needsFirst ? "holds" : "fails", kWhere);
  case trips:
    return formatv("is never {0} {1}", needsFirst ? "entered" : "passed over",
                   kWhere);
  case rounds:
    return formatv("never has {0} {1}",
                   needsFirst ? "a second round" : "fewer than two rounds",
                   kWhere);
  case order:
    return formatv("never has its first operand {0} the second {1}",
                   needsFirst ? "below" : "above", kWhere);
  case reach:
    return formatv("makes a difference {0} {1}{2}, which no size that proves a "
                   "kernel gets to",
                   needsFirst ? "from" : "below", min, needsFirst ? " on" : "");
  case edge:
    return formatv("makes a difference between {0} and {1}, and no size that "
                   "proves a kernel has {2}",
                   min - 1, min, needsFirst ? min : min - 1);
  case carry:
    return formatv("divides a value that 'arith' ops make of others, whose "
                   "remainders never {0} the divisor {1}",
                   needsFirst ? "stay below" : "get past", kWhere);
  case change:
    return formatv("has one result alone {0}", kWhere);
  case unanswerable:
    return "depends on sizes in a way that trials cannot tell apart";
  }
  llvm_unreachable("a kind of question");
}
