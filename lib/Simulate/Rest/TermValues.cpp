//===- TermValues.cpp - Comparison of terms by value ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TermValues.h.
//
//===----------------------------------------------------------------------===//

#include "TermValues.h"
#include "../Values/Elements.h"
#include "TermSample.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

/// Constants of a term, and their neighbours.
static void addConstants(const Terms &terms, TermId id,
                         std::vector<double> &pool) {
  SmallVector<TermId> leaves;
  terms.leavesOf(id, leaves);
  for (TermId leaf : leaves) {
    auto whole = terms[leaf].kind == Term::number
                     ? terms[leaf].position.constant()
                     : std::nullopt;
    if (whole)
      pool.insert(pool.end(), {double(*whole), double(*whole) + 1,
                               double(*whole) - 1, -double(*whole)});
    if (terms[leaf].kind != Term::constant)
      continue;
    double value = cast<FloatAttr>(terms[leaf].attribute).getValueAsDouble();
    double step = std::max(std::fabs(value) * 0x1p-8, 0x1p-8);
    pool.insert(pool.end(), {value, value + step, value - step, -value});
  }
}

/// Marks the subterms of `id` that are integers computed from positions alone.
static void addQuestions(const Terms &terms, TermId id,
                         std::map<TermId, bool> &isOfPositions) {
  if (isOfPositions.count(id))
    return;
  const Term &term = terms[id];
  bool isAll = isWhole(term.type) &&
               (term.kind == Term::number || term.kind == Term::result);
  for (TermId operand : term.operands) {
    addQuestions(terms, operand, isOfPositions);
    isAll &= isOfPositions.at(operand);
  }
  isOfPositions[id] = isAll;
}

/// True if the kernel's term contains an integer of positions that the
/// function's does not: no choice of values would find the position at which it
/// matters. Sets the number of subterms of the two.
static bool asksMore(const Terms &terms, TermId kernels, TermId functions,
                     size_t &size) {
  std::map<TermId, bool> asked, known;
  addQuestions(terms, kernels, asked);
  addQuestions(terms, functions, known);
  size = asked.size() + known.size();
  return llvm::any_of(asked, [&](auto &entry) {
    return entry.second && terms[entry.first].kind == Term::result &&
           !known.count(entry.first);
  });
}

std::optional<Difference>
hone::simulate::rest::compareValues(const Terms &terms, TermId kernels,
                                    TermId functions) {
  if (kernels == functions)
    return std::nullopt;
  Type type = terms[kernels].type;
  if (type != terms[functions].type)
    return Difference{"is of another type"};
  size_t size = 0;
  if (asksMore(terms, kernels, functions, size))
    return Difference{
        "depends on the position in a way that the function's does not", false};
  std::vector<double> pool;
  addConstants(terms, kernels, pool);
  addConstants(terms, functions, pool);
  // Integers change abruptly, so they need more samples.
  unsigned samples = isWhole(type) && widthOf(type) > 1 ? 1024 : 96;
  unsigned compared = 0;
  for (unsigned i = 0; i < samples && terms.symbols.spend(size); ++i) {
    Sample sample(terms, pool, i);
    auto reference = sample.evaluate(functions, /*isExact=*/false);
    auto value = sample.evaluate(kernels, /*isExact=*/true);
    if (!reference || !value)
      return Difference{"cannot be compared: an op has no known value", false};
    if (reference->isUnknown)
      continue;
    if (value->isUnknown)
      return Difference{"is undefined where the function's is not"};
    bool isOff;
    if (isWhole(type)) {
      isOff = value->whole != reference->whole;
    } else if (type.isF64()) {
      auto [r, error] = reference->real;
      if (!std::isfinite(r) || !std::isfinite(error))
        continue;
      isOff = !(std::fabs(value->real.value - r) <=
                kDeviations * error + 0x1p-48 * std::fabs(r));
    } else {
      double units =
          unitsOff(toElement(type), value->real.value, reference->real);
      if (units < 0)
        continue;
      isOff = !(units <= 1);
    }
    ++compared;
    if (isOff && isWhole(type))
      return Difference{formatv("is {0} where the function has {1}",
                                value->whole, reference->whole)};
    if (isOff)
      return Difference{formatv("is {0} where the function has {1}",
                                value->real.value, reference->real.value)};
  }
  if (compared < samples / 8)
    return Difference{"cannot be compared: no value is certain", false};
  return std::nullopt;
}
