//===- ToleranceTest.cpp - Tests of the single rounding of elements -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number of the 16-bit types, and the midpoints of neighbours, compared
// with LLVM's APFloat.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Tolerance.h"
#include "hone/Numerics/ErrorBound.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

using namespace hone;
using llvm::APFloat;

namespace {

const llvm::fltSemantics &semanticsOf(ElementType type) {
  return type == ElementType::f16    ? APFloat::IEEEhalf()
         : type == ElementType::bf16 ? APFloat::BFloat()
         : type == ElementType::f32  ? APFloat::IEEEsingle()
         : type == ElementType::e4m3 ? APFloat::Float8E4M3FN()
                                     : APFloat::Float8E5M2();
}

double expectedOf(ElementType type, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

void expectRounded(ElementType type, double value) {
  double got = roundTo(type, value), expected = expectedOf(type, value);
  // A number too large for e4m3 becomes a NaN.
  ASSERT_EQ(std::isnan(got), std::isnan(expected)) << value;
  if (!std::isnan(expected)) {
    ASSERT_EQ(got, expected) << toString(type).str() << ' ' << value;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << value;
  }
}

constexpr ElementType kHalves[] = {ElementType::f16, ElementType::bf16};
constexpr ElementType kBytes[] = {ElementType::e4m3, ElementType::e5m2};

TEST(ToleranceTest, NumbersOf16BitsStayWhatTheyAre) {
  for (ElementType type : kHalves)
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      auto stored = uint16_t(bits);
      double value = loadElement(type, &stored, 0);
      APFloat number(semanticsOf(type), llvm::APInt(16, bits));
      ASSERT_EQ(std::isnan(value), number.isNaN());
      if (number.isNaN())
        continue;
      uint16_t again = 0;
      storeElement(type, &again, 0, value);
      ASSERT_EQ(again, stored) << toString(type).str();
      expectRounded(type, value);
    }
}

TEST(ToleranceTest, NumbersOf8BitsAndWhatIsBetween) {
  for (ElementType type : kBytes)
    for (uint32_t bits = 0; bits < 1 << 8; ++bits) {
      uint8_t both[] = {uint8_t(bits), uint8_t(bits + 1)}, again = 0;
      double value = loadElement(type, both, 0);
      APFloat number(semanticsOf(type), llvm::APInt(8, bits));
      ASSERT_EQ(std::isnan(value), number.isNaN());
      if (number.isNaN())
        continue;
      storeElement(type, &again, 0, value);
      ASSERT_EQ(again, both[0]) << toString(type).str();
      double above = loadElement(type, both, 1);
      double half = value + (above - value) / 2;
      if (!std::isfinite(half))
        continue;
      for (double between :
           {value, half, std::nextafter(half, 0.0),
            std::nextafter(half, std::copysign(HUGE_VAL, half))})
        expectRounded(type, between);
    }
}

TEST(ToleranceTest, IntegersAreExactAndWrapAround) {
  for (int value = -128; value < 128; ++value) {
    int8_t stored = 0;
    storeElement(ElementType::i8, &stored, 0, value);
    EXPECT_EQ(stored, value);
    EXPECT_EQ(loadElement(ElementType::i8, &stored, 0), value);
  }
  EXPECT_EQ(roundTo(ElementType::i32, 2.5), 2);
  EXPECT_EQ(roundTo(ElementType::i32, -3.5), -4);
  EXPECT_EQ(roundTo(ElementType::i32, 0x1p24 + 1), 0x1p24 + 1);
  EXPECT_EQ(roundTo(ElementType::i32, 0x1p31), -0x1p31);
  EXPECT_EQ(roundTo(ElementType::i32, 0x1p33 + 7), 7);
  Tolerance none = Tolerance::ofSum(ElementType::i32, /*k=*/4096);
  EXPECT_EQ(none.units(17, 17), 0);
  EXPECT_EQ(none.units(17, 18), HUGE_VAL);
  EXPECT_EQ(unitsOff(ElementType::i32, -5, {-5, 0}), 0);
  EXPECT_EQ(unitsOff(ElementType::i32, -5, {-4, 0}), HUGE_VAL);
  Inexact<double> stored =
      roundInto(ElementType::i32, Inexact<double>{0x1p30 + 3, 0});
  EXPECT_EQ(stored.value, 0x1p30 + 3);
  EXPECT_EQ(stored.error, 0);
}

/// Data differ from the bytes of unwritten memory.
TEST(ToleranceTest, PoisonIsNoDatum) {
  for (ElementType type : {ElementType::i8, ElementType::i32}) {
    uint8_t bytes[4];
    std::fill(std::begin(bytes), std::end(bytes), poisonOf(type));
    // No draw of 24 bits exceeds six deviations.
    EXPECT_LT(loadElement(type, bytes, 0), -6 * deviationOf(type));
    EXPECT_LE(6 * deviationOf(type), largestExactInteger(type));
  }
}

TEST(ToleranceTest, BetweenTwoNeighbours) {
  for (ElementType type : kHalves)
    for (uint32_t bits = 0; bits + 1 < 1 << 15; ++bits) {
      uint16_t both[] = {uint16_t(bits), uint16_t(bits + 1)};
      double below = loadElement(type, both, 0);
      double above = loadElement(type, both, 1);
      if (!std::isfinite(above))
        break;
      double half = below + (above - below) / 2;
      for (double value :
           {half, std::nextafter(half, 0.0), std::nextafter(half, HUGE_VAL)}) {
        expectRounded(type, value);
        expectRounded(type, -value);
      }
    }
}

TEST(ToleranceTest, LimitsAndChance) {
  std::mt19937_64 random(1);
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32,
        ElementType::e4m3, ElementType::e5m2}) {
    double overflow = rangeOf(type).overflow;
    for (double value :
         {overflow, std::nextafter(overflow, 0.0), 2 * overflow, HUGE_VAL,
          std::ldexp(1.0, -1074), std::ldexp(1.0, -1022), 0.0,
          smallestError(type), std::nextafter(smallestError(type), 1.0),
          double(NAN)}) {
      expectRounded(type, value);
      expectRounded(type, -value);
    }
    for (int i = 0; i < 200000; ++i) {
      uint64_t bits = random();
      // Exponents of the types, and some beyond.
      bits = (bits & ~(uint64_t(0x7FF) << 52)) |
             (uint64_t(1023 - 160 + random() % 320) << 52);
      double value;
      std::memcpy(&value, &bits, sizeof(value));
      expectRounded(type, value);
    }
  }
}

TEST(ToleranceTest, UnitsAndRanges) {
  EXPECT_EQ(unitRoundoff(ElementType::f16), std::ldexp(1.0, -11));
  EXPECT_EQ(unitRoundoff(ElementType::bf16), std::ldexp(1.0, -8));
  EXPECT_EQ(unitRoundoff(ElementType::f32), std::ldexp(1.0, -24));
  EXPECT_EQ(largestExactInteger(ElementType::bf16), 256);
  EXPECT_EQ(rangeOf(ElementType::f16).overflow, 65520);
  EXPECT_EQ(rangeOf(ElementType::f16).smallestNormal, std::ldexp(1.0, -14));
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32,
        ElementType::e4m3, ElementType::e5m2}) {
    APFloat smallest = APFloat::getSmallest(semanticsOf(type));
    bool losesInfo;
    smallest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    EXPECT_EQ(2 * smallestError(type), smallest.convertToDouble());
  }
}

/// The nearest number that tensor cores read without loss.
double nearestRead(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + 0x1000u) & ~0x1fffu;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The value that tensor cores read for a number.
double cutOff(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits &= ~0x1fffu;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Sums of rounded factors pass where that is permitted, and almost never where
/// it is not.
TEST(ToleranceTest, FactorsThatAreRounded) {
  constexpr int kSums = 400;
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  for (int64_t k : {1, 16, 300, 4096}) {
    Tolerance permitted =
        Tolerance::ofSum(ElementType::f32, k, /*product=*/1, Products::tf32);
    Tolerance parts =
        Tolerance::ofSum(ElementType::f32, k, /*product=*/1, Products::tf32x3);
    int wrong = 0;
    for (int i = 0; i < kSums; ++i) {
      double sum = 0, rounded = 0;
      for (int64_t j = 0; j < k; ++j) {
        float a = normal(random), b = normal(random);
        sum += double(a) * b;
        rounded += nearestRead(a) * nearestRead(b);
      }
      EXPECT_LE(permitted.units(rounded, sum), 1) << k;
      double error = errorOfSum(sum, double(k), double(k), Products::tf32);
      EXPECT_LE(unitsOff(ElementType::f32, rounded, {sum, error}), 1) << k;
      wrong += parts.units(rounded, sum) > 1;
    }
    EXPECT_GT(wrong, kSums * 3 / 4) << k;
  }
}

/// A single product of three shows the loss of each: no sum hides it.
TEST(ToleranceTest, ProductsOfTwoPartsEach) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal;
  Tolerance permitted = Tolerance::ofSum(ElementType::f32, /*k=*/1,
                                         /*product=*/1, Products::tf32x3);
  for (int i = 0; i < 100000; ++i) {
    float a = normal(random), b = normal(random);
    double highA = nearestRead(a), highB = nearestRead(b);
    double lowA = cutOff(float(a - highA)), lowB = cutOff(float(b - highB));
    float parts = float(lowA * highB + highA * lowB) + float(highA * highB);
    double exact = double(a) * b;
    EXPECT_LE(permitted.units(parts, exact), 1) << a << " " << b;
    double error = errorOfSum(exact, std::fabs(exact), 1, Products::tf32x3);
    EXPECT_LE(unitsOff(ElementType::f32, parts, {exact, error}), 1);
  }
}

/// A step of the tensor cores on 8 bits: 32 products and the sum so far, each
/// truncated 13 bits after the leading bit of the largest.
double stepOfShortSum(double sum, const double *products) {
  constexpr int kProducts = 32, kBits = 13;
  double largest = std::fabs(sum);
  for (int i = 0; i < kProducts; ++i)
    largest = std::max(largest, std::fabs(products[i]));
  double unit = std::ldexp(1.0, std::ilogb(largest) - kBits);
  double total = std::trunc(sum / unit);
  for (int i = 0; i < kProducts; ++i)
    total += std::trunc(products[i] / unit);
  return total * unit;
}

struct ShortSums {
  double exact = 0, inBlocks = 0, isShort = 0, norms = 0;
};

ShortSums sumUp(int64_t k, std::function<double()> draw) {
  ShortSums sums;
  std::vector<double> products(k);
  double squares = 0;
  for (double &each : products) {
    each =
        roundTo(ElementType::e4m3, draw()) * roundTo(ElementType::e4m3, draw());
    sums.exact += each;
    squares += each * each;
  }
  sums.norms = std::sqrt(double(k) * squares);
  float inF32 = 0;
  for (int64_t from = 0; from < k; from += kBlock) {
    double block = 0;
    for (int64_t step = from; step < from + kBlock; step += 32) {
      block = stepOfShortSum(block, &products[step]);
      sums.isShort = stepOfShortSum(sums.isShort, &products[step]);
    }
    inF32 += float(block);
  }
  sums.inBlocks = inF32;
  return sums;
}

/// A truncation in all products passes where that is permitted, and not always
/// where only blocks may be truncated.
TEST(ToleranceTest, SumsThatAreShort) {
  constexpr int kSums = 400;
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  int64_t wrong = 0;
  for (int64_t k : {128, 4096, 16384})
    for (int i = 0; i < kSums; ++i) {
      ShortSums sums = sumUp(k, [&] { return normal(random); });
      Tolerance blocks =
          Tolerance::ofSum(ElementType::f32, k, 1, Products::blocks);
      Tolerance permitted =
          Tolerance::ofSum(ElementType::f32, k, 1, Products::shortSums);
      EXPECT_LE(blocks.units(sums.inBlocks, sums.exact), 1) << k;
      EXPECT_LE(permitted.units(sums.isShort, sums.exact), 1) << k;
      wrong += blocks.units(sums.isShort, sums.exact) > 1;
    }
  EXPECT_GT(wrong, 0);
  EXPECT_EQ(largestCut(Products::shortSums, kBlock),
            largestCut(Products::blocks, kBlock));
}

/// The loss of a sum in steps of `step` products of N(0, 1), each truncated to f32.
double lossOf(int64_t k, int64_t step, std::mt19937_64 &dice, double &exact) {
  std::normal_distribution<double> ofStep(0, std::sqrt(double(step)));
  double sum = 0;
  exact = 0;
  for (int64_t at = 0; at < k; at += step) {
    double next = ofStep(dice);
    exact += next;
    int exponent;
    double fraction = std::frexp(sum + next, &exponent);
    sum = std::ldexp(std::trunc(std::ldexp(fraction, 24)), exponent - 24);
  }
  return sum - exact;
}

TEST(ToleranceTest, LongSumsThatTruncate) {
  constexpr int64_t kSums = 100;
  std::mt19937_64 dice(5);
  for (int64_t k : {1024, 16384, 65536})
    for (int64_t step : {8, 16}) {
      Tolerance tolerance = Tolerance::ofSum(ElementType::f32, k);
      double squares = 0;
      for (int64_t sum = 0; sum < kSums; ++sum) {
        double exact, loss = lossOf(k, step, dice, exact);
        squares += loss * loss;
        EXPECT_LT(tolerance.units(exact + loss, exact), 1) << k << " " << step;
        EXPECT_LT(std::abs(loss), 8 * errorOfSum(exact, double(k), double(k)));
      }
      double units = std::sqrt(squares / kSums) * 0x1p24 / double(k);
      EXPECT_LT(units, 1.1 * truncationOf(double(k))) << k << " " << step;
      // The room is less than twice the loss.
      if (step == 8 && k > 1024) {
        EXPECT_GT(units, 0.6 * truncationOf(double(k))) << k;
      }
    }
}

/// For products of one sign the truncation errors add up.
TEST(ToleranceTest, ShortSumsDrift) {
  std::mt19937_64 random(13);
  std::normal_distribution<double> normal;
  double largest = 0;
  for (int64_t k : {128, 1024, 8192})
    for (int i = 0; i < 50; ++i) {
      ShortSums sums = sumUp(k, [&] { return std::fabs(normal(random)); });
      double error =
          errorOfSum(sums.exact, sums.norms, double(k), Products::shortSums);
      EXPECT_LE(unitsOff(ElementType::f32, sums.isShort, {sums.exact, error}),
                1)
          << k;
      largest = std::max(largest, 1 - sums.isShort / sums.exact);
    }
  EXPECT_GT(largest, 0.05);
}

/// Integers are exact within the bits of a sum.
TEST(ToleranceTest, ShortSumsOfWholeNumbers) {
  EXPECT_EQ(largestExactSum(Products::shortSums), std::ldexp(1.0, 13));
  EXPECT_EQ(largestExactSum(Products::blocks), std::ldexp(1.0, 24));
  std::mt19937_64 random(17);
  for (int i = 0; i < 100; ++i) {
    ShortSums sums = sumUp(8192, [&] { return double(random() % 2); });
    EXPECT_EQ(sums.isShort, sums.exact);
  }
}

} // namespace
