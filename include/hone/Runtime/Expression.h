//===- Expression.h - Integer formulas of a launch plan ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids, guards and parameters of a launch plan are formulas over the call's
// arguments. A PlanFormula is such a formula as a value: builders make it from
// its operands, and a text is parsed once. Its Expression is a short program
// for a stack of 64-bit integers; evaluating it allocates nothing and is
// defined for every input. Texts have one spelling, apart from brackets.
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
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

/// A node of a formula, in postfix order: the operands' nodes precede it.
struct FormulaNode {
  Expression::Op op = Expression::Op::push; ///< `push`: a number or an argument
  bool isArgument = false;
  uint16_t brackets = 0; ///< pairs around it in the text
  uint32_t size = 1;     ///< nodes of it and its operands
  int64_t value = 0;     ///< the number, or the argument's index

  bool operator==(const FormulaNode &other) const {
    return op == other.op && isArgument == other.isArgument &&
           brackets == other.brackets && size == other.size &&
           value == other.value;
  }
};

/// A formula of a plan: an operation with its operands, a number or an
/// argument. Copies share the nodes.
class PlanFormula {
public:
  using Op = Expression::Op;

  /// No formula.
  PlanFormula() = default;
  /// A text, parsed.
  PlanFormula(std::string text);
  PlanFormula(const char *text) : PlanFormula(std::string(text)) {}
  /// A number.
  template <typename Number,
            std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  PlanFormula(Number number) : PlanFormula(ofNumber(number)) {}
  /// The result of `==` is a bool; equals() makes a formula.
  PlanFormula(bool) = delete;
  /// The argument of this name.
  static PlanFormula argument(std::string name);
  /// `a op b`; `orElse` is resident(a, b). Operands get the brackets that they
  /// need; sums, products, && and || are joined to the left instead.
  static PlanFormula of(Op op, PlanFormula a, PlanFormula b);
  friend PlanFormula operator+(PlanFormula a, PlanFormula b) {
    return of(Op::add, std::move(a), std::move(b));
  }
  friend PlanFormula operator-(PlanFormula a, PlanFormula b) {
    return of(Op::sub, std::move(a), std::move(b));
  }
  friend PlanFormula operator*(PlanFormula a, PlanFormula b) {
    return of(Op::mul, std::move(a), std::move(b));
  }
  friend PlanFormula operator/(PlanFormula a, PlanFormula b) {
    return of(Op::div, std::move(a), std::move(b));
  }
  friend PlanFormula operator%(PlanFormula a, PlanFormula b) {
    return of(Op::mod, std::move(a), std::move(b));
  }
  friend PlanFormula operator<(PlanFormula a, PlanFormula b) {
    return of(Op::lt, std::move(a), std::move(b));
  }
  friend PlanFormula operator<=(PlanFormula a, PlanFormula b) {
    return of(Op::le, std::move(a), std::move(b));
  }
  friend PlanFormula operator>(PlanFormula a, PlanFormula b) {
    return of(Op::gt, std::move(a), std::move(b));
  }
  friend PlanFormula operator>=(PlanFormula a, PlanFormula b) {
    return of(Op::ge, std::move(a), std::move(b));
  }
  friend PlanFormula equals(PlanFormula a, PlanFormula b) {
    return of(Op::eq, std::move(a), std::move(b));
  }
  friend PlanFormula either(PlanFormula a, PlanFormula b) {
    return of(Op::logicalOr, std::move(a), std::move(b));
  }
  friend PlanFormula ceildiv(PlanFormula a, PlanFormula b) {
    return of(Op::ceildiv, std::move(a), std::move(b));
  }
  friend PlanFormula min(PlanFormula a, PlanFormula b) {
    return of(Op::min, std::move(a), std::move(b));
  }
  friend PlanFormula max(PlanFormula a, PlanFormula b) {
    return of(Op::max, std::move(a), std::move(b));
  }
  friend PlanFormula resident(PlanFormula a, PlanFormula b) {
    return of(Op::orElse, std::move(a), std::move(b));
  }
  /// The formula `1`.
  static const PlanFormula &one();
  /// Parses a text in which only `known` are names of arguments. Returns an
  /// empty string, or "expected ..., but got ...".
  static std::string parse(std::string_view text,
                           const std::vector<std::string> &known,
                           PlanFormula &formula);

  bool empty() const { return !value; }
  /// The text; of a text that is not a formula, that text.
  std::string str() const;
  bool operator==(const PlanFormula &other) const;
  bool operator!=(const PlanFormula &other) const { return !(*this == other); }
  size_t hash() const;

  /// The last operation of the formula, or `push`.
  Op op() const { return root().op; }
  bool hasBrackets() const { return root().brackets > 0; }
  /// The formula in brackets, which affect its text alone.
  PlanFormula inBrackets() const;
  bool isNumber(int64_t number) const {
    return op() == Op::push && !root().isArgument && root().value == number;
  }
  /// The value of a formula without arguments, if it has one.
  std::optional<int64_t> number() const;
  /// The name of an argument; empty for other formulas.
  std::string_view name() const;
  /// The operands; a negation has the right one alone.
  PlanFormula left() const, right() const;

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
  struct Value {
    std::vector<FormulaNode> nodes;
    std::vector<std::string> arguments;
    Expression program;
    std::string text, error; ///< of a text that is not a formula
  };
  static PlanFormula ofNumber(int64_t number);
  static PlanFormula ofNodes(Value value);
  static Value parse(std::string_view text,
                     const std::vector<std::string> *known);
  const FormulaNode &root() const;
  PlanFormula part(size_t root) const;
  /// The place of each argument among `names`, or an error.
  std::string placesIn(const std::vector<std::string> &names,
                       std::vector<size_t> &places) const;

  std::shared_ptr<const Value> value; ///< null: no formula
};

/// `a && b`; an empty operand, or `1`, adds nothing.
PlanFormula both(PlanFormula a, PlanFormula b);
/// The conditions that a guard joins by &&, in order. A condition in brackets
/// is one.
std::vector<PlanFormula> conjuncts(const PlanFormula &guard);

/// True if `name` is a valid argument name: a letter or `_`, then letters,
/// digits and `_`, and not a keyword of launch plans.
bool isArgumentName(std::string_view name);

} // namespace hone

#endif // HONE_RUNTIME_EXPRESSION_H
