//===- Tolerance.cpp - Tolerance of results -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are rounded from f64 in one step: by way of f32 they would be
// rounded twice. Reading an element is exact.
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/Tolerance.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace hone;

/// Bits of a significand, including the leading one.
static int precisionOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return 11;
  case ElementType::bf16:
    return 8;
  case ElementType::f32:
    return 24;
  case ElementType::e4m3:
    return 4;
  case ElementType::e5m2:
    return 3;
  case ElementType::i8:
    return 7;
  case ElementType::i32:
    return 31;
  }
  llvm_unreachable("an element type");
}

/// 2 to a power that is a normal double. Fast, because elements are rounded by
/// the million.
static double powerOfTwo(int exponent) {
  constexpr int kBits = 52, kBias = 1023;
  return llvm::bit_cast<double>(uint64_t(kBias + exponent) << kBits);
}

double hone::unitRoundoff(ElementType type) {
  return isInteger(type) ? 0 : powerOfTwo(-precisionOf(type));
}

double hone::smallestError(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return powerOfTwo(-25);
  case ElementType::bf16:
    return powerOfTwo(-134);
  case ElementType::f32:
    return powerOfTwo(-150);
  case ElementType::e4m3:
    return powerOfTwo(-10);
  case ElementType::e5m2:
    return powerOfTwo(-17);
  case ElementType::i8:
  case ElementType::i32:
    return 0;
  }
  llvm_unreachable("an element type");
}

double hone::deviationOf(ElementType type) {
  constexpr double kOfBytes = 20, kOfWords = 1000;
  if (!isInteger(type))
    return 1;
  return sizeOf(type) == 1 ? kOfBytes : kOfWords;
}

uint8_t hone::poisonOf(ElementType type) {
  return isInteger(type) ? 0x80 : 0xFF;
}

double hone::largestCut(Products products, double k) {
  switch (products) {
  case Products::exact:
    return 0;
  case Products::tf32:
    return powerOfTwo(-11);
  case Products::tf32x3:
    // The remainder of a factor is at most 2^-12 of it, and is read as tf32.
    return powerOfTwo(-22);
  case Products::blocks:
    // A sum of a block keeps 14 bits, and loses some at each step of 32.
    return powerOfTwo(-9);
  case Products::shortSums:
    // As many such steps as there are blocks, each relative to the whole sum.
    return powerOfTwo(-9) * std::sqrt(std::max(k / kBlock, 1.0));
  }
  llvm_unreachable("unknown products");
}

double hone::driftOf(Products products, double k) {
  return products == Products::shortSums ? std::min(k * powerOfTwo(-14), 1.0)
                                         : 0;
}

double hone::largestExactInteger(ElementType type) {
  return powerOfTwo(precisionOf(type));
}

double hone::largestExactFactor(Products products) {
  // For larger factors the product of the two remainders would be missing.
  switch (products) {
  case Products::exact:
    return std::numeric_limits<double>::infinity();
  case Products::tf32x3:
  case Products::tf32:
    return powerOfTwo(11);
  case Products::blocks:
  case Products::shortSums:
    // The sums of a block's products are below 2^13.
    return 8;
  }
  llvm_unreachable("unknown products");
}

double hone::largestExactSum(Products products) {
  return products == Products::shortSums
             ? powerOfTwo(13)
             : largestExactInteger(ElementType::f32);
}

FloatRange hone::rangeOf(ElementType type) {
  if (isInteger(type))
    return {0, std::numeric_limits<double>::infinity()};
  // In e4m3 the largest exponent has finite numbers, too, up to 448; halfway to
  // 480 is the limit of rounding.
  if (type == ElementType::e4m3)
    return {powerOfTwo(-6), 464};
  int max = type == ElementType::f16 || type == ElementType::e5m2 ? 16 : 128;
  return {powerOfTwo(2 - max),
          (1 - powerOfTwo(-precisionOf(type) - 1)) * powerOfTwo(max)};
}

double hone::truncationOf(double k) {
  // In steps of 8 products. At least 1, for units that round.
  constexpr double kTruncated = 1.0 / 16;
  return std::max(1.0, kTruncated * std::sqrt(k));
}

Tolerance Tolerance::ofSum(ElementType type, int64_t k, double product,
                           Products products) {
  // Rounding has an error of up to half a unit in either direction. Its
  // variance is the same as that of truncation by up to a whole unit.
  constexpr double kRoom = 16, kDeviations = 6, kFactors = 2, kCutRoom = 4,
                   kRoundedRoom = 8;
  if (isInteger(type))
    return {};
  double root = std::sqrt(double(k));
  double room = std::max(kRoom, kDeviations * truncationOf(double(k)));
  double scale = root * product, cut = largestCut(products, double(k));
  double cutRoom = products == Products::tf32 ? kRoundedRoom : kCutRoom;
  return {unitRoundoff(type) + kFactors * cut,
          room * unitRoundoff(ElementType::f32) * root * scale +
              cutRoom * cut * scale + smallestError(type)};
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

namespace {
/// The fields in a type's bits.
struct Format {
  int fraction, bias, sign; ///< bits; of the exponent; the sign's place
  uint64_t infinity, nan;   ///< e4m3 has no infinity: an overflow is a NaN
};
} // namespace

static Format formatOf(ElementType type) {
  if (type == ElementType::e4m3)
    return {3, 7, 7, 0x7F, 0x7F};
  int fraction = precisionOf(type) - 1, width = 8 * sizeOf(type);
  int exponent = width - 1 - fraction, bias = (1 << (exponent - 1)) - 1;
  uint64_t infinity = uint64_t(2 * bias + 1) << fraction;
  return {fraction, bias, width - 1, infinity,
          infinity | uint64_t(1) << (fraction - 1)};
}

/// The bits of `value` rounded to `type`: as an integer in units of the last
/// place, which the processor rounds, with a carry into the exponent.
static uint64_t bitsOf(ElementType type, double value) {
  if (isInteger(type))
    return std::isnan(value) ? uint64_t(1) << (8 * sizeOf(type) - 1)
                             : uint64_t(int64_t(std::nearbyint(value)));
  if (type == ElementType::f32)
    return llvm::bit_cast<uint32_t>(float(value));
  constexpr int kBits = 52, kBias = 1023; // of a double
  constexpr double kWhole = 0x1p52;       // from here on all are integers
  Format format = formatOf(type);
  uint64_t sign = llvm::bit_cast<uint64_t>(value) >> 63 << format.sign;
  double size = std::fabs(value);
  if (std::isnan(value))
    return sign | format.nan;
  if (size > rangeOf(type).overflow ||
      (size == rangeOf(type).overflow && type != ElementType::e4m3))
    return sign | format.infinity;
  int exponent = int(llvm::bit_cast<uint64_t>(size) >> kBits) - kBias;
  exponent = std::max(exponent, 1 - format.bias);
  auto places =
      uint64_t(size * powerOfTwo(format.fraction - exponent) + kWhole - kWhole);
  // The leading bit of a normal number adds one to the exponent.
  return sign |
         (places + (uint64_t(exponent + format.bias - 1) << format.fraction));
}

/// An f32 with the same fields as an e4m3 is too small by the difference of the
/// exponents' biases, subnormal or not.
static double fromByte(uint64_t bits) {
  constexpr uint32_t kSign = 0x80;
  constexpr float kBiases = 0x1p120f;
  uint32_t size = bits & ~uint64_t(kSign);
  if (size == formatOf(ElementType::e4m3).nan)
    return std::numeric_limits<double>::quiet_NaN();
  float value = llvm::bit_cast<float>(size << 20) * kBiases;
  return bits & kSign ? -value : value;
}

/// Results are compared element by element, so this uses only fast operations
/// of every CPU.
static double fromBits(ElementType type, uint64_t bits) {
  if (isInteger(type))
    return sizeOf(type) == 1 ? double(int8_t(bits)) : double(int32_t(bits));
  if (type == ElementType::f32)
    return llvm::bit_cast<float>(uint32_t(bits));
  if (type == ElementType::bf16)
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  if (type == ElementType::e4m3)
    return fromByte(bits);
  // An e5m2 is the upper half of an f16.
  if (type == ElementType::e5m2)
    bits <<= 8;
  constexpr uint32_t kSign = 0x8000, kLargest = 0x7BFF;
  uint32_t size = bits & ~kSign;
  if (size <= kLargest) {
    // An f32 with the same fields is too small by the difference of the
    // exponents' biases, subnormal or not.
    constexpr float kBiases = 0x1p112f;
    float value = llvm::bit_cast<float>(size << 13) * kBiases;
    return bits & kSign ? -value : value;
  }
  double special = size == kLargest + 1
                       ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  return bits & kSign ? -special : special;
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
