//===- ErrorBoundTest.cpp - Tests of numbers with an error bound ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas on doubles: an exact number has no error, a rounded one has half
// a unit, and no actual rounding exceeds the bound.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/ErrorBound.h"
#include <gtest/gtest.h>
#include <random>

using namespace hone;
using Number = Inexact<double>;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ErrorBound, WhatATypeHoldsIsExact) {
  EXPECT_EQ(roundInto<double>(ElementType::f16, {2048, 0}).error, 0);
  EXPECT_EQ(roundInto<double>(ElementType::f16, {2049, 0}).error,
            2049 * 0x1p-11);
  EXPECT_EQ(roundInto<double>(ElementType::bf16, {-1.5, 0}).error, 0);
  EXPECT_EQ(roundInto<double>(ElementType::f32, {0, 0}).error, 0);
  // Subnormal numbers have a smallest unit.
  EXPECT_EQ(roundInto<double>(ElementType::f16, {0x1p-30, 0}).error, 0x1p-25);
  // An error is carried along.
  EXPECT_GT(roundInto<double>(ElementType::f16, {1, 0x1p-20}).error, 0x1p-20);
}

TEST(ErrorBound, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(roundInto<double>(ElementType::f16, {-70000, 0}).value, -kInfinity);
  EXPECT_EQ(roundInto<double>(ElementType::f16, {-70000, 0}).error, 0);
  EXPECT_EQ(roundInto<double>(ElementType::bf16, {-70000, 0}).value, -70000);
  Number infinite = roundInto<double>(ElementType::f32, {-kInfinity, 0});
  EXPECT_EQ(infinite.value, -kInfinity);
  EXPECT_EQ(infinite.error, 0);
  // Close to the limit both results are allowed.
  Number close = roundInto<double>(ElementType::f16, {65519, 1});
  EXPECT_LE(unitsOff(ElementType::f16, kInfinity, close), 1);
  EXPECT_LE(unitsOff(ElementType::f16, 65504, close), 1);
  EXPECT_GT(unitsOff(ElementType::f16, -kInfinity, close), 1);
}

TEST(ErrorBound, WhatMayOverflowHasTwoOutcomes) {
  // The midpoint between the largest f16 and the next power overflows.
  EXPECT_EQ(roundInto<double>(ElementType::f16, {65520, 0}).value, kInfinity);
  Number low = {65000, 200}, below = {65000, 100}, above = {-67000, 300};
  EXPECT_EQ(roundInto(ElementType::f16, low).value, 65000);
  Number other = overflowInto(ElementType::f16, low);
  EXPECT_EQ(other.value, kInfinity);
  EXPECT_EQ(other.error, 0);
  EXPECT_EQ(overflowInto(ElementType::f16, below).value, 65000);
  EXPECT_EQ(roundInto(ElementType::f16, above).value, -kInfinity);
  EXPECT_EQ(overflowInto(ElementType::f16, above).value, -kInfinity);
  EXPECT_EQ(overflowInto<double>(ElementType::bf16, low).value, 65000);
}

TEST(ErrorBound, InfinitiesAndNaNsAreExact) {
  auto settled = [](Number result, Number x, Number y) {
    return settle(result, errorsOf(x, y));
  };
  Number mask = {-kInfinity, 0}, score = {3, 0.5};
  Number masked = settled(add(mask, score), mask, score);
  EXPECT_EQ(masked.value, -kInfinity);
  EXPECT_EQ(masked.error, 0);
  // A row that is masked as a whole.
  Number nothing = settled(subtract(mask, mask), mask, mask);
  EXPECT_TRUE(std::isnan(nothing.value));
  EXPECT_EQ(nothing.error, 0);
  Number product = settled(multiply(nothing, score), nothing, score);
  EXPECT_TRUE(std::isnan(product.value));
  EXPECT_EQ(product.error, 0);
  EXPECT_EQ(unitsOff(ElementType::f32, NAN, product), 0);
  EXPECT_GT(unitsOff(ElementType::f32, 3, product), 1);
  // An infinity times a possible 0 may be a NaN, so the result is unknown.
  Number none = {0, 0.5};
  EXPECT_EQ(settled(multiply(mask, none), mask, none).error, kInfinity);
  Number quotient = settled(divide(score, mask), score, mask);
  EXPECT_EQ(quotient.value, 0);
  EXPECT_EQ(quotient.error, 0);
}

TEST(ErrorBound, ADivisorThatMayBeZeroIsNotComparable) {
  EXPECT_EQ(divide<double>({1, 0}, {0.25, 0.125}).error, kInfinity);
  EXPECT_LT(unitsOff(ElementType::f32, 4, {4, kInfinity}), 0);
  EXPECT_NEAR(divide<double>({1, 0}, {2, 0.01}).error, 0.0025, 1e-3);
}

TEST(ErrorBound, OneRoundingNeedsNoDeviations) {
  Number stored = roundInto<double>(ElementType::f16, {1.0003, 0});
  EXPECT_LE(
      unitsOff(ElementType::f16, roundTo(ElementType::f16, 1.0003), stored), 1);
  EXPECT_GT(unitsOff(ElementType::f16, 1.0003 + 2 * 0x1p-11, stored), 1);
  EXPECT_GT(unitsOff(ElementType::f16, NAN, stored), 1);
  // No error at all: bit by bit.
  EXPECT_EQ(unitsOff(ElementType::f16, 3, {3, 0}), 0);
  EXPECT_EQ(unitsOff(ElementType::f16, 3.002, {3, 0}), kInfinity);
}

/// Chains of ops, each rounded, compared with f64.
TEST(ErrorBound, RoundingsOfAChainAreAllowedFor) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (ElementType type : {ElementType::f16, ElementType::bf16})
    for (int i = 0; i < 2000; ++i) {
      auto round = [&](double x) { return roundTo(type, x); };
      double a = round(normal(random)), b = round(normal(random));
      double c = round(3 + std::abs(normal(random)));
      double got = round(round(round(a * b) + a) / c);
      Number x = roundInto(type, multiply<double>({a, 0}, {b, 0}));
      x = roundInto(type, add<double>(x, {a, 0}));
      x = roundInto(type, divide<double>(x, {c, 0}));
      double units = unitsOff(type, got, x);
      EXPECT_GE(units, 0);
      EXPECT_LE(units, 1) << a << " " << b << " " << c;
      // A missing step is found, unless it has almost no effect.
      double wrong = round(round(a * b) / c);
      if (std::abs(a / c) > 64 * unitRoundoff(type) * (1 + std::abs(x.value))) {
        EXPECT_GT(unitsOff(type, wrong, x), 1);
      }
    }
}
