//===- PlanFormula.cpp - Formulas as values -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula is a list of nodes in postfix order. The parser (FormulaParser.cpp)
// and builders make the nodes; the program and the text are made from them.
//
//===----------------------------------------------------------------------===//

#include "Formula.h"

using namespace hone;
using namespace hone::detail;
using Source = Expression::Source;
using Fault = Expression::Fault;

namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Makes the program of nodes.
class Compiler {
public:
  explicit Compiler(const std::vector<FormulaNode> &nodes) : nodes(nodes) {
    program.reserve(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i)
      if (isBetween(nodes[i].op)) {
        owners.resize(nodes.size());
        owners[leftOf(nodes, i)] = i;
      }
  }

  /// False if the program exceeds the limits.
  bool run(std::vector<Expression::Step> &steps) {
    std::vector<size_t> begins(owners.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const FormulaNode &node = nodes[i];
      if (node.op == Op::push)
        emit(Op::push, node.isArgument ? Source::argument : Source::constant,
             node.value);
      else if (node.op == Op::negate)
        emit(Op::negate, Source::stack, 0);
      else
        // resident(a, b) is min(the number of resident clusters if known, else
        // a; b).
        combine(node.op == Op::orElse ? Op::min : node.op);
      if (node.op == Op::logicalAnd || node.op == Op::logicalOr)
        program[begins[i]].value = program.size() - begins[i] - 1;
      if (size_t owner = i < owners.size() ? owners[i] : 0)
        begins[owner] = emitBetween(nodes[owner].op);
    }
    steps = std::move(program);
    return deepest <= Expression::maxStack &&
           steps.size() <= Expression::maxSteps;
  }

private:
  /// Operations with a step between their operands.
  static bool isBetween(Op op) {
    return op == Op::logicalAnd || op == Op::logicalOr || op == Op::orElse;
  }

  size_t emitBetween(Op op) {
    if (op == Op::orElse)
      emit(Op::orElse, Source::resident, 0);
    else
      emit(op == Op::logicalAnd ? Op::skipIfZero : Op::skipIfNonZero,
           Source::constant, 0);
    return program.size() - 1;
  }

  /// Ends an operation: merges a push just emitted into it as its right
  /// operand.
  void combine(Op op) {
    Expression::Step last = program.back();
    if (last.op != Op::push)
      return emit(op, Source::stack, 0);
    program.pop_back();
    --depth;
    emit(op, last.source, last.value);
  }

  void emit(Op op, Source source, int64_t value) {
    if (op == Op::push)
      deepest = std::max(deepest, ++depth);
    else if (op < Op::negate && source == Source::stack)
      --depth;
    program.push_back({op, source, value});
  }

  const std::vector<FormulaNode> &nodes;
  /// By the root of a left operand: the operation with a step after it.
  std::vector<size_t> owners;
  std::vector<Expression::Step> program;
  unsigned depth = 0, deepest = 0;
};

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Adds the text of the formula at `root`.
void print(const std::vector<FormulaNode> &nodes,
           const std::vector<std::string> &arguments, size_t root,
           std::string &text) {
  const FormulaNode &node = nodes[root];
  text.append(node.brackets, '(');
  const Binary *binary = binaryOf(node.op);
  if (node.op == Op::push) {
    text +=
        node.isArgument ? arguments[node.value] : std::to_string(node.value);
  } else if (node.op == Op::negate) {
    text += '-';
    print(nodes, arguments, root - 1, text);
  } else {
    for (const Function &function : kFunctions)
      if (function.op == node.op)
        (text += function.name) += '(';
    print(nodes, arguments, leftOf(nodes, root), text);
    if (binary)
      ((text += ' ') += binary->spelling) += ' ';
    else
      text += ", ";
    print(nodes, arguments, root - 1, text);
    text.append(!binary, ')');
  }
  text.append(node.brackets, ')');
}

bool isAssociative(Op op) {
  return op == Op::add || op == Op::mul || op == Op::logicalAnd ||
         op == Op::logicalOr;
}

/// How tightly the text of a formula binds.
int precedenceOf(const PlanFormula &formula) {
  const Binary *binary = binaryOf(formula.op());
  return binary && !formula.hasBrackets() ? binary->precedence : kTightest;
}

} // namespace

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

PlanFormula PlanFormula::ofNodes(Value value) {
  if (value.error.empty()) {
    Expression &program = value.program;
    if (!Compiler(value.nodes).run(program.program)) {
      value.error = "expected a shorter expression, but got one of " +
                    std::to_string(program.program.size()) + " steps";
      program = {};
    }
    int64_t known;
    if (program.isConstant() && program.run(nullptr, 0, known) == Fault::none)
      program.program = {{Op::push, Source::constant, known}};
    program.isSingle = program.program.size() == 1;
    program.first = program.program.front();
  }
  PlanFormula formula;
  formula.value = std::make_shared<const Value>(std::move(value));
  return formula;
}

PlanFormula PlanFormula::ofNumber(int64_t number) {
  Value value;
  FormulaNode &node = value.nodes.emplace_back();
  node.value = number < 0 ? -number : number;
  if (number < 0)
    addNegation(value.nodes);
  return ofNodes(std::move(value));
}

PlanFormula PlanFormula::argument(std::string name) {
  Value value;
  value.nodes.emplace_back().isArgument = true;
  value.arguments.push_back(std::move(name));
  return ofNodes(std::move(value));
}

PlanFormula PlanFormula::of(Op op, PlanFormula a, PlanFormula b) {
  for (const PlanFormula *operand : {&a, &b})
    if (operand->empty() || !operand->value->error.empty())
      return *operand;
  // The text of a + (b + c) is a + b + c.
  if (isAssociative(op) && b.op() == op && !b.hasBrackets())
    return of(op, of(op, std::move(a), b.left()), b.right());
  if (const Binary *binary = binaryOf(op)) {
    if (precedenceOf(a) < binary->precedence)
      a = a.inBrackets();
    if (precedenceOf(b) <= binary->precedence)
      b = b.inBrackets();
  }
  Value value = *a.value;
  for (FormulaNode node : b.value->nodes) {
    if (node.isArgument)
      node.value = numberOf(b.value->arguments[node.value], value.arguments);
    value.nodes.push_back(node);
  }
  addBinary(op, value.nodes);
  return ofNodes(std::move(value));
}

const PlanFormula &PlanFormula::one() {
  static const PlanFormula one = 1;
  return one;
}

PlanFormula PlanFormula::inBrackets() const {
  Value copy = *value;
  ++copy.nodes.back().brackets;
  return ofNodes(std::move(copy));
}

PlanFormula hone::both(PlanFormula a, PlanFormula b) {
  if (b.empty() || b.isNumber(1))
    return a.empty() ? b : a;
  if (a.empty() || a.isNumber(1))
    return b;
  return PlanFormula::of(Op::logicalAnd, std::move(a), std::move(b));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

const FormulaNode &PlanFormula::root() const {
  static const FormulaNode none;
  return value ? value->nodes.back() : none;
}

PlanFormula PlanFormula::part(size_t root) const {
  Value copy;
  size_t first = root + 1 - value->nodes[root].size;
  for (size_t i = first; i <= root; ++i) {
    FormulaNode node = value->nodes[i];
    if (node.isArgument)
      node.value = numberOf(value->arguments[node.value], copy.arguments);
    copy.nodes.push_back(node);
  }
  return ofNodes(std::move(copy));
}

PlanFormula PlanFormula::left() const {
  bool isBinary = op() != Op::push && op() != Op::negate;
  return isBinary ? part(leftOf(value->nodes, value->nodes.size() - 1))
                  : PlanFormula();
}

PlanFormula PlanFormula::right() const {
  return op() == Op::push ? PlanFormula() : part(value->nodes.size() - 2);
}

std::optional<int64_t> PlanFormula::number() const {
  int64_t number;
  if (value && value->error.empty() && value->program.isConstant() &&
      value->program.evaluate(nullptr, number) == Fault::none)
    return number;
  return std::nullopt;
}

std::string_view PlanFormula::name() const {
  return root().isArgument ? std::string_view(value->arguments.front())
                           : std::string_view();
}

std::vector<PlanFormula> hone::conjuncts(const PlanFormula &guard) {
  std::vector<PlanFormula> conditions;
  PlanFormula rest = guard;
  for (; rest.op() == Op::logicalAnd && !rest.hasBrackets(); rest = rest.left())
    conditions.push_back(rest.right());
  conditions.push_back(rest);
  std::reverse(conditions.begin(), conditions.end());
  return conditions;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool PlanFormula::operator==(const PlanFormula &other) const {
  if (value == other.value || !value || !other.value)
    return value == other.value;
  return value->nodes == other.value->nodes &&
         value->arguments == other.value->arguments &&
         value->text == other.value->text;
}

size_t PlanFormula::hash() const {
  size_t hash = 0;
  if (!value)
    return hash;
  auto add = [&](uint64_t number) {
    constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;
    hash = (hash ^ number) * kPrime;
    hash ^= hash >> 32;
  };
  for (const FormulaNode &node : value->nodes)
    add(uint64_t(node.op)), add(node.isArgument), add(node.value);
  for (const std::string &argument : value->arguments)
    add(std::hash<std::string>()(argument));
  return hash;
}

std::string PlanFormula::str() const {
  if (!value || !value->text.empty())
    return value ? value->text : std::string();
  std::string text;
  print(value->nodes, value->arguments, value->nodes.size() - 1, text);
  return text;
}

const std::vector<std::string> &PlanFormula::arguments() const {
  static const std::vector<std::string> none;
  return value ? value->arguments : none;
}

const Expression &PlanFormula::program() const {
  static const Expression none;
  return value ? value->program : none;
}

std::string PlanFormula::placesIn(const std::vector<std::string> &names,
                                  std::vector<size_t> &places) const {
  if (!value)
    return expected(kPrimary, "");
  if (!value->error.empty())
    return value->error;
  places.reserve(value->arguments.size());
  for (const std::string &argument : value->arguments) {
    auto found = std::find(names.begin(), names.end(), argument);
    if (found == names.end())
      return expected(kPrimary, argument);
    places.push_back(found - names.begin());
  }
  return {};
}

std::string PlanFormula::bind(const std::vector<std::string> &names,
                              Expression &expression) const {
  std::vector<size_t> places;
  std::string error = placesIn(names, places);
  if (!error.empty())
    return error;
  expression = value->program;
  for (Expression::Step &step : expression.program)
    if (step.source == Source::argument)
      step.value = places[step.value];
  expression.first = expression.program.front();
  return {};
}

std::string PlanFormula::evaluate(const std::vector<std::string> &names,
                                  const std::vector<int64_t> &args,
                                  int64_t &result, int64_t resident) const {
  std::vector<size_t> places;
  std::string error = placesIn(names, places);
  if (!error.empty())
    return error;
  std::vector<int64_t> own;
  for (size_t place : places)
    own.push_back(args[place]);
  if (value->program.evaluate(own.data(), result, resident) != Fault::none)
    return "expected a formula with a value";
  return {};
}
