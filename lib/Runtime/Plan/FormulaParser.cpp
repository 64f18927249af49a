//===- FormulaParser.cpp - Parser of formulas -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of formulas are untrusted. See Expression.h.
//
//===----------------------------------------------------------------------===//

#include "Formula.h"

using namespace hone;
using namespace hone::detail;

namespace {

bool contains(const std::vector<std::string> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Recursive descent over precedences. The first error ends it.
class Parser {
public:
  /// Adds arguments to `names`. Without `known`, any name is one.
  Parser(std::string_view text, const std::vector<std::string> *known,
         std::vector<std::string> &names)
      : rest(text), known(known), names(names) {
    nodes.reserve(text.size() / 3 + 1);
  }

  std::string run(std::vector<FormulaNode> &parsed) {
    if (parseBinary(1) && !skipBlanks().empty())
      fail("an operator or the end of the expression", rest);
    parsed = std::move(nodes);
    return std::move(error);
  }

private:
  bool fail(std::string_view what, std::string_view got) {
    if (error.empty())
      error = expected(what, got);
    return false;
  }

  std::string_view skipBlanks() {
    while (!rest.empty() && isBlank(rest.front()))
      rest.remove_prefix(1);
    return rest;
  }

  bool consume(std::string_view token) {
    if (skipBlanks().substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  bool expect(std::string_view token) {
    return consume(token) || fail(quoted(token), rest);
  }

  const Binary *peekBinary() {
    skipBlanks();
    for (const Binary &binary : kBinaries)
      if (rest.substr(0, binary.spelling.size()) == binary.spelling)
        return &binary;
    return nullptr;
  }

  bool parseBinary(int lowest) {
    if (++nesting > Expression::maxNesting)
      return fail("an expression that nests less deeply", rest);
    if (!parseUnary())
      return false;
    const Binary *binary;
    while ((binary = peekBinary()) && binary->precedence >= lowest) {
      rest.remove_prefix(binary->spelling.size());
      if (!parseBinary(binary->precedence + 1))
        return false;
      addBinary(binary->op, nodes);
    }
    --nesting;
    return true;
  }

  bool parseUnary() {
    // A loop, so that a line of a million signs uses no stack.
    bool negative = false;
    while (consume("-"))
      negative = !negative;
    if (!parsePrimary())
      return false;
    if (negative)
      addNegation(nodes);
    return true;
  }

  bool parsePrimary() {
    if (consume("(")) {
      if (!parseBinary(1) || !expect(")"))
        return false;
      ++nodes.back().brackets;
      return true;
    }
    if (!rest.empty() && isDigit(rest.front()))
      return parseNumber();
    std::string_view name = firstWord(rest);
    if (name.size() > 2)
      for (const Function &function : kFunctions)
        if (name == function.name)
          return parseCall(function);
    if (name.empty() ||
        (known && !contains(names, name) && !contains(*known, name)))
      return fail(kPrimary, name.empty() ? rest : name);
    rest.remove_prefix(name.size());
    return addLeaf(/*isArgument=*/true, numberOf(name, names));
  }

  bool parseCall(const Function &function) {
    rest.remove_prefix(function.name.size());
    if (!expect("(") || !parseBinary(1) || !expect(",") || !parseBinary(1) ||
        !expect(")"))
      return false;
    addBinary(function.op, nodes);
    return true;
  }

  bool parseNumber() {
    std::string_view digits = firstWord(rest);
    int64_t value = 0;
    for (char c : digits)
      if (!isDigit(c))
        return fail("a decimal number", digits);
      else if (__builtin_mul_overflow(value, 10, &value) ||
               __builtin_add_overflow(value, c - '0', &value))
        return fail("a number of at most 64 bits", digits);
    rest.remove_prefix(digits.size());
    return addLeaf(/*isArgument=*/false, value);
  }

  bool addLeaf(bool isArgument, int64_t value) {
    // A program has a step for every two nodes at least.
    if (nodes.size() > 2 * Expression::maxSteps)
      return fail("a shorter expression", rest);
    FormulaNode node;
    node.isArgument = isArgument;
    node.value = value;
    nodes.push_back(node);
    return true;
  }

  std::string_view rest;
  const std::vector<std::string> *known;
  std::vector<std::string> &names;
  std::vector<FormulaNode> nodes;
  std::string error;
  unsigned nesting = 0;
};

} // namespace

PlanFormula::Value PlanFormula::parse(std::string_view text,
                                      const std::vector<std::string> *known) {
  Value value;
  value.error = Parser(text, known, value.arguments).run(value.nodes);
  if (!value.error.empty()) {
    value.arguments.clear();
    value.nodes = {FormulaNode()};
    value.text = text;
  }
  return value;
}

PlanFormula::PlanFormula(std::string text) {
  if (!text.empty())
    *this = ofNodes(parse(text, nullptr));
}

std::string PlanFormula::parse(std::string_view text,
                               const std::vector<std::string> &known,
                               PlanFormula &formula) {
  PlanFormula parsed = ofNodes(parse(text, &known));
  if (parsed.value->error.empty())
    formula = parsed;
  return parsed.value->error;
}

bool hone::isArgumentName(std::string_view name) {
  if (name.empty() || isDigit(name.front()) || firstWord(name) != name)
    return false;
  for (const Function &function : kFunctions)
    if (name == function.name)
      return false;
  return name != "ws" && name != "zero";
}
