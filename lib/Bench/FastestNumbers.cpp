//===- FastestNumbers.cpp - Trees of sums compared by their times ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FastestNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/FastestNumbers.h"
#include "hone/Numerics/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;

void NumbersTimes::add(const std::string &product, const std::string &numbers,
                       double seconds) {
  products[product][numbers].push_back(seconds);
}

std::vector<FastestNumbers> NumbersTimes::fastest() const {
  std::vector<FastestNumbers> all;
  for (const auto &[product, timesOf] : products) {
    FastestNumbers found;
    found.product = product;
    for (const auto &[numbers, times] : timesOf)
      found.rows = std::max(found.rows, int64_t(times.size()));
    double first = 0, min = 0;
    size_t compared = 0;
    for (const auto &[numbers, times] : timesOf) {
      // A mean over other values of m cannot be compared.
      if (int64_t(times.size()) < found.rows) {
        found.incomplete.push_back(numbers);
        continue;
      }
      double mean = geometricMean(times);
      if (compared++ == 0) {
        first = mean;
        found.first = numbers;
      }
      if (compared == 1 || mean < min) {
        min = mean;
        found.numbers = numbers;
      }
    }
    found.ratio = min / first;
    if (compared > 1)
      all.push_back(std::move(found));
  }
  return all;
}

std::string FastestNumbers::str() const {
  std::string text =
      formatv("{0}: numbers={1} has the minimum mean time over these {2} rows, "
              "{3:F3} of that of {4}",
              product, numbers, rows, ratio, first);
  if (!incomplete.empty())
    text += formatv("; without a time for each row: {0}",
                    llvm::join(incomplete, ", "));
  return text;
}

llvm::json::Value FastestNumbers::json() const {
  return llvm::json::Object{
      {"product", product}, {"numbers", numbers},
      {"rows", rows},       {"ratio", ratio},
      {"to", first},        {"incomplete", llvm::json::Array(incomplete)}};
}
