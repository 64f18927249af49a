//===- Number.cpp - Real numbers in untrusted text ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit on the length also limits the exponents that LLVM computes with.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Number.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace hone;

std::optional<double> hone::realNumber(llvm::StringRef text) {
  // A double has at most 1074 digits after its point; the buffer allows decimal
  // exponents up to about 16,000.
  constexpr size_t kMaxLength = 1100;
  double value = 0;
  if (text.size() > kMaxLength || text.getAsDouble(value))
    return std::nullopt;
  return value;
}

std::string hone::shortestText(double value) {
  constexpr int kMaxDigits = 17;
  constexpr double kMinPlain = 1e-3, kMaxPlain = 1e12;
  char text[64];
  int digits = 0;
  do
    snprintf(text, sizeof(text), "%.*e", digits, value);
  while (realNumber(text) != value && ++digits < kMaxDigits);
  double size = std::abs(value);
  if (size != 0 && !(size >= kMinPlain && size < kMaxPlain))
    return text;
  int exponent = size == 0 ? 0 : int(std::floor(std::log10(size)));
  snprintf(text, sizeof(text), "%.*f", std::max(digits - exponent, 0), value);
  return text;
}
