//===- Offsets.h - Tables of the places of elements -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place of an element depends on its thread, its number, and few numbers of
// its op, most of which are the same in each iteration of a loop. So a run
// computes the places once for each set of numbers:
//
//   const Offsets &from = tables.get({op, slotRow}, threads, count,
//       [&](int64_t thread, int64_t index) { return byteOffset(...); });
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_OFFSETS_H
#define HONE_LIB_SIMULATE_OFFSETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

namespace hone::simulate {

/// Offsets of elements in bytes, from a base that the op adds.
struct Offsets {
  std::vector<int32_t> of;
  int64_t min = 0, max = 0;
};

class OffsetTables {
public:
  /// An op or a type, and the numbers that its places depend on.
  using Key = std::tuple<const void *, int64_t, int64_t>;

  /// The table of `key`, which has `count` offsets for each of `lines`.
  template <typename Body>
  const Offsets &get(Key key, int64_t lines, int64_t count, Body offsetOf) {
    std::unique_ptr<Offsets> &table = tables[key];
    if (table)
      return *table;
    table = std::make_unique<Offsets>();
    table->of.reserve(lines * count);
    // An offset beyond all memory stays there.
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t i = 0; i < count; ++i)
        table->of.push_back(int32_t(std::clamp<int64_t>(
            offsetOf(line, i), std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max())));
    if (lines * count) {
      table->min = *std::min_element(table->of.begin(), table->of.end());
      table->max = *std::max_element(table->of.begin(), table->of.end());
    }
    return *table;
  }

private:
  llvm::DenseMap<Key, std::unique_ptr<Offsets>> tables;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_OFFSETS_H
