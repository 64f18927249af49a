//===- RangeValues.cpp - Values of an unknown extent ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RangedSource.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/RangedSource.h"
#include <set>

using namespace hone;

//===----------------------------------------------------------------------===//
// The open extent
//===----------------------------------------------------------------------===//

std::optional<char> hone::openExtent(const Problem &problem) {
  std::optional<char> open;
  for (char letter : {'m', 'n', 'k'})
    if (namedExtent(problem, letter) == kDynamic) {
      if (open)
        return std::nullopt;
      open = letter;
    }
  return problem.batch == kDynamic ? std::nullopt : open;
}

/// The alignment of lines of `extent` elements without gaps.
static int64_t alignOf(int64_t extent, ElementType type) {
  int64_t bytes = extent * sizeOf(type), align = 1;
  while (align < kBestAlign && bytes % (2 * align) == 0)
    align *= 2;
  return align;
}

Problem hone::withExtent(Problem problem, char letter, int64_t extent) {
  (letter == 'm' ? problem.m : letter == 'n' ? problem.n : problem.k) = extent;
  bool isLineA = letter == (problem.a.order == Order::row ? 'k' : 'm');
  bool isLineB = letter == (problem.b.order == Order::row ? 'n' : 'k');
  if (isLineA)
    problem.a.align = alignOf(extent, problem.a.type);
  if (isLineB)
    problem.b.align = alignOf(extent, problem.b.type);
  if (letter == 'n')
    problem.alignC = alignOf(extent, problem.c);
  return problem;
}

//===----------------------------------------------------------------------===//
// Values of the open extent
//===----------------------------------------------------------------------===//

static constexpr int64_t kLargest = 8192;

std::vector<int64_t> hone::rangeLadder() {
  std::vector<int64_t> values = {1, 8};
  for (int64_t value = 16; value < kLargest; value *= 2) {
    values.push_back(value);
    values.push_back(value + value / 2);
  }
  values.push_back(kLargest);
  return values;
}

/// Tile sizes are multiples of 8. From 64 on there are eight values per
/// doubling, and four from 2048 on, where one more round of tiles changes
/// little.
std::vector<int64_t> hone::fineRangeLadder() {
  constexpr int64_t kFine = 64, kMany = 2048;
  std::set<int64_t> values;
  for (int64_t value : rangeLadder())
    values.insert(value);
  for (int64_t value = 16; value < kFine; value += 8)
    values.insert(value);
  for (int64_t value = kFine; value < kLargest;
       value +=
       int64_t(llvm::bit_floor(uint64_t(value))) / (value < kMany ? 8 : 4))
    values.insert(value);
  return {values.begin(), values.end()};
}
