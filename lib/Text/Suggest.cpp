//===- Suggest.cpp - "did you mean" in errors -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Suggest.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using llvm::StringRef;

std::string hone::didYouMean(StringRef word, llvm::ArrayRef<StringRef> names) {
  // The distance takes time of the product of both lengths.
  constexpr size_t kLongest = 64;
  if (word.size() > kLongest)
    return "";
  std::string lower = word.lower();
  // A digit says more than a letter: sm_999 is not sm_89 misspelt.
  size_t share = llvm::any_of(word, llvm::isDigit) ? 4 : 3;
  size_t closest = std::max<size_t>(word.size() / share, 1) + 1;
  StringRef best;
  for (StringRef name : names) {
    size_t distance = StringRef(lower).edit_distance(name.lower());
    if (distance >= closest)
      continue;
    closest = distance;
    best = name;
  }
  return best.empty() ? "" : "; did you mean '" + best.str() + "'?";
}
