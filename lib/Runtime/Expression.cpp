//===- Expression.cpp - Compiler from formulas to stack programs ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch evaluates some twenty formulas in a budget of some hundred
// nanoseconds. So the parser emits a flat program in which an operation
// includes its right operand if that is an argument or a constant, which is
// nearly always the case. A formula of a single name costs one load.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/Expression.h"
#include "Text.h"
#include "hone/Runtime/Operators.h"
#include <algorithm>

using namespace hone;
using namespace hone::detail;
using Op = Expression::Op;
using Source = Expression::Source;
using Fault = Expression::Fault;

namespace {

/// Left-associative operators; a higher number binds tighter. If one is a
/// prefix of another, the longer one comes first.
struct Binary {
  std::string_view spelling;
  int precedence;
  Op op;
};
constexpr Binary kBinaries[] = {
    {"||", 1, Op::logicalOr}, {"&&", 2, Op::logicalAnd}, {"==", 3, Op::eq},
    {"!=", 3, Op::ne},        {"<=", 4, Op::le},         {">=", 4, Op::ge},
    {"<", 4, Op::lt},         {">", 4, Op::gt},          {"+", 5, Op::add},
    {"-", 5, Op::sub},        {"*", 6, Op::mul},         {"/", 6, Op::div},
    {"%", 6, Op::mod},
};

struct Function {
  std::string_view name;
  Op op;
};
constexpr Function kFunctions[] = {{"ceildiv", Op::ceildiv},
                                   {"min", Op::min},
                                   {"max", Op::max},
                                   {"resident", Op::orElse}};

constexpr std::string_view kPrimary =
    "a number, a function or the name of an argument";

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
    program.reserve(text.size() / 3 + 1);
  }

  std::string run(std::vector<Expression::Step> &steps) {
    if (parseBinary(1) && !skipBlanks().empty())
      fail("an operator or the end of the expression", rest);
    steps = std::move(program);
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
      size_t begin = program.size();
      bool isAnd = binary->op == Op::logicalAnd;
      bool skips = isAnd || binary->op == Op::logicalOr;
      if (skips && !emit(isAnd ? Op::skipIfZero : Op::skipIfNonZero,
                         Source::constant, 0))
        return false;
      if (!parseBinary(binary->precedence + 1) || !combine(binary->op))
        return false;
      if (skips)
        program[begin].value = program.size() - begin - 1;
    }
    --nesting;
    return true;
  }

  bool parseUnary() {
    // A loop, so that a line of a million signs uses no stack.
    bool negative = false;
    while (consume("-"))
      negative = !negative;
    return parsePrimary() && (!negative || emit(Op::negate, Source::stack, 0));
  }

  bool parsePrimary() {
    if (consume("("))
      return parseBinary(1) && expect(")");
    if (!rest.empty() && isDigit(rest.front()))
      return parseNumber();
    std::string_view name = firstWord(rest);
    if (name.size() > 2)
      for (const Function &function : kFunctions)
        if (name == function.name)
          return parseCall(function);
    size_t place = std::find(names.begin(), names.end(), name) - names.begin();
    if (place == names.size()) {
      if (name.empty() || (known && !contains(*known, name)))
        return fail(kPrimary, name.empty() ? rest : name);
      constexpr size_t kFew = 8;
      if (names.empty())
        names.reserve(kFew);
      names.emplace_back(name);
    }
    rest.remove_prefix(name.size());
    return emit(Op::push, Source::argument, place);
  }

  bool parseCall(const Function &function) {
    rest.remove_prefix(function.name.size());
    if (!expect("(") || !parseBinary(1))
      return false;
    // resident(a, b) is min(the number of resident clusters if known, else a;
    // b).
    bool isResident = function.op == Op::orElse;
    if (isResident && !emit(function.op, Source::resident, 0))
      return false;
    return expect(",") && parseBinary(1) && expect(")") &&
           combine(isResident ? Op::min : function.op);
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
    return emit(Op::push, Source::constant, value);
  }

  /// Ends an operation: merges a push just emitted into it as its right
  /// operand.
  bool combine(Op op) {
    Expression::Step last = program.back();
    if (last.op != Op::push)
      return emit(op, Source::stack, 0);
    program.pop_back();
    --depth;
    return emit(op, last.source, last.value);
  }

  bool emit(Op op, Source source, int64_t value) {
    if (op == Op::push)
      ++depth;
    else if (op < Op::negate && source == Source::stack)
      --depth;
    if (depth > Expression::maxStack || program.size() >= Expression::maxSteps)
      return fail("a shorter expression", rest);
    program.push_back({op, source, value});
    return true;
  }

  std::string_view rest;
  const std::vector<std::string> *known;
  std::vector<std::string> &names;
  std::vector<Expression::Step> program;
  std::string error;
  unsigned nesting = 0, depth = 0;
};

} // namespace

void Expression::bind(size_t index, int64_t value) {
  for (Step &step : program)
    if (step.source == Source::argument && size_t(step.value) == index) {
      step.source = Source::constant;
      step.value = value;
    }
  first = program.front();
}

bool Expression::isConstant() const {
  for (const Step &step : program)
    if (step.source == Source::argument || step.source == Source::resident)
      return false;
  return true;
}

bool Expression::asksResident() const {
  for (const Step &step : program)
    if (step.source == Source::resident)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

PlanFormula::PlanFormula(std::string text)
    : parsed(text.empty() ? nullptr : parse(std::move(text), nullptr)) {}

const PlanFormula &PlanFormula::one() {
  static const PlanFormula one = "1";
  return one;
}

std::string PlanFormula::parse(std::string_view text,
                               const std::vector<std::string> &known,
                               PlanFormula &formula) {
  std::shared_ptr<const Parsed> parsed = parse(std::string(text), &known);
  if (parsed->error.empty())
    formula.parsed = parsed;
  return parsed->error;
}

std::shared_ptr<const PlanFormula::Parsed>
PlanFormula::parse(std::string text, const std::vector<std::string> *known) {
  auto result = std::make_shared<Parsed>();
  result->text = std::move(text);
  Expression &program = result->program;
  std::vector<Expression::Step> steps;
  result->error = Parser(result->text, known, result->arguments).run(steps);
  if (!result->error.empty()) {
    result->arguments.clear();
    return result;
  }
  program.program = std::move(steps);
  int64_t value;
  if (program.isConstant() && program.run(nullptr, 0, value) == Fault::none)
    program.program = {{Op::push, Source::constant, value}};
  program.isSingle = program.program.size() == 1;
  program.first = program.program.front();
  return result;
}

const std::string &PlanFormula::str() const {
  static const std::string none;
  return parsed ? parsed->text : none;
}

const std::vector<std::string> &PlanFormula::arguments() const {
  static const std::vector<std::string> none;
  return parsed ? parsed->arguments : none;
}

const Expression &PlanFormula::program() const {
  static const Expression none;
  return parsed ? parsed->program : none;
}

std::string PlanFormula::placesIn(const std::vector<std::string> &names,
                                  std::vector<size_t> &places) const {
  if (!parsed)
    return expected(kPrimary, "");
  if (!parsed->error.empty())
    return parsed->error;
  places.reserve(parsed->arguments.size());
  for (const std::string &argument : parsed->arguments) {
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
  expression = parsed->program;
  for (Expression::Step &step : expression.program)
    if (step.source == Source::argument)
      step.value = places[step.value];
  expression.first = expression.program.front();
  return {};
}

std::string PlanFormula::evaluate(const std::vector<std::string> &names,
                                  const std::vector<int64_t> &args,
                                  int64_t &value, int64_t resident) const {
  std::vector<size_t> places;
  std::string error = placesIn(names, places);
  if (!error.empty())
    return error;
  std::vector<int64_t> own;
  for (size_t place : places)
    own.push_back(args[place]);
  if (parsed->program.evaluate(own.data(), value, resident) != Fault::none)
    return "expected a formula with a value";
  return {};
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// a / b, a % b or ceildiv(a, b). Tiles are powers of two, for which shifts
/// replace the division, the slowest part of a formula.
static Fault divideFast(Op op, int64_t a, int64_t b, int64_t &result) {
  if (a < 0 || b <= 0 || (b & (b - 1)) != 0)
    return divide(op, a, b, result);
  int64_t quotient = a >> __builtin_ctzll(b), remainder = a & (b - 1);
  result = op == Op::mod ? remainder
                         : quotient + (op == Op::ceildiv && remainder != 0);
  return Fault::none;
}

Fault Expression::run(const int64_t *args, int64_t resident,
                      int64_t &value) const {
  // The parser has checked that the program fits. The top of the stack is in
  // `top`; the rest, from the second push on, is in memory.
  int64_t stack[maxStack], top = 0;
  unsigned size = 0;
  const Step *end = program.data() + program.size();
  for (const Step *step = program.data(); step != end; ++step) {
    int64_t b = step->value;
    if (step->source == Source::argument) {
      b = args[b];
    } else if (step->source == Source::resident) {
      b = resident;
    } else if (step->source == Source::stack) {
      b = top;
      top = stack[--size];
    }
    switch (step->op) {
    case Op::push:
      stack[size++] = top;
      top = b;
      break;
    case Op::div:
    case Op::mod:
    case Op::ceildiv:
      if (Fault fault = divideFast(step->op, top, b, top); fault != Fault::none)
        return fault;
      break;
    default:
      if (Fault fault = hone::evaluate(step->op, top, b, top);
          fault != Fault::none)
        return fault;
      break;
    case Op::negate:
      stack[size++] = top;
      if (__builtin_sub_overflow(int64_t(0), b, &top))
        return Fault::overflow;
      break;
    case Op::skipIfZero:
      if (top == 0)
        step += step->value;
      break;
    case Op::skipIfNonZero:
      if (top != 0) {
        top = 1;
        step += step->value;
      }
      break;
    }
  }
  value = top;
  return Fault::none;
}

bool hone::isArgumentName(std::string_view name) {
  if (name.empty() || isDigit(name.front()) || firstWord(name) != name)
    return false;
  for (const Function &function : kFunctions)
    if (name == function.name)
      return false;
  return name != "ws" && name != "zero";
}
