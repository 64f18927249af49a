//===- Moves.h - Moves from one schedule to others --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves that Draw.h lists. The schedules that they lead to may break a law.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_MOVES_H
#define HONE_LIB_SPACE_MOVES_H

#include "Levers.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace hone::detail {

class Moves {
public:
  using VisitFn = llvm::function_ref<void(const Schedule &)>;
  /// Returns whether the schedule keeps the laws.
  using TileFn = llvm::function_ref<bool(const Schedule &)>;

  /// Moves of the kinds that may run.
  Moves(const Problem &problem, const Arch &arch, Kinds kinds);

  bool has(const Kind &kind) const { return levers.count(&kind); }
  const Levers &leversOf(const Kind &kind) const { return levers.at(&kind); }

  /// Every schedule that one move leads to. Decisions that rarely differ from
  /// the usual (`quiet`) can be left out. Rewrites always are: no fact of a
  /// block changes with them, so the cost model cannot compare them.
  void forEach(const Schedule &from, VisitFn visit,
               bool alsoQuiet = true) const;
  /// `schedule` with one `quiet` decision (no rewrite) changed from its usual
  /// value, with its own slots and with the slots that fit then.
  void forEachQuiet(const Schedule &schedule, VisitFn visit) const;
  /// `schedule`, if it has few slots, with a rarely changed decision that makes
  /// room for more. Of three slots one is read and one is in flight: a fourth
  /// slot gains more than a ninth.
  void forEachRoomier(const Schedule &schedule, VisitFn visit) const;
  /// `schedule` with every way to share its tile, or with those among the same
  /// number of consumers. A tile of another size is often legal, or faster,
  /// only if it is shared in another way.
  void forEachSharing(const Schedule &schedule, bool asMany,
                      VisitFn visit) const;

  /// `schedule` with single blocks, or with pairs of blocks that share loads.
  void forEachCluster(const Schedule &schedule, VisitFn visit) const;

  /// `schedule` with other tiles of C: every pair of sides each of which is as
  /// small as its number of tiles allows, in units that laws accept. Tiles so
  /// small that they run in many rounds are left out, and sides that break a
  /// law with each of several others.
  void forEachTile(const Schedule &schedule, TileFn visit) const;
  /// `schedule` with the few tiles of C that leave the least of their rounds
  /// idle, for each small number of rounds, with single blocks and with pairs.
  void forEachFullWave(const Schedule &schedule, TileFn visit) const;

private:
  using Values = llvm::SmallVector<int64_t, 32>;

  Values valuesFor(const Levers &levers, const Place &place,
                   int64_t value) const;
  void addTight(const Place &place, int64_t value, int64_t extent,
                Values &values) const;
  Values tightSides(const Place &place, int64_t extent) const;
  /// Calls `visit` with the sides of every tile of C, along M and N.
  void forEachSides(const Levers &levers,
                    llvm::function_ref<void(int64_t, int64_t)> visit) const;
  void forEachQuietChange(const Levers &levers, const Schedule &schedule,
                          VisitFn visit) const;
  /// Visits `schedule` with this tile; returns whether that is legal with some
  /// number of slots.
  bool visitTile(const Levers &levers, Schedule schedule, int64_t row,
                 int64_t col, TileFn visit) const;
  void visitFilled(const Levers &levers, const Schedule &schedule,
                   VisitFn visit) const;

  Problem problem;
  Arch arch;
  std::map<const Kind *, Levers> levers;
};

} // namespace hone::detail

#endif // HONE_LIB_SPACE_MOVES_H
