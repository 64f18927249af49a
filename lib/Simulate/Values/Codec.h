//===- Codec.h - Bits of one element type -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over elements are compiled for each type:
//
//   withCodec(type, [&](auto codec) {
//     for (size_t i = 0; i < values.size(); ++i)
//       values[i] = codec.load(bytes + i * codec.bytes());
//   });
//
// The conversions do without APFloat, which takes longer than a product.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_CODEC_H
#define HONE_LIB_SIMULATE_CODEC_H

#include "hone/Numerics/Tolerance.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"
#include <cmath>
#include <cstring>

namespace hone::simulate {

LLVM_ATTRIBUTE_ALWAYS_INLINE float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) {
    float small = float(fraction) * 0x1p-24f;
    return sign ? -small : small;
  }
  uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return llvm::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

LLVM_ATTRIBUTE_ALWAYS_INLINE uint16_t toHalf(float value) {
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

LLVM_ATTRIBUTE_ALWAYS_INLINE uint16_t toBFloat(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

struct HalfCodec {
  static constexpr int64_t bytes() { return 2; }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static double load(const uint8_t *from) {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return fromHalf(bits);
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void store(double value, uint8_t *to) {
    uint16_t bits = toHalf(float(value));
    std::memcpy(to, &bits, sizeof bits);
  }
};

struct BFloatCodec {
  static constexpr int64_t bytes() { return 2; }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static double load(const uint8_t *from) {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void store(double value, uint8_t *to) {
    uint16_t bits = toBFloat(float(value));
    std::memcpy(to, &bits, sizeof bits);
  }
};

struct SingleCodec {
  static constexpr int64_t bytes() { return 4; }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static double load(const uint8_t *from) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void store(double value, uint8_t *to) {
    auto single = float(value);
    std::memcpy(to, &single, sizeof single);
  }
};

struct WordCodec {
  static constexpr int64_t bytes() { return 4; }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static double load(const uint8_t *from) {
    int32_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void store(double value, uint8_t *to) {
    storeElement(ElementType::i32, to, 0, value);
  }
};

/// i8, or a float of 8 bits.
struct ByteCodec {
  explicit ByteCodec(ElementType type);
  static constexpr int64_t bytes() { return 1; }
  LLVM_ATTRIBUTE_ALWAYS_INLINE double load(const uint8_t *from) const {
    return numbers[*from];
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE void store(double value, uint8_t *to) const {
    storeElement(type, to, 0, value);
  }

  ElementType type;
  const double *numbers; ///< of each byte
};

template <typename Body>
auto withCodec(ElementType type, Body body) {
  switch (type) {
  case ElementType::f16:
    return body(HalfCodec());
  case ElementType::bf16:
    return body(BFloatCodec());
  case ElementType::f32:
    return body(SingleCodec());
  case ElementType::i32:
    return body(WordCodec());
  default:
    return body(ByteCodec(type));
  }
}

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_CODEC_H
