//===- Levers.h - Which number moves what of a block ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kind's numbers have names, which only its own files know. What they do to a
// block can be asked: change one and see which facts change. So those who move
// through schedules know which number is a side of the tile and which counts
// slots, of any kind.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_LEVERS_H
#define HONE_LIB_SEARCH_LEVERS_H

#include "hone/Schedule/Schedule.h"

namespace hone::detail {

/// A number of a schedule: its decision and choice, and where it stands.
struct Place {
  const Decision *decision;
  const Choice *choice;
  size_t first, at;     ///< of the decision, and of this number
  bool isOrder = false; ///< in which tiles are walked, and nothing else

  bool isOfForm() const {
    return !decision->words.empty() || decision->choices[0].count() <= 2;
  }
  bool isOfLaunch() const { return decision->when == When::runTime; }
};

/// Places of a kind. Those that nothing moves are `npos`.
struct Levers {
  static constexpr size_t npos = ~size_t(0);

  Levers(const Kind &kind, const Problem &problem, const Arch &arch);

  std::vector<Place> places;
  size_t rows = npos, cols = npos; ///< of the tile
  size_t slots = npos;
  /// Who shares a tile, and which tiles share loads.
  const Decision *sharers = nullptr, *cluster = nullptr;

  /// As many slots as fit `bytes` of shared memory; nothing where none does.
  std::optional<int64_t> slotsThatFit(Schedule schedule, const Problem &problem,
                                      int64_t bytes) const;
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_LEVERS_H
