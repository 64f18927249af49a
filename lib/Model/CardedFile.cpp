//===- CardedFile.cpp - File with a JSON header and binary data -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CardedFile.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/CardedFile.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;
namespace endian = llvm::support::endian;

llvm::Error CardedFile::malformed(const llvm::formatv_object_base &what) const {
  return llvm::createStringError(formatv(
      "expected {0} of a policy, but got {1}; use a file that hone train wrote",
      noun, what.str()));
}

Expected<json::Object> CardedFile::readHead(StringRef line) const {
  Expected<json::Value> value = parseUntrustedJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return malformed(formatv("no line of JSON at its front"));
  }
  json::Object *head = value->getAsObject();
  if (!head || !head->getInteger(magic))
    return malformed(formatv("no '{0}' in its first line", magic));
  if (head->getInteger(magic) != version)
    return malformed(
        formatv("version {0}, not {1}", *head->getInteger(magic), version));
  return std::move(*head);
}

Expected<int64_t> CardedFile::readSize(const json::Value *value, StringRef name,
                                       int64_t min, int64_t max) const {
  std::optional<int64_t> size = value ? value->getAsInteger() : std::nullopt;
  if (!size || *size < min || *size > max)
    return malformed(formatv("no '{0}' of {1} to {2}", name, min, max));
  return *size;
}

Expected<std::vector<std::string>>
CardedFile::readNames(const json::Object &head) const {
  constexpr size_t kMaxNames = 4096;
  const json::Array *array = head.getArray("names");
  if (!array || array->empty() || array->size() > kMaxNames)
    return malformed(formatv("no names"));
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  for (const json::Value &name : *array) {
    std::optional<StringRef> text = name.getAsString();
    if (!text)
      return malformed(formatv("a name that is not text"));
    if (!seen.insert(*text).second)
      return malformed(formatv("the name '{0}' twice", *text));
    names.push_back(text->str());
  }
  return names;
}

json::Object hone::detail::objectOf(const Card &card) {
  json::Object object;
  for (const auto &[key, text] : card)
    object[key] = text;
  return object;
}

Card hone::detail::readCard(const json::Object &head) {
  Card card;
  if (const json::Object *object = head.getObject("card"))
    for (const auto &[key, text] : *object)
      card[key.str()] = text.getAsString().value_or("").str();
  return card;
}

std::string hone::detail::checkOf(StringRef bytes) {
  return formatv("{0:x-}", llvm::xxh3_64bits(bytes)).str();
}

void hone::detail::appendNumber(std::string &bytes, float number) {
  char word[kNumberBytes];
  endian::write32le(word, llvm::bit_cast<uint32_t>(number));
  bytes.append(word, sizeof(word));
}

float hone::detail::takeNumber(StringRef &bytes) {
  auto number = llvm::bit_cast<float>(endian::read32le(bytes.data()));
  bytes = bytes.drop_front(kNumberBytes);
  return number;
}

// A half's exponent has a bias of 15, a float's of 127. A factor of 2^112 moves
// the bits of one to the other, subnormals included.
static constexpr float kOfHalf = 0x1p112f, kMaxHalf = 65504;
static constexpr int kLowBits = 13; ///< of a float, which a half lacks
static constexpr uint16_t kSign = 0x8000, kInfinity = 0x7c00;

static uint16_t halfOf(float number) {
  auto bits = llvm::bit_cast<uint32_t>(std::abs(number) / kOfHalf);
  bool isOdd = bits >> kLowBits & 1;
  bits += (1u << (kLowBits - 1)) - 1 + isOdd; // to nearest, ties to even
  return uint16_t((std::signbit(number) ? kSign : 0) | bits >> kLowBits);
}

static float numberOf(uint16_t half) {
  if ((half & kInfinity) == kInfinity)
    return std::numeric_limits<float>::quiet_NaN();
  auto bits = uint32_t(half & ~kSign) << kLowBits;
  float size = llvm::bit_cast<float>(bits) * kOfHalf;
  return half & kSign ? -size : size;
}

float hone::detail::roundedToHalf(float number) {
  return numberOf(halfOf(std::clamp(number, -kMaxHalf, kMaxHalf)));
}

void hone::detail::appendHalf(std::string &bytes, float number) {
  char word[kHalfBytes];
  endian::write16le(word, halfOf(number));
  bytes.append(word, sizeof(word));
}

float hone::detail::takeHalf(StringRef &bytes) {
  float number = numberOf(endian::read16le(bytes.data()));
  bytes = bytes.drop_front(kHalfBytes);
  return number;
}
