//===- CommonLaws.cpp - Laws that several kinds share ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CommonLaws.h.
//
//===----------------------------------------------------------------------===//

#include "CommonLaws.h"
#include "hone/Schedule/ExactF32.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

void detail::Stated::appendTo(std::string &out) const {
  if (isNumber)
    out += std::to_string(number);
  else
    out += text;
}

std::string detail::reasonOf(StringRef format, llvm::ArrayRef<Stated> all) {
  std::string reason;
  while (!format.empty()) {
    auto [text, rest] = format.split('{');
    reason += text;
    format = rest;
    size_t number = 0;
    if (!format.consumeInteger(10, number) && format.consume_front("}"))
      all[number].appendTo(reason);
  }
  return reason;
}

Broken detail::multipleOf(const KnownFacts &facts, StringRef what,
                          int64_t value, int64_t unit,
                          const llvm::Twine &unitText) {
  if (value % unit == 0)
    return std::nullopt;
  return refuse(facts,
                "expected {0} to be a multiple of {1}, but got {2}; use {3}",
                what, facts.wantsReason ? unitText.str() : "", value,
                llvm::alignTo(value, unit));
}

Broken detail::multipleBecause(const KnownFacts &facts, StringRef what,
                               int64_t value, int64_t unit, StringRef why) {
  return multipleOf(facts, what, value, unit, llvm::Twine(unit) + why);
}

Broken detail::within(const KnownFacts &facts, StringRef what, int64_t value,
                      int64_t min, int64_t max) {
  if (value >= min && value <= max)
    return std::nullopt;
  return refuse(facts, "expected {0} to be {1} to {2}, but got {3}; use {4}",
                what, min, max, value, std::clamp(value, min, max));
}

Broken detail::atMost(const KnownFacts &facts, StringRef what, int64_t value,
                      int64_t max) {
  if (value <= max)
    return std::nullopt;
  return refuse(facts, "expected {0} to be at most {1}, but got {2}; use {1}",
                what, max, value);
}

Broken detail::groupFits(const KnownFacts &facts, int64_t group) {
  return within(facts, "group", group, 1, 65535);
}

Broken detail::refuseAccumulator(const Problem &problem) {
  ElementType acc = accumulatorOf(problem.a.type);
  if (problem.acc != acc)
    return formatv("expected acc to be {0}, but got {1}; use {0}",
                   toString(acc), toString(problem.acc))
        .str();
  bool isLikeSum = isInteger(acc) ? problem.c == acc : !isInteger(problem.c);
  bool isConverted = !problem.epilogue.empty() && problem.init == Init::zero;
  if (isLikeSum || isConverted)
    return std::nullopt;
  return formatv(
             "expected c to be {0}, as sums of {1} are, but got {2}; use an "
             "epilogue that converts them, and init = zero",
             isInteger(acc) ? "i32" : "a float", toString(problem.a.type),
             toString(problem.c))
      .str();
}

Broken detail::refuseTensorCoreTypes(const Problem &problem) {
  ElementType a = problem.a.type, b = problem.b.type;
  llvm::ArrayRef<Products> permissions = permissionsOf(a);
  bool isExact = !permissions.empty() && problem.products == Products::exact;
  if (!areMultiplied(a, b) || isExact) {
    std::string other = areMultiplied(a, b)
                            ? ", or products = " + wordsOf(permissions)
                            : std::string();
    if (isExactF32(problem))
      other += ", or mma_sync";
    return formatv("expected a and b to be both f16 or both bf16, but got {0} "
                   "and {1}; use one of these types for both{2}",
                   toString(a), toString(b), other)
        .str();
  }
  return refuseAccumulator(problem);
}

std::optional<int64_t> detail::partsOfK(const Problem &problem) {
  if (!problem.numbers.isInvariant() || isInteger(problem.acc))
    return std::nullopt;
  return problem.numbers.parts;
}

int64_t detail::unitOfParts(const Problem &problem) {
  constexpr int64_t kBytes = 128;
  return kBytes / sizeOf(problem.a.type);
}

Broken detail::keepsParts(const KnownFacts &facts, StringRef what,
                          int64_t parts, int64_t tileK) {
  const Problem *problem = facts.problem;
  std::optional<int64_t> wanted = problem ? partsOfK(*problem) : std::nullopt;
  if (!wanted)
    return std::nullopt;
  if (parts != *wanted)
    return refuse(facts,
                  "expected {0} to be {1} where numbers are {2}, but got {3}; "
                  "use {1}, or numbers = {4}",
                  what, *wanted, problem->numbers.str(), parts,
                  parts == 1 ? "invariant" : "deterministic");
  int64_t unit = unitOfParts(*problem);
  if (parts == 1 || tileK == unit)
    return std::nullopt;
  return refuse(facts,
                "expected tile.k to be {0} where numbers are {1}, because K is "
                "cut at its multiples, but got {2}; use {0}",
                unit, problem->numbers.str(), tileK);
}

Broken detail::refuseRegisterTypes(const Problem &problem) {
  if (isExactF32(problem))
    return refuseAccumulator(problem);
  return refuseTensorCoreTypes(problem);
}
