//===- ModelledFloat.h - Model of a GPU's f32 -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number type with which tests evaluate formulas: binary32 arithmetic, and
// approximate instructions with the largest error that their specification
// allows.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_PASSES_MODELLEDFLOAT_H
#define HONE_TEST_UNIT_PASSES_MODELLEDFLOAT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace hone::test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kSmallestNormal = std::numeric_limits<float>::min();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float flush(float x) {
  return std::fabs(x) < kSmallestNormal ? std::copysign(0.0f, x) : x;
}

/// f32 on a GPU whose exp2, log2 and rsqrt (rcp) err by `first` (`second`)
/// times the specified error.
struct Modelled {
  inline static double first = 0, second = 0;
  float value;

  Modelled constant(float number) const { return {number}; }

  friend Modelled operator+(Modelled a, Modelled b) {
    return {a.value + b.value};
  }
  friend Modelled operator*(Modelled a, Modelled b) {
    return {a.value * b.value};
  }
  friend Modelled operator/(Modelled a, Modelled b) {
    return {a.value / b.value};
  }
  friend Modelled fma(Modelled a, Modelled b, Modelled c) {
    return {std::fma(a.value, b.value, c.value)};
  }
  friend Modelled absolute(Modelled x) { return {std::fabs(x.value)}; }
  friend Modelled copySign(Modelled magnitude, Modelled sign) {
    return {std::copysign(magnitude.value, sign.value)};
  }
  friend Modelled roundEven(Modelled x) { return {std::nearbyint(x.value)}; }
  friend Modelled chooseLess(Modelled a, Modelled b, Modelled ifLess,
                             Modelled ifNot) {
    return a.value < b.value ? ifLess : ifNot;
  }
  friend Modelled chooseBelow(Modelled x, float bound, Modelled ifBelow,
                              Modelled ifNot) {
    return x.value < bound ? ifBelow : ifNot;
  }

  friend Modelled exp2Approx(Modelled x) {
    static const double error = std::exp2(-22.5);
    float input = flush(x.value);
    // Special values rely on 2^0 being exact, as it is on the chips.
    double skew = input == std::floor(input) ? 0 : first * error;
    return {flush(float(std::exp2(double(input)) * (1 + skew)))};
  }
  friend Modelled log2Approx(Modelled x) {
    static const double error = std::exp2(-22);
    double exact = std::log2(double(x.value));
    if (x.value > 0.5f && x.value < 2)
      return {float(exact + first * error)};
    return {float(exact * (1 + first * error))};
  }
  friend Modelled rcpApprox(Modelled x) {
    double exact = 1 / double(flush(x.value));
    return {flush(float(exact * (1 + second * 0x1p-23)))};
  }
  friend Modelled rsqrtApprox(Modelled x) {
    static const double error = std::exp2(-22.9);
    return {float(1 / std::sqrt(double(x.value)) * (1 + first * error))};
  }
};

/// A number to put a result's error in units of its last place. For subnormal
/// results these are those of the least normal number.
inline double unitOf(double exact) {
  int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::ldexp(1.0, exponent - 23);
}

} // namespace hone::test

#endif // HONE_TEST_UNIT_PASSES_MODELLEDFLOAT_H
