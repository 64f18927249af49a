//===- ExpressionTest.cpp - Formulas of launch plans ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator at its extreme values, faults instead of undefined behaviour,
// and random formulas against an independent evaluation.
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/Expression.h"
#include "gtest/gtest.h"
#include <cinttypes>
#include <random>

using namespace hone;
using Fault = Expression::Fault;

namespace {

const std::vector<std::string> kNames = {"m", "n", "k", "big", "small"};
constexpr int64_t kArgs[] = {1000, 7, 0, INT64_MAX, INT64_MIN};

/// The program of a text, or an error.
std::string parse(std::string_view text, Expression &expression) {
  PlanFormula formula;
  std::string error = PlanFormula::parse(text, kNames, formula);
  return error.empty() ? formula.bind(kNames, expression) : error;
}

std::string errorOfExpression(std::string_view text) {
  Expression expression;
  return parse(text, expression);
}

/// The value as text, or the fault.
std::string valueOf(std::string_view text) {
  Expression expression;
  std::string error = parse(text, expression);
  if (!error.empty())
    return error;
  int64_t value = -1;
  switch (expression.evaluate(kArgs, value)) {
  case Fault::divisionByZero:
    return "division by zero";
  case Fault::overflow:
    return "overflow";
  case Fault::none:
    return std::to_string(value);
  }
  return "no fault at all";
}

TEST(Expression, Resident) {
  auto valueWith = [](int64_t resident, const char *text) {
    Expression expression;
    EXPECT_EQ(parse(text, expression), "");
    EXPECT_TRUE(expression.asksResident());
    EXPECT_FALSE(expression.isConstant());
    int64_t value = -1;
    EXPECT_EQ(expression.evaluate(kArgs, value, resident), Fault::none);
    return value;
  };
  EXPECT_EQ(valueWith(0, "resident(15, 16)"), 15);
  EXPECT_EQ(valueWith(14, "resident(15, 16)"), 14);
  EXPECT_EQ(valueWith(17, "resident(15, 16)"), 16);
  EXPECT_EQ(valueWith(5, "min(resident(n - 1, n + 1), m) * 2"), 10);
  EXPECT_EQ(valueWith(0, "min(m, 1 + resident(n - 1, n + 1)) * 2"), 14);
  EXPECT_EQ(valueWith(9, "resident(resident(1, 2), resident(7, 8))"), 8);
  EXPECT_EQ(errorOfExpression("resident(1)"), "expected ',', but got ')'");
  EXPECT_FALSE(isArgumentName("resident"));
}

TEST(Expression, Values) {
  const std::pair<const char *, const char *> table[] = {
      {"0", "0"},
      {"9223372036854775807", "9223372036854775807"},
      {"m", "1000"},
      {"  m  ", "1000"},
      {"(((m)))", "1000"},
      {"-m", "-1000"},
      {"- -m", "1000"},
      {"--m", "1000"},
      {"m-1", "999"},
      {"m - -1", "1001"},
      // Precedence and associativity.
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"100 - 10 - 1", "89"},
      {"100 / 10 / 2", "5"},
      {"m - n * 2 - 1", "985"},
      {"2 * n % 4", "2"},
      {"-n % 4", "-3"},
      {"1 + 2 == 3", "1"},
      {"1 < 2 == 1", "1"},
      {"1 == 1 && 0 == 1 || 1", "1"},
      {"1 || 1 && 0", "1"},
      {"0 && 1 || 0", "0"},
      // Division rounds toward zero, ceildiv up.
      {"7 / 2", "3"},
      {"-7 / 2", "-3"},
      {"7 % -2", "1"},
      {"-7 % 2", "-1"},
      {"ceildiv(7, 2)", "4"},
      {"ceildiv(8, 2)", "4"},
      {"ceildiv(-7, 2)", "-3"},
      {"ceildiv(7, -2)", "-3"},
      {"ceildiv(-7, -2)", "4"},
      {"ceildiv(0, 128)", "0"},
      {"ceildiv(m, 128) * ceildiv(n, 128)", "8"},
      {"min(m, n)", "7"},
      {"max(m, n)", "1000"},
      {"min(max(m, 5000), n * 1000)", "5000"},
      // Comparisons are 0 or 1.
      {"m == 1000", "1"},
      {"m != 1000", "0"},
      {"m < 1000", "0"},
      {"m <= 1000", "1"},
      {"m > 999", "1"},
      {"m >= 1001", "0"},
      {"5 && 7", "1"},
      {"5 || 0", "1"},
      {"0 || 5", "1"},
      {"k && 1", "0"},
      {"m % 8 == 0 && n % 8 == 7 && k == 0", "1"},
      // The right side is skipped where the left side decides.
      {"k != 0 && m / k > 2", "0"},
      {"k == 0 || m / k > 2", "1"},
      {"k != 0 && (n || m / k)", "0"},
      {"(k != 0 && m / k > 2) + 1", "1"},
      {"k == 0 && m / k > 2", "division by zero"},
      // Faults.
      {"m / k", "division by zero"},
      {"m % k", "division by zero"},
      {"ceildiv(m, k)", "division by zero"},
      {"1 / 0", "division by zero"},
      {"big + 1", "overflow"},
      {"small - 1", "overflow"},
      {"big * 2", "overflow"},
      {"-small", "overflow"},
      {"small / -1", "overflow"},
      {"ceildiv(small, -1)", "overflow"},
      {"small % -1", "0"},
      {"big + small", "-1"},
      {"9223372036854775807 + 1", "overflow"},
  };
  for (auto [text, expected] : table)
    EXPECT_EQ(valueOf(text), expected) << text;
}

TEST(Expression, Errors) {
  const std::pair<const char *, const char *> table[] = {
      {"", "expected a number, a function or the name of an argument, but got "
           "nothing"},
      {"q", "expected a number, a function or the name of an argument, but got "
            "'q'"},
      {"mm",
       "expected a number, a function or the name of an argument, but got "
       "'mm'"},
      {"m +", "expected a number, a function or the name of an argument, but "
              "got nothing"},
      {"m n", "expected an operator or the end of the expression, but got 'n'"},
      {"m = n",
       "expected an operator or the end of the expression, but got '= n'"},
      {"(m", "expected ')', but got nothing"},
      {"m)", "expected an operator or the end of the expression, but got ')'"},
      {"min(m)", "expected ',', but got ')'"},
      {"min m", "expected '(', but got 'm'"},
      {"max(m, n, k)", "expected ')', but got ', k)'"},
      {"12m", "expected a decimal number, but got '12m'"},
      {"0x10", "expected a decimal number, but got '0x10'"},
      {"9223372036854775808", "expected a number of at most 64 bits, but got "
                              "'9223372036854775808'"},
      {"!m",
       "expected a number, a function or the name of an argument, but got "
       "'!m'"},
      {"m & n", "expected an operator or the end of the expression, but got "
                "'& n'"},
      {"m \x01\n",
       "expected an operator or the end of the expression, but got '..'"},
  };
  for (auto [text, expected] : table)
    EXPECT_EQ(errorOfExpression(text), expected) << text;
}

TEST(Expression, BoundsItsProgram) {
  std::string deep(100000, '(');
  EXPECT_EQ(errorOfExpression(deep).substr(0, 44),
            "expected an expression that nests less deepl");
  std::string signs(100001, '-');
  EXPECT_EQ(valueOf(signs + "1"), "-1");
  std::string sum = "m";
  for (int i = 0; i < 100000; ++i)
    sum += " + m";
  EXPECT_EQ(errorOfExpression(sum).substr(0, 30),
            "expected a shorter expression,");
  std::string nested = "m";
  for (int i = 0; i < 20; ++i)
    nested = "n * (" + nested + " - 1)";
  EXPECT_EQ(errorOfExpression(nested), "");
  // A stack of 41 numbers.
  nested = "m";
  for (int i = 0; i < 40; ++i)
    nested = "min(n, " + nested + ")";
  EXPECT_EQ(errorOfExpression(nested).substr(0, 30),
            "expected a shorter expression,");
}

TEST(Expression, FusesOperands) {
  Expression expression;
  ASSERT_EQ(parse("m % 16 == 0", expression), "");
  EXPECT_EQ(expression.steps().size(), 3u);
  ASSERT_EQ(parse("2 * 64 + ceildiv(10, 3)", expression), "");
  EXPECT_TRUE(expression.isConstant());
  EXPECT_EQ(expression.steps().size(), 1u);
  EXPECT_EQ(expression.steps()[0].value, 132);
}

TEST(Expression, ArgumentNames) {
  for (const char *name : {"a", "lda", "_x", "A9", "n_1"})
    EXPECT_TRUE(isArgumentName(name)) << name;
  for (const char *name :
       {"", "9a", "a.b", "a b", "min", "max", "ceildiv", "ws", "zero", "a-"})
    EXPECT_FALSE(isArgumentName(name)) << name;
}

//===----------------------------------------------------------------------===//
// Random formulas
//===----------------------------------------------------------------------===//

/// Writes a random formula and computes its value in 128 bits.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  struct Result {
    std::string text;
    __int128 value = 0;
    Fault fault = Fault::none;
  };

  Result make(unsigned depth) {
    if (depth == 0 || pick(4) == 0)
      return leaf();
    Result a = make(depth - 1), b = make(depth - 1);
    return combine(a, b);
  }

private:
  unsigned pick(unsigned count) { return random() % count; }

  Result leaf() {
    if (unsigned which = pick(8); which < kNames.size())
      return {kNames[which], kArgs[which]};
    int64_t value = int64_t(random() >> pick(40)) >> pick(25);
    return {std::to_string(value), value};
  }

  Result combine(const Result &a, const Result &b) {
    static constexpr const char *infix[] = {
        "+", "-", "*", "/", "%", "==", "!=", "<", "<=", "&&", "||", ">"};
    unsigned op = pick(15);
    Result result;
    if (op < 12)
      result.text = "(" + a.text + " " + infix[op] + " " + b.text + ")";
    else
      result.text = (op == 12   ? "ceildiv("
                     : op == 13 ? "min("
                                : "max(") +
                    a.text + ", " + b.text + ")";
    bool decided = (op == 9 && !a.value) || (op == 10 && a.value);
    result.fault = a.fault != Fault::none || decided ? a.fault : b.fault;
    if (result.fault != Fault::none)
      return result;
    bool divides = op == 3 || op == 4 || op == 12;
    if (divides && b.value == 0) {
      result.fault = Fault::divisionByZero;
      return result;
    }
    result.value = compute(op, a.value, b.value);
    if (result.value > INT64_MAX || result.value < INT64_MIN)
      result.fault = Fault::overflow;
    return result;
  }

  static __int128 compute(unsigned op, __int128 a, __int128 b) {
    switch (op) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a / b;
    case 4:
      return a % b;
    case 5:
      return a == b;
    case 6:
      return a != b;
    case 7:
      return a < b;
    case 8:
      return a <= b;
    case 9:
      return a && b;
    case 10:
      return a || b;
    case 11:
      return a > b;
    case 12:
      return a / b + (a % b != 0 && (a < 0) == (b < 0));
    case 13:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
    }
  }

  std::mt19937_64 random;
};

TEST(Expression, AgreesWithWideArithmetic) {
  Generator generator(20251);
  unsigned faults = 0;
  for (int i = 0; i < 20000; ++i) {
    Generator::Result expected = generator.make(4);
    Expression expression;
    ASSERT_EQ(parse(expected.text, expression), "") << expected.text;
    int64_t value = 0;
    Fault fault = expression.evaluate(kArgs, value);
    ASSERT_EQ(fault, expected.fault) << expected.text;
    if (fault == Fault::none)
      ASSERT_EQ(value, int64_t(expected.value)) << expected.text;
    else
      ++faults;
  }
  EXPECT_GT(faults, 1000u);
  EXPECT_LT(faults, 19000u);
}

} // namespace
