//===- Number.cpp - Real numbers in text from outside ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit on the length is a limit on the exponents that LLVM computes with.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Number.h"

using namespace hone;

std::optional<double> hone::realNumber(llvm::StringRef text) {
  // A double has at most 1074 digits after its point; the buffer is good for
  // exponents of ten of some 16,000.
  constexpr size_t kMaxLength = 1100;
  double value = 0;
  if (text.size() > kMaxLength || text.getAsDouble(value))
    return std::nullopt;
  return value;
}
