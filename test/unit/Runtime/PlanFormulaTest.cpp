//===- PlanFormulaTest.cpp - Formulas of launch plans as values -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Runtime/Expression.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

const std::vector<std::string> kArguments = {"m", "n", "k", "big", "small"};
constexpr int64_t kArgumentValues[] = {1000, 7, 0, INT64_MAX, INT64_MIN};

TEST(PlanFormula, HasOneSpellingApartFromBrackets) {
  PlanFormula formula = " m+ (n) ", copy = formula;
  EXPECT_EQ(formula.str(), "m + (n)");
  EXPECT_EQ(copy, formula);
  EXPECT_EQ(PlanFormula("m + (n)"), formula);
  EXPECT_NE(PlanFormula("m + n"), formula);
  EXPECT_NE(PlanFormula("m + (k)"), formula);
  EXPECT_EQ(PlanFormula("m+(n)").hash(), formula.hash());
  EXPECT_TRUE(PlanFormula().empty());
  EXPECT_EQ(PlanFormula(""), PlanFormula());
  EXPECT_EQ(PlanFormula().str(), "");
  for (const char *text :
       {"m", "12", "-m", "m - -1", "((m + n)) * k", "m * (n + k)", "m * n + k",
        "min(m, n - 1) % 8 == 0", "(m <= 1 || max(n, 0 - n) >= k) && m != 2",
        "min(resident(15, 16), ceildiv(m, 64) * n) * 2", "-(m + n) / k"})
    EXPECT_EQ(PlanFormula(text).str(), text);
}

TEST(PlanFormula, IsMadeOfItsOperands) {
  auto argument = [](const char *name) { return PlanFormula::argument(name); };
  PlanFormula m = argument("m"), n = argument("n"), k = argument("k");
  const std::pair<PlanFormula, const char *> table[] = {
      {m, "m"},
      {-3, "-3"},
      {m % 16, "m % 16"},
      {equals(m * 2 % 16, 0), "m * 2 % 16 == 0"},
      {(m + n) * k, "(m + n) * k"},
      {m + (n + k), "m + n + k"},
      {m * (n * (k - 1)), "m * n * (k - 1)"},
      {m - (n - k), "m - (n - k)"},
      {m - n - k, "m - n - k"},
      {m / (n / k), "m / (n / k)"},
      {m * (n / k), "m * (n / k)"},
      {ceildiv(m, 64) * ceildiv(n, 128), "ceildiv(m, 64) * ceildiv(n, 128)"},
      {min(132, m) * 4, "min(132, m) * 4"},
      {max(m, 0 - n), "max(m, 0 - n)"},
      {resident(PlanFormula(15), 16) * m, "resident(15, 16) * m"},
      {both(m > 0, both(n < 4, k >= m)), "m > 0 && n < 4 && k >= m"},
      {both(1, m <= 4), "m <= 4"},
      {both(1, PlanFormula()), "1"},
      {both(PlanFormula(), 1), "1"},
      {both(m <= 4, PlanFormula()), "m <= 4"},
      {both(m > 0, either(n > 0, k > 0)), "m > 0 && (n > 0 || k > 0)"},
      {either(both(m > 0, n > 0), k > 0), "m > 0 && n > 0 || k > 0"},
      {(m + n).inBrackets() + k, "(m + n) + k"},
  };
  for (const auto &[formula, text] : table) {
    EXPECT_EQ(formula.str(), text);
    EXPECT_EQ(formula, PlanFormula(text));
  }
  // As if it had been parsed, its program includes operands.
  EXPECT_EQ(equals(m % 16, 0).program().steps().size(), 3u);
  int64_t value = 0;
  EXPECT_EQ(both(n > 0, m / n > 2).evaluate({"n", "m"}, {0, 8}, value), "");
  EXPECT_EQ(value, 0);
  EXPECT_EQ((k - n).evaluate({"n", "m", "k"}, {5, 8, 7}, value), "");
  EXPECT_EQ(value, 2);
}

TEST(PlanFormula, HasParts) {
  PlanFormula formula = "m * 2 % 16 == 0 && k > n && (m || n)";
  std::vector<PlanFormula> parts = conjuncts(formula);
  EXPECT_EQ(parts,
            (std::vector<PlanFormula>{"m * 2 % 16 == 0", "k > n", "(m || n)"}));
  EXPECT_EQ(conjuncts("(m && n)"), (std::vector<PlanFormula>{"(m && n)"}));
  EXPECT_EQ(parts[1].arguments(), (std::vector<std::string>{"k", "n"}));
  EXPECT_EQ(parts[1].op(), Expression::Op::gt);
  EXPECT_EQ(parts[1].right().name(), "n");
  EXPECT_EQ(parts[0].left().right().number(), 16);
  EXPECT_TRUE(parts[0].right().isNumber(0));
  EXPECT_TRUE(parts[2].hasBrackets());
  EXPECT_TRUE(parts[1].left().left().empty());
  EXPECT_TRUE(PlanFormula("-m").left().empty());
  EXPECT_EQ(PlanFormula("-m").right().name(), "m");
  EXPECT_EQ(PlanFormula("2 * 64").number(), 128);
  EXPECT_EQ(PlanFormula("1 / 0").number(), std::nullopt);
  EXPECT_FALSE(PlanFormula("2 * 64").isNumber(128));
}

TEST(PlanFormula, HasItsOwnNumbersOfArguments) {
  PlanFormula formula = "n * m + n";
  EXPECT_EQ(formula.arguments(), (std::vector<std::string>{"n", "m"}));
  EXPECT_TRUE(PlanFormula("2 * 64").program().isConstant());
  Expression bound;
  ASSERT_EQ(formula.bind(kArguments, bound), "");
  int64_t value = 0;
  EXPECT_EQ(bound.evaluate(kArgumentValues, value), Expression::Fault::none);
  EXPECT_EQ(value, 7007);
  ASSERT_EQ(PlanFormula("n").bind(kArguments, bound), "");
  EXPECT_EQ(bound.evaluate(kArgumentValues, value), Expression::Fault::none);
  EXPECT_EQ(value, 7);
}

TEST(PlanFormula, HasAValueByName) {
  const std::vector<std::string> names = {"k", "m", "n"};
  int64_t value = 0;
  EXPECT_EQ(PlanFormula("m / n").evaluate(names, {1, 30, 4}, value), "");
  EXPECT_EQ(value, 7);
  EXPECT_EQ(PlanFormula("resident(5, 9) * m")
                .evaluate(names, {1, 30, 4}, value, /*resident=*/6),
            "");
  EXPECT_EQ(value, 180);
  EXPECT_EQ(PlanFormula("m / (n - 4)").evaluate(names, {1, 30, 4}, value),
            "expected a formula with a value");
  EXPECT_EQ(PlanFormula("m + lda").evaluate(names, {1, 30, 4}, value),
            "expected a number, a function or the name of an argument, but got "
            "'lda'");
}

TEST(PlanFormula, KeepsTheErrorOfItsText) {
  PlanFormula wrong = "m +", none;
  EXPECT_EQ(wrong.str(), "m +");
  EXPECT_TRUE(wrong.arguments().empty());
  Expression bound;
  const char *error = "expected a number, a function or the name of an "
                      "argument, but got nothing";
  EXPECT_EQ(wrong.bind(kArguments, bound), error);
  EXPECT_EQ(none.bind(kArguments, bound), error);
  EXPECT_EQ(PlanFormula::parse("m + lda", kArguments, none),
            "expected a number, a function or the name of an argument, but got "
            "'lda'");
  EXPECT_TRUE(none.empty());
}

} // namespace
