//===- Climb.h - Exploration of the space by moves --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The climb that Draw.h describes: visited schedules with their prices, and the
// moves that lead from one to others.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_CLIMB_H
#define HONE_LIB_SPACE_CLIMB_H

#include "Moves.h"
#include "hone/Space/Draw.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace hone::detail {

/// A schedule that keeps the laws.
struct Seen {
  Schedule schedule;
  double seconds; ///< by the cost model
  double price;   ///< the same, lower for kernels that are in use
  size_t niche;
  uint64_t cut;  ///< equal where only slots, order and launch differ
  uint64_t tile; ///< equal where kind and tile of C are
  bool wasLookedAround = false;
};

class Climb {
public:
  Climb(const Problem &problem, const Arch &arch, Kinds kinds);

  /// Starts at the legal ones of these; their kernels are in use.
  void begin(llvm::ArrayRef<Schedule> schedules);
  /// Explores until `looks` rows were tried.
  void climb(size_t looks);
  enum class Found { fresh, known, illegal };
  Found look(const Schedule &schedule);
  /// The model's estimate for a schedule, if it keeps the laws. Stores nothing.
  std::optional<double> secondsOf(const Schedule &schedule) const;
  /// Visits all schedules that are one move away from a visited one.
  void lookAround(size_t index, bool alsoQuiet);
  /// Visits `from` with every tile of C.
  void lookAtTiles(const Schedule &from);
  /// Visits `from` with the tiles of C that fill the processors.
  void lookAtFullWaves(const Schedule &from);

  llvm::ArrayRef<Seen> seen() const { return all; }
  size_t niches() const { return byNiche.size(); }
  const Moves moves;
  const Problem &problem;

private:
  bool isLegal(const Schedule &schedule) const;
  size_t nicheOf(const Schedule &schedule, const BlockFacts &facts);
  void fitNewNiches();
  bool lookAroundNext(size_t niche);
  /// Returns whether one of them keeps the laws, as far as is known.
  bool lookOrShare(const Schedule &schedule, const Levers &levers);

  const Arch &arch;
  llvm::DenseSet<uint64_t> known;     ///< rows that were tried
  std::unordered_set<uint64_t> inUse; ///< kernels
  std::vector<Seen> all;
  std::map<std::vector<int64_t>, size_t> nicheNumbers;
  struct Niche {
    std::vector<size_t> members;
    double best = HUGE_VAL; ///< price
    bool wasFitted = false; ///< the tiles that fill the processors were visited
    std::unordered_map<uint64_t, int> aroundCuts, aroundTiles;
  };
  std::vector<Niche> byNiche;
  double min = HUGE_VAL; ///< price
  size_t tried = 0;      ///< looks (Draw.h)
};

} // namespace hone::detail

#endif // HONE_LIB_SPACE_CLIMB_H
