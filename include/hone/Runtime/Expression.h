//===- Expression.h - Integer formulas of a launch plan ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids, guards and parameters of a launch plan are formulas over the call's
// arguments. A PlanFormula is such a formula as a value: it is parsed once, and
// printed as it was written. Its Expression is a short program for a stack of
// 64-bit integers; evaluating it allocates nothing and is defined for every
// input.
//
//   | binds    | operators       | result                                     |
//   |----------|-----------------|--------------------------------------------|
//   | loosest  | a || b          | 1 if either is not 0, else 0               |
//   |          | a && b          | 1 if both are not 0, else 0                |
//   |          | == !=           | 1 or 0                                     |
//   |          | < <= > >=       | 1 or 0                                     |
//   |          | + -             |                                            |
//   |          | * / %           | the quotient is rounded toward zero        |
//   |          | -a              |                                            |
//   | tightest | ceildiv(a, b)   | the quotient rounded up                    |
//   |          | min(a, b) max   |                                            |
//   |          | resident(a, b)  | the number of the launch's clusters that   |
//   |          |                 | the device holds at once, at most b; a if  |
//   |          |                 | that is unknown                            |
//
// `&&` and `||` skip the right side if the left one decides, so that
// `k != 0 && n / k > 2` never divides by zero.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_RUNTIME_EXPRESSION_H
#define HONE_RUNTIME_EXPRESSION_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

class Expression {
public:
  /// A binary operation pops `b`, then `a`, and pushes `a op b`; `negate` pops
  /// `b` and pushes -b. The skips compute nothing: a translation of the program
  /// may omit them if evaluating both sides does no harm.
  enum class Op : uint8_t {
    // clang-format off
    push,
    add, sub, mul, div, mod, eq, ne, lt, le, gt, ge,
    logicalAnd, logicalOr, ceildiv, min, max,
    orElse, ///< b, or a where b is 0
    negate,
    // clang-format on
    skipIfZero,    ///< if the top is 0, skip `value` steps
    skipIfNonZero, ///< if not: make it 1 and skip `value` steps
  };

  /// The source of `b`, or of the pushed value. Most formulas need no stack.
  enum class Source : uint8_t { stack, argument, constant, resident };

  struct Step {
    Op op;
    Source source;
    int64_t value; ///< index of the argument, the constant, or a distance
  };

  enum class Fault { none, divisionByZero, overflow };

  /// Limits for untrusted text.
  static constexpr unsigned maxSteps = 2048, maxStack = 32, maxNesting = 64;

  /// The value for `args`, which has one value for each name, on a device that
  /// holds `resident` clusters at once; 0 if that is unknown.
  Fault evaluate(const int64_t *args, int64_t &value,
                 int64_t resident = 0) const {
    if (!isSingle)
      return run(args, resident, value);
    value = first.source == Source::argument ? args[first.value] : first.value;
    return Fault::none;
  }

  /// Makes argument `index` a constant.
  void bind(size_t index, int64_t value);

  /// True if it contains no argument; then `evaluate(nullptr, ...)` is valid.
  bool isConstant() const;
  /// True if it contains `resident`, which is useful in a grid only.
  bool asksResident() const;
  const std::vector<Step> &steps() const { return program; }

private:
  friend class PlanFormula;
  Fault run(const int64_t *args, int64_t resident, int64_t &value) const;

  std::vector<Step> program = {{Op::push, Source::constant, 0}};
  Step first = program.front(); ///< inline, because it is often the only one
  bool isSingle = true;
};

/// A formula of a plan. Copies share the program.
class PlanFormula {
public:
  /// No formula.
  PlanFormula() = default;
  PlanFormula(std::string text);
  PlanFormula(const char *text) : PlanFormula(std::string(text)) {}
  /// The formula `1`.
  static const PlanFormula &one();
  /// Parses a text in which only `known` are names of arguments. Returns an
  /// empty string, or "expected ..., but got ...".
  static std::string parse(std::string_view text,
                           const std::vector<std::string> &known,
                           PlanFormula &formula);

  bool empty() const { return !parsed; }
  /// The text that was parsed.
  const std::string &str() const;
  bool operator==(const PlanFormula &other) const {
    return parsed == other.parsed || str() == other.str();
  }
  bool operator!=(const PlanFormula &other) const { return !(*this == other); }

  /// Its arguments, in the order of their first use, which numbers them in
  /// `program`. There are none if the text is not a formula.
  const std::vector<std::string> &arguments() const;
  const Expression &program() const;
  /// The program for a plan, in which the i-th of `names` is argument i.
  /// Returns an empty string, or the error: the text's, or an unknown name.
  std::string bind(const std::vector<std::string> &names,
                   Expression &expression) const;
  /// The value where the i-th of `names` is the i-th of `args`. Returns an
  /// empty string, or the error.
  std::string evaluate(const std::vector<std::string> &names,
                       const std::vector<int64_t> &args, int64_t &value,
                       int64_t resident = 0) const;

private:
  struct Parsed {
    std::string text, error;
    std::vector<std::string> arguments;
    Expression program;
  };
  static std::shared_ptr<const Parsed>
  parse(std::string text, const std::vector<std::string> *known);
  /// The place of each argument among `names`, or an error.
  std::string placesIn(const std::vector<std::string> &names,
                       std::vector<size_t> &places) const;

  std::shared_ptr<const Parsed> parsed; ///< null: no formula
};

/// True if `name` is a valid argument name: a letter or `_`, then letters,
/// digits and `_`, and not a keyword of launch plans.
bool isArgumentName(std::string_view name);

} // namespace hone

#endif // HONE_RUNTIME_EXPRESSION_H
