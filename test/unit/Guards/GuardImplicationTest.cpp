//===- GuardImplicationTest.cpp - Tests of implications between guards ----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Guards/GuardImplication.h"
#include "hone/Runtime/Expression.h"
#include "gtest/gtest.h"
#include <random>

using namespace hone;

namespace {

const std::vector<std::string> kNames = {"a", "c",   "m",   "n",  "k",
                                         "b", "lda", "ldc", "sc", "h"};

GuardFacts factsOf(const std::vector<std::string> &conditions) {
  GuardFacts facts(kNames);
  for (const std::string &condition : conditions)
    EXPECT_EQ(facts.add(condition), "");
  return facts;
}

bool implies(const std::vector<std::string> &conditions,
             const std::string &goal) {
  return factsOf(conditions).implies(goal);
}

TEST(GuardImplication, KnowsNumbers) {
  EXPECT_TRUE(implies({}, "1"));
  EXPECT_FALSE(implies({}, "0"));
  EXPECT_TRUE(
      implies({"ldc == 1004", "n == 1001"}, "ldc % 4 == 0 && ldc >= n"));
  EXPECT_FALSE(implies({"ldc == 1001"}, "ldc % 4 == 0"));
  EXPECT_TRUE(implies({"ldc == n * 4"}, "ldc % 4 == 0"));
  EXPECT_FALSE(implies({"ldc == n"}, "ldc % 4 == 0"));
}

TEST(GuardImplication, KnowsDivisibility) {
  EXPECT_TRUE(implies({"a % 16 == 0"}, "a % 4 == 0"));
  EXPECT_FALSE(implies({"a % 4 == 0"}, "a % 16 == 0"));
  EXPECT_TRUE(implies({"a % 4 == 0 && a % 6 == 0"}, "a % 12 == 0"));
  EXPECT_FALSE(implies({"a % 4 == 0 && a % 6 == 0"}, "a % 24 == 0"));
  EXPECT_TRUE(implies({"(a + c) % 16 == 0 && c % 8 == 0"}, "a % 8 == 0"));
  EXPECT_TRUE(implies({"a % 8 == 3"}, "a % 8 != 0 && a % 4 == 3"));
  EXPECT_TRUE(implies({"lda % 8 == 0 && m >= 0 && m < 99 && lda < 4096 && "
                       "lda > 0"},
                      "m * lda % 8 == 0"));
}

TEST(GuardImplication, KnowsOrder) {
  EXPECT_TRUE(implies({"m >= 1 && n >= m"}, "n > 0"));
  EXPECT_FALSE(implies({"m >= 1"}, "n > 0"));
  EXPECT_TRUE(implies({"m > n && n > k && k > a"}, "m >= a + 3 || a > 99 || "
                                                   "a < -99"));
  EXPECT_TRUE(implies({"m != 0 && m >= 0"}, "m > 0"));
  EXPECT_TRUE(implies({"m >= n && n >= m"}, "m == n"));
  EXPECT_TRUE(implies({"m > 3 && m < 5"}, "m == 4"));
}

TEST(GuardImplication, TellsCasesApart) {
  EXPECT_TRUE(implies({"ldc == n"}, "m <= 1 || ldc >= n"));
  EXPECT_TRUE(implies({"m <= 1 || ldc >= n", "m == 7"}, "ldc >= n"));
  EXPECT_FALSE(implies({"m <= 1 || ldc >= n", "m >= 1"}, "ldc >= n"));
  EXPECT_TRUE(implies({}, "m <= 1 || m >= 2"));
  EXPECT_TRUE(implies({"m == 1 || m == 2"}, "m >= 1 && m <= 2 && m != 3"));
  EXPECT_TRUE(
      implies({"n >= 1 && n < 64"}, "min(n, 64) == n && max(n, 1) >= n"));
}

TEST(GuardImplication, KnowsQuotients) {
  EXPECT_TRUE(implies({"n >= 0 && n <= 4096"}, "ceildiv(n, 64) * 64 >= n"));
  EXPECT_TRUE(implies({"n >= 0 && n <= 4096"}, "ceildiv(n, 64) <= 64"));
  EXPECT_FALSE(implies({"n >= 0 && n <= 4097"}, "ceildiv(n, 64) <= 64"));
  EXPECT_TRUE(implies({"n >= 1"}, "ceildiv(n, 64) > 0"));
  EXPECT_FALSE(implies({"n >= 0"}, "ceildiv(n, 64) > 0"));
  EXPECT_TRUE(implies({"n >= 0"}, "n / 8 <= n && n % 8 < 8 && n % 8 >= 0"));
  EXPECT_TRUE(implies({"m >= 0 && m < 1000 && k >= 0 && k < 1000"},
                      "m * ceildiv(k, 8) < 2147483648"));
}

TEST(GuardImplication, CountsFaultsAsFailures) {
  EXPECT_FALSE(implies({}, "m - n < 1 || m - n > 0"));
  EXPECT_TRUE(implies({"m > 0 && n > 0"}, "m - n < 1 || m - n > 0"));
  EXPECT_FALSE(implies({"m >= 0"}, "m / n >= 0 || 1"));
  EXPECT_TRUE(implies({"m >= 0"}, "n <= 0 || m / n >= 0"));
  // The given guards were evaluated.
  EXPECT_TRUE(implies({"m <= 1 || max(ldc, 0 - ldc) >= n"},
                      "(m <= 1 || max(ldc, 0 - ldc) >= n)"));
  EXPECT_FALSE(implies({"ldc >= n && n >= 0"}, "max(ldc, 0 - ldc) >= n && "
                                               "max(n, 0 - lda) >= 0"));
}

TEST(GuardImplication, SaysWhatIsOpen) {
  std::string open;
  EXPECT_FALSE(factsOf({"a % 16 == 0"})
                   .implies("a % 8 == 0 && ldc % 4 == 0 && m > 0", &open));
  EXPECT_EQ(open, "ldc % 4 == 0");
  EXPECT_FALSE(factsOf({}).implies("zz > 1", &open));
  EXPECT_EQ(open, "expected a number, a function or the name of an argument, "
                  "but got 'zz'");
  EXPECT_NE(factsOf({}).add("m >"), "");
}

TEST(GuardImplication, SeesThatNothingSatisfies) {
  EXPECT_TRUE(factsOf({"m > 0", "m < 1"}).areContradictory());
  EXPECT_TRUE(factsOf({"a % 16 == 0", "a % 4 == 2"}).areContradictory());
  EXPECT_TRUE(
      factsOf({"m <= 1 || n == 0", "m == 2 && n == 3"}).areContradictory());
  EXPECT_FALSE(factsOf({"m > 0", "m < 2"}).areContradictory());
}

//===----------------------------------------------------------------------===//
// Drawn questions: an implication has no counterexample
//===----------------------------------------------------------------------===//

class Drawing {
public:
  explicit Drawing(unsigned seed) : random(seed) {}

  std::string condition(int depth) {
    switch (draw(depth > 0 ? 5 : 3)) {
    case 0:
      return number(1) + " % " + std::to_string(2 + draw(5)) +
             " == " + std::to_string(draw(3));
    case 1:
    case 2: {
      const char *const compare[] = {" < ",  " <= ", " > ",
                                     " >= ", " == ", " != "};
      return number(depth) + compare[draw(6)] + number(depth);
    }
    default:
      return "(" + condition(depth - 1) + (draw(2) ? " && " : " || ") +
             condition(depth - 1) + ")";
    }
  }

private:
  int draw(int count) { return int(random() % count); }

  std::string number(int depth) {
    const char *const names[] = {"m", "n", "k"};
    switch (draw(depth > 0 ? 8 : 3)) {
    case 0:
      return std::to_string(draw(9) - 2);
    case 1:
    case 2:
      return names[draw(3)];
    case 3:
      return "(" + number(depth - 1) + " + " + number(depth - 1) + ")";
    case 4:
      return "(" + number(depth - 1) + " * " + number(depth - 1) + ")";
    case 5:
      return "ceildiv(" + number(depth - 1) + ", " +
             std::to_string(1 + draw(4)) + ")";
    case 6:
      return (draw(2) ? "min(" : "max(") + number(depth - 1) + ", " +
             number(depth - 1) + ")";
    default:
      return "(" + number(depth - 1) + (draw(2) ? " / " : " % ") +
             number(depth - 1) + ")";
    }
  }

  std::mt19937 random;
};

bool holds(const Expression &expression, const int64_t *values) {
  int64_t value = 0;
  return expression.evaluate(values, value) == Expression::Fault::none && value;
}

/// Evaluates over all small numbers; true if `goal` holds wherever `fact` does.
bool holdsWherever(const Expression &fact, const Expression &goal) {
  for (int64_t m = -3; m <= 8; ++m)
    for (int64_t n = -3; n <= 8; ++n)
      for (int64_t k = -3; k <= 8; ++k) {
        int64_t values[] = {m, n, k};
        if (holds(fact, values) && !holds(goal, values))
          return false;
      }
  return true;
}

TEST(GuardImplication, IsNeverRefutedByExamples) {
  const std::vector<std::string> names = {"m", "n", "k"};
  int implied = 0, holding = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    Drawing drawing(seed);
    std::string fact = "m >= -3 && m <= 8 && n >= -3 && n <= 8 && k >= -3 && "
                       "k <= 8 && " +
                       drawing.condition(2);
    std::string goal = drawing.condition(2);
    Expression factRead, goalRead;
    ASSERT_EQ(PlanFormula(fact).bind(names, factRead), "");
    ASSERT_EQ(PlanFormula(goal).bind(names, goalRead), "");
    GuardFacts facts(names);
    ASSERT_EQ(facts.add(fact), "");
    bool isImplied = facts.implies(goal);
    bool isTrue = holdsWherever(factRead, goalRead);
    EXPECT_TRUE(!isImplied || isTrue) << fact << "  ->  " << goal;
    implied += isImplied;
    holding += isTrue;
  }
  // Most true implications are proven.
  EXPECT_GT(implied, holding * 7 / 10);
}

} // namespace
