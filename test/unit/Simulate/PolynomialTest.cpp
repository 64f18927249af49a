//===- PolynomialTest.cpp - Tests of positions as formulas ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders of digits, compared with numbers; and formulas whose
// value is not certain.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulate/Rest/Polynomial.h"
#include "gtest/gtest.h"
#include <random>

using namespace hone::simulate::rest;

TEST(Polynomial, ArithmeticIsThatOfNumbers) {
  Symbols symbols;
  Polynomial x = Polynomial::of(symbols.addUnknown("x"));
  Polynomial y = Polynomial::of(symbols.addUnknown("y"));
  EXPECT_EQ((x + y) * (x - y), x * x - y * y);
  EXPECT_EQ((x - x).constant(), 0);
  EXPECT_EQ((x * 2 + 3).constantTerm(), 3);
  EXPECT_FALSE((Polynomial(INT64_MAX) + 1).isValid());
  EXPECT_FALSE((Polynomial(INT64_MAX) + 1) == (Polynomial(INT64_MAX) + 1));
}

TEST(Polynomial, DigitsComeOutOfTheirNumber) {
  Symbols symbols;
  Polynomial n = Polynomial::of(symbols.addExtent("n"));
  Polynomial i = Polynomial::of(symbols.addDigit("i", 41));
  Polynomial j = Polynomial::of(symbols.addDigit("j", n - 1));
  EXPECT_EQ(symbols.quotient(i * n + j, n), i);
  EXPECT_EQ(symbols.remainder(i * n + j, n), j);
  // Eight neighbours at a time.
  Polynomial g = Polynomial::of(symbols.addDigit("g", 95));
  EXPECT_EQ(symbols.quotient(i * 768 + g * 8 + 7, 768), i);
  EXPECT_EQ(symbols.remainder(i * 768 + g * 8 + 7, 768), g * 8 + 7);
  // One too many is in the next line.
  EXPECT_FALSE(symbols.quotient(i * 768 + g * 8 + 8, 768) == i);
  // The other extent is not a divisor.
  EXPECT_FALSE(symbols.quotient(i * n + j, 42) == i);
}

TEST(Polynomial, BoundsNeedAReason) {
  Symbols symbols;
  Polynomial n = Polynomial::of(symbols.addExtent("n"));
  Polynomial j = Polynomial::of(symbols.addDigit("j", n - 1));
  Polynomial x = Polynomial::of(symbols.addUnknown("x"));
  Symbol stride = symbols.addUnknown("s");
  Polynomial s = Polynomial::of(stride);
  EXPECT_FALSE(symbols.isNonNegative(s));
  symbols.promiseNonNegative(stride);
  EXPECT_TRUE(symbols.isLess(j, n));
  EXPECT_FALSE(symbols.isLess(j + 1, n));
  EXPECT_TRUE(symbols.isNonNegative(n * n - n));
  EXPECT_FALSE(symbols.isNonNegative(n - 2));
  EXPECT_FALSE(symbols.isNonNegative(x));
  EXPECT_TRUE(symbols.isNonNegative(s));
  EXPECT_FALSE(symbols.isNonNegative(s - 1));
  EXPECT_EQ(symbols.quotient(x, 8), std::nullopt);
  EXPECT_EQ(symbols.quotient(j, s), std::nullopt);
}

/// The value of any form of a quotient is that of the division.
TEST(Polynomial, QuotientsHaveTheRightValues) {
  std::mt19937 random(1);
  auto draw = [&](int64_t last) { return int64_t(random() % (last + 1)); };
  for (int round = 0; round < 500; ++round) {
    Symbols symbols;
    int64_t lasts[] = {draw(9), draw(20), draw(3)};
    Symbol digits[3];
    Polynomial number = draw(12);
    for (int i = 0; i < 3; ++i) {
      digits[i] = symbols.addDigit("i", lasts[i]);
      number = number + Polynomial::of(digits[i]) * draw(24);
    }
    int64_t divisor = 1 + draw(30);
    auto whole = symbols.quotient(number, divisor);
    auto rest = symbols.remainder(number, divisor);
    ASSERT_TRUE(whole && rest);
    for (int point = 0; point < 20; ++point) {
      int64_t values[] = {draw(lasts[0]), draw(lasts[1]), draw(lasts[2])};
      auto valueOf = [&](Symbol symbol) -> std::optional<int64_t> {
        for (int i = 0; i < 3; ++i)
          if (digits[i] == symbol)
            return values[i];
        return std::nullopt;
      };
      auto value = symbols.evaluate(number, valueOf);
      ASSERT_TRUE(value);
      EXPECT_EQ(symbols.evaluate(*whole, valueOf), *value / divisor);
      EXPECT_EQ(symbols.evaluate(*rest, valueOf), *value % divisor);
      EXPECT_LE(*value, *symbols.largest(number));
    }
  }
}
