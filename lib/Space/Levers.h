//===- Levers.h - Effects of a kind's numbers on a block --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only a kind's own files use the names of its numbers. The effect of a number
// on a block can be computed: change it and compare the facts. So the moves of
// a search find the number that is a side of the tile or counts slots, for any
// kind.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_LEVERS_H
#define HONE_LIB_SPACE_LEVERS_H

#include "hone/Schedule/Schedule.h"

namespace hone::detail {

/// A number of a schedule: its decision and choice, and its index.
struct Place {
  const Decision *decision;
  const Choice *choice;
  size_t first, at;     ///< index of the decision, and of this number
  bool isOrder = false; ///< changes only the order in which tiles are walked

  bool isOfForm() const {
    return !decision->words.empty() || decision->choices[0].count() <= 2;
  }
  bool isOfLaunch() const { return decision->when == When::runTime; }
};

/// The shared memory that the slots of a schedule take.
struct SlotSizes {
  int64_t all, slot; ///< bytes of a block with all slots, and of the last one
  bool isPersistent; ///< the block
};

/// Indices of a kind's numbers; `npos` where no number has the effect.
struct Levers {
  static constexpr size_t npos = ~size_t(0);

  Levers(const Kind &kind, const Problem &problem, const Arch &arch);

  std::vector<Place> places;
  size_t rows = npos, cols = npos; ///< of the tile
  size_t slots = npos;
  /// The consumers that share a tile, and the blocks that share loads.
  const Decision *sharers = nullptr, *cluster = nullptr;

  SlotSizes slotSizes(Schedule schedule, const Problem &problem) const;
  /// The maximum number of slots in `bytes` of shared memory; nothing where
  /// none fits.
  std::optional<int64_t> slotsThatFit(const SlotSizes &sizes,
                                      int64_t bytes) const;
};

} // namespace hone::detail

#endif // HONE_LIB_SPACE_LEVERS_H
