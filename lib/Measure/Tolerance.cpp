//===- Tolerance.cpp - How far from the reference is right ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are rounded by APFloat, in one rounding: a detour through f32 would
// round twice. To read one is exact, and needs no such care.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/Tolerance.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace hone;
using llvm::APFloat;

/// Bits of a significand, the leading one counted.
static int precisionOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return 11;
  case ElementType::bf16:
    return 8;
  case ElementType::f32:
    return 24;
  }
  llvm_unreachable("an element type");
}

double hone::unitRoundoff(ElementType type) {
  return std::ldexp(1.0, -precisionOf(type));
}

double hone::smallestError(ElementType type) {
  return std::ldexp(1.0, type == ElementType::f16    ? -25
                         : type == ElementType::bf16 ? -134
                                                     : -150);
}

double hone::largestExactInteger(ElementType type) {
  return std::ldexp(1.0, precisionOf(type));
}

FloatRange hone::rangeOf(ElementType type) {
  int most = type == ElementType::f16 ? 16 : 128;
  return {std::ldexp(1.0, 2 - most),
          std::ldexp(1 - std::ldexp(1.0, -precisionOf(type) - 1), most)};
}

Tolerance Tolerance::ofSum(ElementType type, int64_t k, double product) {
  constexpr double kRoom = 16;
  double root = std::sqrt(double(k));
  double scale = root * product;
  return {unitRoundoff(type),
          kRoom * unitRoundoff(ElementType::f32) * root * scale +
              smallestError(type)};
}

double Tolerance::units(double c, double r) const {
  if (c == r || (std::isnan(c) && std::isnan(r)))
    return 0;
  double allowed = relative * std::abs(r) + absolute;
  double units = std::abs(c - r) / allowed;
  return std::isnan(units) ? std::numeric_limits<double>::infinity() : units;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return APFloat::IEEEhalf();
  case ElementType::bf16:
    return APFloat::BFloat();
  case ElementType::f32:
    return APFloat::IEEEsingle();
  }
  llvm_unreachable("an element type");
}

/// The bits of `value` rounded to `type`.
static uint64_t bitsOf(ElementType type, double value) {
  if (type == ElementType::f32)
    return llvm::bit_cast<uint32_t>(float(value));
  APFloat number(value);
  bool losesInfo;
  number.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

/// Results are compared element by element, so what every CPU can do it does.
static double fromBits(ElementType type, uint64_t bits) {
  if (type == ElementType::f32)
    return llvm::bit_cast<float>(uint32_t(bits));
  if (type == ElementType::bf16)
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  constexpr uint32_t kSign = 0x8000, kLargest = 0x7BFF;
  if (uint32_t size = bits & ~kSign; size <= kLargest) {
    // As an f32 with the same fields it is too small by the difference of the
    // exponents' biases, subnormal or not.
    constexpr float kBiases = 0x1p112f;
    float value = llvm::bit_cast<float>(size << 13) * kBiases;
    return bits & kSign ? -value : value;
  }
  APFloat number(semanticsOf(type), llvm::APInt(sizeOf(type) * 8, bits));
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

double hone::loadElement(ElementType type, const void *data, int64_t index) {
  uint64_t bits = 0;
  int64_t bytes = sizeOf(type);
  std::memcpy(&bits, static_cast<const char *>(data) + index * bytes, bytes);
  return fromBits(type, bits);
}

void hone::storeElement(ElementType type, void *data, int64_t index,
                        double value) {
  uint64_t bits = bitsOf(type, value);
  int64_t bytes = sizeOf(type);
  std::memcpy(static_cast<char *>(data) + index * bytes, &bits, bytes);
}

double hone::roundTo(ElementType type, double value) {
  return fromBits(type, bitsOf(type, value));
}
