//===- Moves.h - From one schedule to others --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves that Draw.h lists. What they lead to may break a law.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_MOVES_H
#define HONE_LIB_SEARCH_MOVES_H

#include "Levers.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace hone::detail {

class Moves {
public:
  /// Of the kinds that may run.
  Moves(const Problem &problem, const Arch &arch, Kinds kinds);

  bool knows(const Kind &kind) const { return levers.count(&kind); }
  const Levers &leversOf(const Kind &kind) const { return levers.at(&kind); }

  /// Every schedule that one move leads to; what is rarely decided otherwise
  /// than usual (`quiet`) can be left alone. Rewrites always are: no fact of a
  /// block changes with them, so nobody can tell which way is up.
  void forEach(const Schedule &from, llvm::function_ref<void(Schedule)> visit,
               bool alsoQuiet = true) const;
  /// `schedule` with one decision otherwise than usual that rarely is (`quiet`,
  /// but no rewrites), with the slots that it has and with those that fit then.
  void forEachQuiet(const Schedule &schedule,
                    llvm::function_ref<void(Schedule)> visit) const;
  /// `schedule`, if it has few slots, with a rarely taken decision that makes
  /// room for more. Of three slots one is read and one is on its way: a fourth
  /// is worth more than another one of eight.
  void forEachRoomier(const Schedule &schedule,
                      llvm::function_ref<void(Schedule)> visit) const;
  /// `schedule` with every way to share its tile, or with those among as many:
  /// one of another size is often legal, or faster, with another one only.
  void forEachSharing(const Schedule &schedule, bool asMany,
                      llvm::function_ref<void(Schedule)> visit) const;

  /// `schedule` with blocks that are alone, or share loads by twos.
  void forEachCluster(const Schedule &schedule,
                      llvm::function_ref<void(Schedule)> visit) const;

  /// `schedule` with other tiles of C: every pair of sides each of which is as
  /// small as the number of tiles along it allows, in units that laws like, but
  /// for tiles so small that there are many rounds of them.
  void forEachTile(const Schedule &schedule,
                   llvm::function_ref<void(Schedule)> visit) const;

private:
  using Values = llvm::SmallVector<int64_t, 32>;

  Values valuesFor(const Levers &levers, const Place &place,
                   int64_t value) const;
  void addTight(const Place &place, int64_t value, int64_t extent,
                Values &values) const;
  Values tightSides(const Place &place, int64_t extent) const;
  void forEachQuietChange(const Levers &levers, const Schedule &schedule,
                          llvm::function_ref<void(Schedule)> visit) const;
  void visitFilled(const Levers &levers, const Schedule &schedule,
                   llvm::function_ref<void(Schedule)> visit) const;

  Problem problem;
  Arch arch;
  std::map<const Kind *, Levers> levers;
};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_MOVES_H
