//===- Compare.cpp - An outcome beside its reference ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Compare.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/Compare.h"
#include "hone/Measure/ErrorBound.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;

static Inexact<double> elementOf(const Outcome::Array &reference, size_t i) {
  return {reference.elements[i], reference.errors[i]};
}

/// How far off an element is, as `unitsOff`. Integers are what they must be.
static double unitsOff(Element element, double value,
                       Inexact<double> reference) {
  if (element.isInteger())
    return value == reference.value ? 0 : HUGE_VAL;
  return hone::unitsOff(element.type, value, reference);
}

/// True if the two references differ by more than rounding.
static bool hangsOnDecision(Element element, Inexact<double> reference,
                            Inexact<double> turned) {
  double units = ::unitsOff(element, turned.value, reference);
  return units < 0 || units > 1 || !std::isfinite(turned.error);
}

static void compare(const Outcome::Array &got, const Outcome::Array &reference,
                    const Outcome::Array *turned, Comparison &comparison) {
  int64_t before = comparison.notComparable;
  for (size_t i = 0; i < got.elements.size(); ++i) {
    Inexact<double> expected = elementOf(reference, i);
    double value = got.elements[i];
    double units = ::unitsOff(got.element, value, expected);
    ++comparison.elements;
    comparison.exact += expected.error == 0;
    if (units >= 0 && units <= 1) {
      comparison.worst = std::max(comparison.worst, units);
      continue;
    }
    if (units < 0 || (turned && hangsOnDecision(got.element, expected,
                                                elementOf(*turned, i)))) {
      ++comparison.notComparable;
      continue;
    }
    comparison.worst = std::max(comparison.worst, units);
    if (!comparison.wrong++)
      comparison.firstWrong =
          formatv("expected {0:E5} at element {1} of {2}, but got {3:E5}",
                  expected.value, i, got.name, value);
  }
  int64_t count = got.elements.size();
  int64_t unknown = comparison.notComparable - before;
  if (2 * unknown > count && comparison.unanswered.empty())
    comparison.unanswered =
        formatv("expected elements of {0} that can be compared, but {1} of {2} "
                "hang on how intermediate values are rounded",
                got.name, unknown, count);
}

llvm::Expected<Comparison> hone::compare(const Outcome &got,
                                         const Outcome &reference,
                                         const Outcome *turned) {
  Comparison comparison;
  if (got.arrays.size() != reference.arrays.size())
    return llvm::createStringError(
        "expected as many results and arguments as the reference has");
  for (size_t i = 0; i < reference.arrays.size(); ++i) {
    const Outcome::Array *other = turned ? &turned->arrays[i] : nullptr;
    if (got.arrays[i].sizes != reference.arrays[i].sizes ||
        (other && other->sizes != reference.arrays[i].sizes))
      return llvm::createStringError(
          reference.arrays[i].name +
          ": expected the shape of the reference, but got another");
    ::compare(got.arrays[i], reference.arrays[i], other, comparison);
  }
  return comparison;
}
