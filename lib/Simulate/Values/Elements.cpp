//===- Elements.cpp - Elements as bits ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Codec.h"
#include "dialects/Hone/Hone.h"
#include "hone/Numerics/Tolerance.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;

double simulate::decode(ElementType type, const uint8_t *bytes) {
  return withCodec(type, [&](auto codec) { return codec.load(bytes); });
}

void simulate::encode(ElementType type, double value, uint8_t *bytes) {
  withCodec(type, [&](auto codec) { codec.store(value, bytes); });
}

/// The numbers of all bytes, by type.
static std::array<double, 256> numbersOf(ElementType type) {
  std::array<double, 256> numbers;
  for (int byte = 0; byte < 256; ++byte) {
    auto bits = uint8_t(byte);
    numbers[byte] = loadElement(type, &bits, 0);
  }
  return numbers;
}

ByteCodec::ByteCodec(ElementType type) : type(type) {
  static const std::array<double, 256> ofE4m3 = numbersOf(ElementType::e4m3),
                                       ofE5m2 = numbersOf(ElementType::e5m2),
                                       ofI8 = numbersOf(ElementType::i8);
  numbers = (type == ElementType::e4m3   ? ofE4m3
             : type == ElementType::e5m2 ? ofE5m2
                                         : ofI8)
                .data();
}

double simulate::rounded(ElementType type, double value) {
  return withCodec(type, [&](auto codec) {
    uint8_t bytes[4];
    codec.store(value, bytes);
    return codec.load(bytes);
  });
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
