//===- Number.cpp - Real numbers in untrusted text ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit on the length also limits the exponents that LLVM computes with.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Number.h"
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
  char text[32];
  for (int digits = 1; digits <= kMaxDigits; ++digits) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (realNumber(text) == value)
      break;
  }
  return text;
}
