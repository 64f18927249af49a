//===- RestFormulasTest.cpp - Tests of the error of the rest's functions --===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the formulas with the double-precision functions of the C library on
// drawn operands and on special ones, on the model of the GPU
// (ModelledFloat.h).
//
//===----------------------------------------------------------------------===//

#include "passes/Rest/RestFormulas.h"
#include "ModelledFloat.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>

using namespace hone;
using namespace hone::test;

namespace {

using BinaryExact = std::function<double(double, double)>;
using BinaryFormula = std::function<Modelled(Modelled, Modelled)>;

/// The error of a result in units of its last place; infinite where one is NaN
/// or infinite and the other is not.
double unitsOff(double exact, float result) {
  bool isLarge = std::fabs(exact) > double(kLargest);
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : HUGE_VAL;
  // Within a rounding of the limit either is right.
  if (std::isinf(result) || isLarge)
    return std::signbit(exact) == std::signbit(result) &&
                   std::fabs(exact) > kLargest * (1 - 0x1p-21) &&
                   std::fabs(result) > kLargest * (1 - 0x1p-21f)
               ? 0
               : HUGE_VAL;
  return std::fabs(result - exact) / unitOf(exact);
}

/// Draws operands of usual magnitudes, whole ones, and any bits.
class Draw {
public:
  float next() {
    switch (random() % 6) {
    case 0:
      return floatOf(uint32_t(random()));
    case 1:
      return std::round(normal() * 4);
    case 2:
      return normal() * 0x1p-12f;
    case 3:
      return normal() * 40;
    default:
      return normal();
    }
  }

private:
  float normal() { return std::normal_distribution<float>()(random); }
  std::mt19937_64 random{1};
};

/// The largest error over drawn operands, with the instructions off by nothing
/// and by the most that they may be.
double largestError(const BinaryFormula &formula, const BinaryExact &exact) {
  double largest = 0;
  for (double skew : {-1.0, 0.0, 1.0}) {
    Modelled::first = Modelled::second = skew;
    Draw draw;
    for (int i = 0; i < 50000; ++i) {
      float x = draw.next(), y = draw.next();
      double off = unitsOff(exact(x, y), formula({x}, {y}).value);
      if (off > largest) {
        largest = off;
        EXPECT_LT(off, 100) << x << " " << y;
      }
    }
  }
  return largest;
}

constexpr float kSpecial[] = {
    0.0f,      -0.0f,      1,
    -1,        2,          -2,
    3,         -3,         0.5f,
    -0.5f,     kTiny,      -kTiny,
    kLargest,  -kLargest,  0x1p24f,
    kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()};

/// Special operands give the values of the C library, the sign of zero
/// included.
void expectSpecial(const BinaryFormula &formula, const BinaryExact &exact,
                   double units) {
  Modelled::first = Modelled::second = 0;
  for (float x : kSpecial)
    for (float y : kSpecial) {
      double value = exact(x, y);
      float result = formula({x}, {y}).value;
      EXPECT_LE(unitsOff(value, result), units) << x << " " << y;
      if (value == 0 && result == 0)
        EXPECT_EQ(std::signbit(value), std::signbit(result)) << x << " " << y;
    }
}

void expectWithin(const BinaryFormula &formula, const BinaryExact &exact,
                  double units) {
  EXPECT_LE(largestError(formula, exact), units);
  expectSpecial(formula, exact, units);
}

TEST(RestFormulas, PowKeepsItsBounds) {
  expectWithin(
      formulas::pow<Modelled>,
      [](double x, double y) { return std::pow(x, y); }, 4);
}

/// Bases of rotary embeddings, and others; exponents from the smallest to those
/// that overflow.
TEST(RestFormulas, PowersOfConstantsKeepTheirBounds) {
  for (double base : {1e4, 5e5, 1e6, 2.0, 10.0, 0.5, 0.999, 1e-30, 3e38}) {
    auto formula = [&](Modelled, Modelled y) {
      return formulas::powerOfConstant(base, y);
    };
    auto exact = [&](double, double y) { return std::pow(base, y); };
    expectWithin(formula, exact, 2);
  }
}

TEST(RestFormulas, RotaryFrequenciesAreWithinOneUnit) {
  for (double skew : {-1.0, 0.0, 1.0}) {
    Modelled::first = Modelled::second = skew;
    for (float base : {1e4f, 5e5f, 1e6f})
      for (int pairs : {16, 32, 48, 64, 128})
        for (int i = 0; i < pairs; ++i) {
          Modelled y = {float(i) / float(pairs)};
          float power = formulas::powerOfConstant(base, y).value;
          EXPECT_LE(unitsOff(std::pow(double(base), double(y.value)), power), 1)
              << base << " " << y.value;
        }
  }
}

TEST(RestFormulas, Expm1KeepsItsBounds) {
  expectWithin([](Modelled x, Modelled) { return formulas::expm1(x); },
               [](double x, double) { return std::expm1(x); }, 2);
}

TEST(RestFormulas, Log1pKeepsItsBounds) {
  expectWithin([](Modelled x, Modelled) { return formulas::log1p(x); },
               [](double x, double) { return std::log1p(x); }, 2);
}

TEST(RestFormulas, Atan2KeepsItsBounds) {
  auto exact = [](double y, double x) {
    double angle = std::atan2(y, x);
    // Quotients below the normal numbers lose digits.
    return std::fabs(angle) < kSmallestNormal ? 0 * angle : angle;
  };
  auto formula = [](Modelled y, Modelled x) {
    Modelled angle = formulas::atan2(y, x);
    return Modelled{flush(angle.value)};
  };
  expectWithin(formula, exact, 3);
}

/// The exponent of an integer power is in two parts where an f32 is too short.
TEST(RestFormulas, LongExponentsAreInTwoParts) {
  Modelled::first = Modelled::second = 0;
  for (float x : {1 + 0x1p-23f, 1 - 0x1p-24f, 1 + 0x1p-20f})
    for (int64_t exponent : {(1 << 24) + 1, (1 << 26) + 3, -(1 << 25) - 1}) {
      auto y = float(exponent);
      Modelled low = {float(exponent - int64_t(y))};
      float power = formulas::powerOfMagnitude(Modelled{x}, {y}, low).value;
      EXPECT_LE(unitsOff(std::pow(double(x), double(exponent)), power), 4);
    }
}

} // namespace
