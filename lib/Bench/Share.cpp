//===- Share.cpp - A worker's share of a run ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Share.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/Share.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace hone;
using llvm::StringRef;

llvm::Expected<Share> Share::parse(StringRef text) {
  Share part;
  if (text.empty())
    return part;
  auto [number, count] = text.split('/');
  if (number.getAsInteger(10, part.number) ||
      count.getAsInteger(10, part.count) || part.number < 1 ||
      part.number > part.count)
    return llvm::createStringError(llvm::formatv(
        "expected a part I/N with I from 1 to N, such as 2/8, but got '{0}'",
        text));
  return part;
}

bool Share::has(StringRef text) const {
  return int64_t(llvm::xxh3_64bits(text) % uint64_t(count)) == number - 1;
}
