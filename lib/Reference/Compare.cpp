//===- Compare.cpp - Comparison of an outcome with its reference ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Compare.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Compare.h"
#include "Chunks.h"
#include "hone/Numerics/ErrorBound.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::formatv;

static double unitsOff(Element element, double c, Inexact<double> r) {
  return element.isDouble ? unitsOffDouble(c, r) : unitsOff(element.type, c, r);
}

/// True if the two references differ by more than rounding.
static bool hangsOnDecision(Element element, Inexact<double> reference,
                            Inexact<double> turned) {
  double units = unitsOff(element, turned.value, reference);
  return units < 0 || units > 1 || !std::isfinite(turned.error);
}

namespace {
/// The three versions of an array: result, reference, and reference with its
/// decisions turned.
class ArrayComparison {
public:
  ArrayComparison(const Outcome::Array &got, const Outcome::Array &reference,
                  const Outcome::Array *turned)
      : got(got), reference(reference), turned(turned) {}

  /// Compares all elements, on all processors.
  Comparison run() const;

private:
  void compareFloat(int64_t i, Comparison &comparison) const;
  void compareInteger(int64_t i, Comparison &comparison) const;
  void noteWrong(int64_t i, Comparison &comparison) const;

  static Inexact<double> elementOf(const Outcome::Array &array, int64_t i) {
    return {array.elements[i], array.errors[i]};
  }
  std::string print(const Outcome::Array &array, int64_t i) const {
    if (got.element.isDouble)
      return formatv("{0:E16}", array.elements[i]);
    return got.element.isInteger() ? std::to_string(array.integers[i])
                                   : formatv("{0:E5}", array.elements[i]).str();
  }

  const Outcome::Array &got, &reference, *turned;
};
} // namespace

void ArrayComparison::noteWrong(int64_t i, Comparison &comparison) const {
  if (!comparison.wrong++)
    comparison.firstWrong =
        formatv("expected {0} at element {1} of {2}, but got {3}",
                print(reference, i), i, got.name, print(got, i));
}

void ArrayComparison::compareFloat(int64_t i, Comparison &comparison) const {
  Inexact<double> expected = elementOf(reference, i);
  double units = unitsOff(got.element, got.elements[i], expected);
  comparison.exact += expected.error == 0;
  if (units < 0 ||
      (units > 1 && turned &&
       hangsOnDecision(got.element, expected, elementOf(*turned, i)))) {
    ++comparison.notComparable;
    return;
  }
  comparison.worst = std::max(comparison.worst, units);
  if (!(units <= 1))
    noteWrong(i, comparison);
}

/// Integers must match exactly.
void ArrayComparison::compareInteger(int64_t i, Comparison &comparison) const {
  int64_t expected = reference.integers[i];
  ++comparison.exact;
  if (got.integers[i] == expected)
    return;
  if (turned && turned->integers[i] != expected) {
    ++comparison.notComparable;
    return;
  }
  comparison.worst = HUGE_VAL;
  noteWrong(i, comparison);
}

Comparison ArrayComparison::run() const {
  bool isInteger = got.element.isInteger();
  int64_t count = isInteger ? got.integers.size() : got.elements.size();
  std::vector<Comparison> parts(countChunks(count));
  inChunks(count, [&](size_t chunk, int64_t first, int64_t last) {
    Comparison &part = parts[chunk];
    part.elements = last - first;
    for (int64_t i = first; i < last; ++i)
      isInteger ? compareInteger(i, part) : compareFloat(i, part);
  });
  Comparison all;
  for (const Comparison &part : parts)
    all.add(part);
  if (2 * all.notComparable > count)
    all.unanswered =
        formatv("expected elements of {0} that can be compared, but {1} of {2} "
                "depend on how intermediate values are rounded",
                got.name, all.notComparable, count);
  return all;
}

void Comparison::add(const Comparison &other) {
  worst = std::max(worst, other.worst);
  elements += other.elements;
  exact += other.exact;
  notComparable += other.notComparable;
  if (!wrong)
    firstWrong = other.firstWrong;
  wrong += other.wrong;
  if (unanswered.empty())
    unanswered = other.unanswered;
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
    comparison.add(
        ArrayComparison(got.arrays[i], reference.arrays[i], other).run());
  }
  return comparison;
}
