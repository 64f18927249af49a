//===- RandomValues.h - Random problems and schedules -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of the property tests' values. The seed is fixed, and only the
// engine's raw numbers are used, because the standard library's distributions
// differ between implementations: a failure repeats everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SCHEDULE_RANDOMVALUES_H
#define HONE_TEST_SCHEDULE_RANDOMVALUES_H

#include "hone/Arithmetic/ScalarOps.h"
#include "hone/Schedule/EpilogueFunction.h"
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
    if (flip())
      result.epilogue = epilogue(result, oneOf({3, 10, 60})).str();
    // Several large extents together may exceed the bounds.
    return result.fault() ? problem() : result;
  }

  /// An epilogue for `problem`, with up to `max` values.
  EpilogueFunction epilogue(const Problem &problem, size_t max) {
    EpilogueFunction function;
    EpilogueValue sum;
    sum.type = problem.acc;
    function.add(sum);
    for (size_t left = below(max); left; --left)
      if (std::optional<EpilogueValue> value = valueFor(function, problem))
        function.add(*value);
    auto canBeStored = [&](size_t place) {
      EpilogueType type = function.values[place].type;
      return type == problem.c ||
             (type.isFloat() && type.bytes() > sizeOf(problem.c));
    };
    size_t last = function.values.size() - 1;
    while (last && !canBeStored(last))
      --last;
    if (!canBeStored(last)) {
      EpilogueValue wider;
      wider.kind = EpilogueValue::step;
      wider.op = findEpilogueOp("extf");
      wider.type = ElementType::f32;
      wider.arguments = {last};
      last = function.add(wider);
    }
    function.setResult(last);
    return function;
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

  /// `text` with a few characters changed, dropped, doubled or replaced by a
  /// piece from another place in it.
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
  /// Another value of a function; nothing if no value has a type for the
  /// step's op.
  std::optional<EpilogueValue> valueFor(const EpilogueFunction &function,
                                        const Problem &problem) {
    EpilogueValue value;
    switch (below(6)) {
    case 0:
      value.kind = EpilogueValue::operand;
      value.type = below(4) ? elementType() : integerType();
      value.dims = oneOf<const char *>({"", "m", "n", "mn", "nm"});
      if (problem.batch && flip())
        value.dims = "b" + value.dims;
      value.number = 1 + below(3);
      return value;
    case 1:
      value.kind = EpilogueValue::constant;
      if (below(4))
        value.type = below(4)   ? EpilogueType(elementType())
                     : below(3) ? EpilogueType(integerType())
                                : EpilogueType::wide();
      value.bits = value.type.isTruth()
                       ? below(2)
                       : engine() >> (64 - 8 * value.type.bytes());
      return value;
    default:
      return stepFor(function);
    }
  }

  std::optional<EpilogueValue> stepFor(const EpilogueFunction &function) {
    EpilogueValue step;
    step.kind = EpilogueValue::step;
    // Chains grow where every other step needs the newest values.
    size_t count = function.values.size();
    auto any = [&] {
      return flip() ? below(count)
                    : count - 1 - below(std::min(count, size_t(3)));
    };
    auto typeAt = [&](size_t place) { return function.values[place].type; };
    step.type = typeAt(any());
    auto takesIt = [&] { return step.op->ofIntegers == step.type.isInteger(); };
    do
      step.op = epilogueOps()[below(epilogueOps().size())];
    while (!takesIt() && below(100));
    ScalarOp::Form form = step.op->form;
    for (size_t i = 0; i < step.op->arity; ++i) {
      EpilogueType needed = step.type;
      if (form == ScalarOp::selection && i == 0)
        needed = EpilogueType();
      size_t place = any();
      for (int tries = 20; tries && typeAt(place) != needed; --tries)
        place = any();
      if (typeAt(place) != needed)
        return std::nullopt;
      step.arguments.push_back(place);
    }
    bool takesTruth = form == ScalarOp::selection;
    bool ofIntegers = step.op->ofIntegers;
    if (!takesTruth &&
        (ofIntegers ? !step.type.isInteger() : !step.type.isFloat()))
      return std::nullopt;
    if (step.op->converts()) {
      bool narrows = form == ScalarOp::narrowing;
      std::optional<EpilogueType> to =
          converted(step.type, form, step.op->givesIntegers());
      if (!to)
        return std::nullopt;
      step.type = *to;
      if (narrows && !ofIntegers && flip())
        step.mode = oneOf<const char *>({"downward", "to_nearest_away"});
    }
    if (form == ScalarOp::comparison) {
      step.mode = ofIntegers ? oneOf<const char *>({"eq", "slt", "uge"})
                             : oneOf<const char *>({"olt", "une", "true"});
      step.type = EpilogueType();
    }
    bool hasFlags = !takesTruth && !ofIntegers && form != ScalarOp::toInteger;
    if (hasFlags && !below(4))
      step.flags = oneOf<const char *>({"fast", "nnan,nsz", "afn"});
    return step;
  }

  /// A target type for a conversion of this form from `from`; nothing if the
  /// drawn type is not one.
  std::optional<EpilogueType> converted(EpilogueType from, ScalarOp::Form form,
                                        bool givesIntegers) {
    EpilogueType to = elementType();
    if (givesIntegers)
      to = below(3) ? EpilogueType(integerType()) : EpilogueType::wide();
    bool fits = form == ScalarOp::widening    ? to.bytes() > from.bytes()
                : form == ScalarOp::narrowing ? to.bytes() < from.bytes()
                                              : true;
    return fits ? std::optional(to) : std::nullopt;
  }

  ElementType integerType() {
    return flip() ? ElementType::i8 : ElementType::i32;
  }

  std::mt19937_64 engine{20240229};
};

/// The message of a value that had to fail; empty if it did not.
template <typename T>
std::string messageOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

} // namespace hone::test

#endif // HONE_TEST_SCHEDULE_RANDOMVALUES_H
