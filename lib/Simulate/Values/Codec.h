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

LLVM_ATTRIBUTE_ALWAYS_INLINE float fromBFloat(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

LLVM_ATTRIBUTE_ALWAYS_INLINE float sameFloat(float value) { return value; }

LLVM_ATTRIBUTE_ALWAYS_INLINE int32_t sameWord(int32_t value) { return value; }
inline int32_t toWord(double value) {
  int32_t word;
  storeElement(ElementType::i32, &word, 0, value);
  return word;
}

/// Elements in words of type `Bits`.
template <typename Bits, auto fromBits, auto toBits>
struct WordsCodec {
  static constexpr int64_t bytes() { return sizeof(Bits); }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static double load(const uint8_t *from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof bits);
    return fromBits(bits);
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void store(double value, uint8_t *to) {
    Bits bits = toBits(value);
    std::memcpy(to, &bits, sizeof bits);
  }
};

using HalfCodec = WordsCodec<uint16_t, fromHalf, toHalf>;
using BFloatCodec = WordsCodec<uint16_t, fromBFloat, toBFloat>;
using SingleCodec = WordsCodec<float, sameFloat, sameFloat>;
using WordCodec = WordsCodec<int32_t, sameWord, toWord>;

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
