//===- EpilogueMathTest.cpp - Tests of the error of the epilogue formulas -===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps the formulas against the double-precision functions of the C library,
// on a model of the GPU: binary32 arithmetic, and approximate instructions with
// the largest error that their specification allows. Every combination of up,
// down and exact is tried, because the errors of two instructions may cancel.
//
//===----------------------------------------------------------------------===//

#include "ModelledFloat.h"
#include "passes/Lower/EpilogueFormulas.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

/// The largest errors. For subnormal results, only the ulps are meaningful.
struct Errors {
  double absolute = 0, relative = 0, ulps = 0;
  float largest = 0; ///< largest magnitude of a result

  void add(double exact, float result) {
    double error = std::fabs(result - exact);
    absolute = std::max(absolute, error);
    largest = std::max(largest, std::fabs(result));
    if (std::fabs(exact) >= kSmallestNormal)
      relative = std::max(relative, error / std::fabs(exact));
    ulps = std::max(ulps, error / unitOf(exact));
  }
};

using Formula = Modelled (*)(Modelled);
using Reference = double (*)(double);

/// Calls `visit` for 2^12 mantissas (whose low bits vary) of every exponent,
/// infinity, and the 2^12 values around each place where a formula changes;
/// with both signs.
template <typename Visit>
void forEachFloat(Visit visit) {
  auto visitBits = [&](uint32_t bits) {
    for (uint32_t sign : {0u, 0x80000000u})
      visit(floatOf(bits | sign));
  };
  uint32_t noise = 1;
  for (uint32_t top = 0; top <= 0xff0u << 8; ++top) {
    noise = noise * 1664525 + 1013904223;
    visitBits(top << 11 | (top % 4 ? noise >> 21 : 0));
  }
  for (float place : {0.4f, 0.75f, 0.78125f, 1.0f, 1.21875f, 87.3365448f,
                      88.7228391f, 126.0f, 128.0f})
    for (uint32_t step = 0; step < 1 << 12; ++step)
      visitBits(bitsOf(place) - (1 << 11) + step);
}

/// The handling of results too small to be normal.
enum class Subnormals { Kept, Flushed };

/// The errors of `formula`. Overflow, NaN and flushed results come out as such
/// whatever the skew, save within 2^-21 of the limit, where either is right.
Errors sweep(Formula formula, Reference reference,
             Subnormals subnormals = Subnormals::Kept) {
  const double margin = 0x1p-21;
  Errors errors;
  forEachFloat([&](float x) {
    double exact = reference(x), magnitude = std::fabs(exact);
    for (int skew = 0; skew < 9; ++skew) {
      Modelled::first = skew % 3 - 1;
      Modelled::second = skew / 3 - 1;
      float result = formula({x}).value;
      if (std::isnan(exact))
        ASSERT_TRUE(std::isnan(result)) << x;
      else
        ASSERT_FALSE(std::isnan(result)) << x;
      if (magnitude > kLargest * (1 + margin))
        ASSERT_EQ(result, std::copysign(kInfinity, float(exact))) << x;
      else if (subnormals == Subnormals::Flushed &&
               magnitude < kSmallestNormal * (1 + margin))
        ASSERT_LE(std::fabs(result), kSmallestNormal * (1 + margin)) << x;
      else if (magnitude < kLargest * (1 - margin))
        errors.add(exact, result);
    }
  });
  return errors;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

double exactExp(double x) { return std::exp(x); }
double exactExp2(double x) { return std::exp2(x); }
double exactLog(double x) { return std::log(x); }
double exactLog2(double x) { return std::log2(x); }
double exactTanh(double x) { return std::tanh(x); }
double exactOnePlusTanh(double x) { return 2 / (1 + std::exp(-2 * x)); }
double exactOnePlusErf(double x) { return std::erfc(-x); }
double exactLogistic(double x) { return 1 / (1 + std::exp(-x)); }
double exactHalfPlusErf(double x) { return std::erfc(-x) / 2; }
double exactErf(double x) { return std::erf(x); }
double exactRsqrt(double x) { return 1 / std::sqrt(x); }

// Gates, in the forms that EpilogueGate.cpp uses.
Modelled onePlusTanh(Modelled x) {
  return formulas::gateOfPower(x, -2, 0, /*isHalved=*/false);
}
Modelled logistic(Modelled x) {
  return formulas::gateOfPower(x, -1, 0, /*isHalved=*/true);
}
Modelled onePlusErf(Modelled x) {
  return formulas::gateOfErf(x, 1, /*isHalved=*/false);
}
Modelled halfPlusErf(Modelled x) {
  return formulas::gateOfErf(x, 1, /*isHalved=*/true);
}

/// The factor of x in a GELU: by tanh, as one cubic, and by erf.
constexpr double kRoot = 0.79788458347320556641, kCube = 0.0447149984538555145;
constexpr double kHalfRoot = 0.70710676908493041992;
Modelled geluOfTanh(Modelled x) {
  return formulas::gateOfPower(x, -2 * kRoot, -2 * kRoot * kCube,
                               /*isHalved=*/true);
}
Modelled geluOfErf(Modelled x) {
  return formulas::gateOfErf(x, kHalfRoot, /*isHalved=*/true);
}
Modelled geluOfMinusErf(Modelled x) {
  return formulas::gateOfErf(x, -kHalfRoot, /*isHalved=*/true);
}
double exactGeluOfTanh(double x) {
  return exactLogistic(2 * kRoot * (x + kCube * x * x * x));
}
double exactGeluOfErf(double x) { return exactHalfPlusErf(x * kHalfRoot); }
double exactGeluOfMinusErf(double x) { return exactGeluOfErf(-x); }

TEST(EpilogueMath, ExpKeepsItsBounds) {
  Errors errors = sweep(formulas::exp, exactExp, Subnormals::Flushed);
  EXPECT_LE(errors.ulps, 4);
}

TEST(EpilogueMath, Exp2KeepsItsBounds) {
  Errors errors = sweep(formulas::exp2, exactExp2, Subnormals::Flushed);
  EXPECT_LE(errors.ulps, 4);
}

TEST(EpilogueMath, LogKeepsItsBounds) {
  Errors errors = sweep(formulas::log, exactLog);
  EXPECT_LE(errors.relative, 1e-6);
}

TEST(EpilogueMath, Log2KeepsItsBounds) {
  Errors errors = sweep(formulas::log2, exactLog2);
  EXPECT_LE(errors.relative, 1e-6);
}

TEST(EpilogueMath, TanhKeepsItsBounds) {
  Errors errors = sweep(formulas::tanh, exactTanh);
  EXPECT_LE(errors.absolute, 3e-7);
  EXPECT_LE(errors.relative, 1e-6);
  EXPECT_LE(errors.largest, 1);
}

TEST(EpilogueMath, OnePlusTanhKeepsItsBounds) {
  Errors errors = sweep(onePlusTanh, exactOnePlusTanh);
  EXPECT_LE(errors.absolute, 5e-7);
}

TEST(EpilogueMath, ErfKeepsItsBounds) {
  Errors errors = sweep(formulas::erf, exactErf);
  EXPECT_LE(errors.absolute, 3e-7);
  EXPECT_LE(errors.relative, 1e-6);
  EXPECT_LE(errors.largest, 1);
}

TEST(EpilogueMath, OnePlusErfKeepsItsBounds) {
  Errors errors = sweep(onePlusErf, exactOnePlusErf);
  EXPECT_LE(errors.absolute, 5e-7);
}

TEST(EpilogueMath, HalvesKeepTheirBounds) {
  Errors errors = sweep(logistic, exactLogistic, Subnormals::Flushed);
  EXPECT_LE(errors.absolute, 2.5e-7);
  EXPECT_LE(errors.relative, 1e-5);
  EXPECT_LE(sweep(halfPlusErf, exactHalfPlusErf).absolute, 2.5e-7);
}

TEST(EpilogueMath, GatesOfGeluKeepTheirBounds) {
  EXPECT_LE(sweep(geluOfTanh, exactGeluOfTanh).absolute, 2.5e-7);
  EXPECT_LE(sweep(geluOfErf, exactGeluOfErf).absolute, 2.5e-7);
  EXPECT_LE(sweep(geluOfMinusErf, exactGeluOfMinusErf).absolute, 2.5e-7);
}

TEST(EpilogueMath, RsqrtKeepsItsBounds) {
  Errors errors = sweep(formulas::rsqrt, exactRsqrt);
  EXPECT_LE(errors.ulps, 3);
}

//===----------------------------------------------------------------------===//
// Special values
//===----------------------------------------------------------------------===//

/// Compares bits, because -0 and +0 compare equal.
#define EXPECT_SAME(actual, expected)                                          \
  EXPECT_EQ(bitsOf(actual), bitsOf(expected)) << (actual) << " " << (expected)

float evaluate(Formula formula, float x) {
  Modelled::first = Modelled::second = 0;
  return formula({x}).value;
}

TEST(EpilogueMath, NanStaysNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (Formula formula :
       {formulas::exp<Modelled>, formulas::exp2<Modelled>,
        formulas::log<Modelled>, formulas::log2<Modelled>,
        formulas::tanh<Modelled>, formulas::erf<Modelled>,
        formulas::rsqrt<Modelled>, Formula(onePlusTanh), Formula(onePlusErf),
        Formula(logistic), Formula(geluOfTanh), Formula(geluOfErf)})
    for (float x : {nan, -nan})
      EXPECT_TRUE(std::isnan(evaluate(formula, x)));
}

TEST(EpilogueMath, ExponentialsOfSpecialValues) {
  for (Formula formula : {formulas::exp<Modelled>, formulas::exp2<Modelled>}) {
    EXPECT_SAME(evaluate(formula, 0.0f), 1.0f);
    EXPECT_SAME(evaluate(formula, -0.0f), 1.0f);
    EXPECT_SAME(evaluate(formula, kTiny), 1.0f);
    EXPECT_SAME(evaluate(formula, kInfinity), kInfinity);
    EXPECT_SAME(evaluate(formula, kLargest), kInfinity);
    EXPECT_SAME(evaluate(formula, -kInfinity), 0.0f);
    EXPECT_SAME(evaluate(formula, -kLargest), 0.0f);
  }
}

TEST(EpilogueMath, LogarithmsOfSpecialValues) {
  for (Formula formula : {formulas::log<Modelled>, formulas::log2<Modelled>}) {
    EXPECT_SAME(evaluate(formula, 1.0f), 0.0f);
    EXPECT_SAME(evaluate(formula, 0.0f), -kInfinity);
    EXPECT_SAME(evaluate(formula, -0.0f), -kInfinity);
    EXPECT_SAME(evaluate(formula, kInfinity), kInfinity);
    EXPECT_TRUE(std::isnan(evaluate(formula, -1.0f)));
    EXPECT_TRUE(std::isnan(evaluate(formula, -kTiny)));
    EXPECT_TRUE(std::isnan(evaluate(formula, -kInfinity)));
  }
  EXPECT_SAME(evaluate(formulas::log2<Modelled>, kTiny), -149.0f);
}

TEST(EpilogueMath, SumsOfSigmoidsSaturate) {
  for (Formula formula : {onePlusTanh, onePlusErf}) {
    for (float x : {100.0f, 1e10f, kLargest, kInfinity}) {
      EXPECT_SAME(evaluate(formula, x), 2.0f);
      EXPECT_SAME(evaluate(formula, -x), 0.0f);
    }
    EXPECT_SAME(evaluate(formula, -0.0f), 1.0f);
  }
}

TEST(EpilogueMath, GatesSaturate) {
  for (Formula formula : {logistic, halfPlusErf, geluOfTanh, geluOfErf}) {
    for (float x : {100.0f, 1e10f, 1e20f, kLargest, kInfinity}) {
      EXPECT_SAME(evaluate(formula, x), 1.0f);
      EXPECT_SAME(evaluate(formula, -x), 0.0f);
    }
    EXPECT_SAME(evaluate(formula, 0.0f), 0.5f);
    EXPECT_SAME(evaluate(formula, -0.0f), 0.5f);
  }
}

/// 1 + erf(x) is a factor of gelu(x): where erf saturates short of -1, gelu of
/// a large negative x is large.
TEST(EpilogueMath, SigmoidsAreOddAndSaturate) {
  for (Formula formula : {formulas::tanh<Modelled>, formulas::erf<Modelled>})
    for (float sign : {1.0f, -1.0f}) {
      EXPECT_SAME(evaluate(formula, sign * 0.0f), sign * 0.0f);
      for (float x : {10.0f, 100.0f, 1e10f, kLargest, kInfinity})
        EXPECT_SAME(evaluate(formula, sign * x), sign);
    }
  EXPECT_SAME(evaluate(formulas::tanh<Modelled>, -kTiny), -kTiny);
  forEachFloat([](float x) {
    EXPECT_SAME(evaluate(formulas::erf, -x), -evaluate(formulas::erf, x));
    EXPECT_SAME(evaluate(formulas::tanh, -x), -evaluate(formulas::tanh, x));
  });
}

} // namespace
