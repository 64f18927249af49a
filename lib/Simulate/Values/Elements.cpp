//===- Elements.cpp - Elements as bits ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions without APFloat, which takes longer than a product.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "dialects/Hone/Hone.h"
#include "hone/Numerics/Tolerance.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

static float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) {
    float small = float(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return llvm::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

static uint16_t toHalf(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value), size = bits & 0x7fffffff;
  uint16_t sign = bits >> 16 & 0x8000;
  constexpr uint32_t kInfinity = 0x7f800000;
  if (size > kInfinity)
    return sign | 0x7e00;
  // The midpoint of the largest number and its successor without a limit.
  constexpr uint32_t kTooLarge = 0x477ff000;
  if (size >= kTooLarge)
    return sign | 0x7c00;
  // Below 2^-14 all numbers share one unit, that of numbers close to a half.
  constexpr uint32_t kMinNormal = 0x38800000;
  if (size < kMinNormal)
    return sign | uint16_t(llvm::bit_cast<uint32_t>(
                               llvm::bit_cast<float>(size) + 0.5f) -
                           llvm::bit_cast<uint32_t>(0.5f));
  // A fraction that rounds up carries into the exponent automatically.
  constexpr uint32_t kBias = 127 - 15;
  uint32_t rounded = size + 0xfff + (size >> 13 & 1);
  return sign | uint16_t((rounded >> 13) - (kBias << 10));
}

double simulate::decode(ElementType type, const uint8_t *bytes) {
  if (sizeOf(type) == 1 || isInteger(type))
    return loadElement(type, bytes, 0);
  uint16_t half;
  std::memcpy(&half, bytes, sizeof half);
  if (type == ElementType::f16)
    return fromHalf(half);
  if (type == ElementType::bf16)
    return llvm::bit_cast<float>(uint32_t(half) << 16);
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

static uint16_t toBFloat(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

void simulate::encode(ElementType type, double value, uint8_t *bytes) {
  if (sizeOf(type) == 1 || isInteger(type))
    return storeElement(type, bytes, 0, value);
  auto single = float(value);
  if (type == ElementType::f32) {
    std::memcpy(bytes, &single, sizeof single);
    return;
  }
  uint16_t half = type == ElementType::f16 ? toHalf(single) : toBFloat(single);
  std::memcpy(bytes, &half, sizeof half);
}

double simulate::rounded(ElementType type, double value) {
  uint8_t bytes[4];
  encode(type, value, bytes);
  return decode(type, bytes);
}

double simulate::unwritten(ElementType type) {
  constexpr uint32_t kPattern = 0xa5a5a5a5;
  if (!isInteger(type))
    return NAN;
  return sizeOf(type) == 1 ? int8_t(kPattern) : int32_t(kPattern);
}

/// Bits of an f32 that a tf32 does not have.
static constexpr uint32_t kCutBits = 0x1fff;

float simulate::inTensorCores(float value) {
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) & ~kCutBits);
}

void simulate::roundToTf32(uint8_t *bytes) {
  uint32_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  if (std::isnan(llvm::bit_cast<float>(bits)))
    return;
  uint32_t isOdd = bits / (kCutBits + 1) & 1;
  bits = (bits + kCutBits / 2 + isOdd) & ~kCutBits;
  std::memcpy(bytes, &bits, sizeof bits);
}

std::vector<float> simulate::splitOff(std::vector<float> &values) {
  std::vector<float> low;
  for (float &value : values) {
    uint32_t raised = llvm::bit_cast<uint32_t>(value) + (kCutBits + 1) / 2;
    float high =
        std::isnan(value) ? value : llvm::bit_cast<float>(raised & ~kCutBits);
    low.push_back(value - high);
    value = high;
  }
  return low;
}

std::vector<float> simulate::splitInTwo(std::vector<float> &values) {
  std::vector<float> low = splitOff(values);
  splitOff(low);
  return low;
}

ElementType simulate::toElement(Type type) {
  return toAnyElementType(type).value_or(ElementType::f32);
}

std::string simulate::textOf(double element) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", element);
  return text;
}
