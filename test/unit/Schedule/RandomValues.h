//===- RandomValues.h - Problems and schedules at random --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the property tests of this room draw from. The seed is fixed and only
// the engine's raw numbers are used, because the standard library's
// distributions differ between implementations: a failure repeats everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SCHEDULE_RANDOMVALUES_H
#define HONE_TEST_SCHEDULE_RANDOMVALUES_H

#include "hone/Schedule/Schedule.h"
#include <random>

namespace hone::test {

class Random {
public:
  /// A number from 0 to `end` - 1.
  uint64_t below(uint64_t end) { return engine() % end; }
  bool flip() { return below(2) == 0; }
  template <typename T>
  T oneOf(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

  /// Small and large extents are equally likely, and some are unknown.
  int64_t extent() {
    if (below(8) == 0)
      return kDynamic;
    return 1 + below(uint64_t(1) << (1 + below(31))) % INT32_MAX;
  }

  ElementType elementType() {
    return oneOf({ElementType::f16, ElementType::bf16, ElementType::f32});
  }

  Operand operand(bool batched) {
    Operand result;
    result.type = elementType();
    result.order = oneOf({Order::row, Order::col});
    result.align = int64_t(1) << below(5);
    result.shared = batched && flip();
    return result;
  }

  Problem problem() {
    Problem result;
    if (flip())
      result.batch = extent();
    result.m = extent();
    result.n = extent();
    result.k = extent();
    result.a = operand(result.batch.has_value());
    result.b = operand(result.batch.has_value());
    result.acc = elementType();
    result.c = elementType();
    result.alignC = int64_t(1) << below(5);
    result.init = oneOf({Init::zero, Init::read});
    result.epilogue = oneOf<const char *>(
        {"", "relu", "add(n:f32), gelu", "mul(x = 2), add(m:f16)"});
    // Several large extents may be more than there can be.
    return result.fault() ? problem() : result;
  }

  /// A problem whose element types every family takes.
  Problem ordinaryProblem() {
    Problem result = problem();
    result.a.type = result.b.type =
        oneOf({ElementType::f16, ElementType::bf16});
    result.acc = ElementType::f32;
    return result;
  }

  /// Of any kind, with numbers of any size. Most break a law.
  Schedule schedule() {
    Schedule result(*allKinds()[below(allKinds().size())]);
    llvm::MutableArrayRef<int64_t> rest = result.numbers();
    for (const Decision &decision : result.kind().decisions)
      for (size_t i = 0; i < decision.size(); ++i, rest = rest.drop_front())
        rest.front() = decision.words.empty()
                           ? 1 + below(1 << (1 + below(20)))
                           : 1 + below(decision.words.size());
    return result;
  }

  /// `text` with a few characters changed, dropped, doubled or swapped for a
  /// piece of another place in it.
  std::string mutate(std::string text) {
    static constexpr llvm::StringLiteral interesting =
        ",=:?x\"\\-+ \n0123456789abmnkcf_";
    for (uint64_t edits = 1 + below(4); edits && !text.empty(); --edits) {
      size_t at = below(text.size());
      switch (below(5)) {
      case 0:
        text[at] = interesting[below(interesting.size())];
        break;
      case 1:
        text.erase(at, 1 + below(6));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(24)));
        break;
      case 3:
        text[at] = char(below(256));
        break;
      case 4:
        text.insert(at, 1, interesting[below(interesting.size())]);
        break;
      }
    }
    return text;
  }

private:
  std::mt19937_64 engine{20240229};
};

/// The message of a value that had to fail; empty if it did not.
template <typename T>
std::string messageOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

} // namespace hone::test

#endif // HONE_TEST_SCHEDULE_RANDOMVALUES_H
