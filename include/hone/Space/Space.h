//===- Space.h - Schedules that a policy may propose ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All legal schedules of a problem, with the moves of policies: drawing one,
// changing one, crossing two. The code is the same for every kind: a schedule
// is a kind and a row of numbers, those of its decisions in order:
//
//   mma_sync, tile = 64x128x64, warps = 2x2, ... -> mma_sync: 64 128 64 2 2 ...
//
// The decisions between words, or between two numbers, are a schedule's *form*.
// Each place in the row has the values that it has for this form in the
// catalogue, in the defaults and in the schedules that were drawn for the
// problem (Draw.h), and the halves and doubles of these. A row is made of such
// values and then has to keep the laws: there are too many rows to list, but
// each is easy to check. A crossed child has its parents' form; draws and
// changes may have another.
//
// Rewrites (docs/Rewrites.md) are not part of the space: their effect depends
// on all other decisions, so the search tries them on its best schedule.
//
// Where only some schedules may be proposed (Within), nothing is drawn: all
// schedules of the recorded table are listed.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_SPACE_H
#define HONE_SPACE_SPACE_H

#include "hone/Space/Within.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <random>

namespace hone {

namespace detail {
class Moves;
} // namespace detail

/// Raw numbers of an engine, because the standard library's distributions
/// differ between implementations.
class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}
  /// A number from 0 to `end` - 1.
  size_t below(size_t end) { return engine() % end; }

private:
  std::mt19937_64 engine;
};

/// The numbers of a schedule's decisions.
using Row = llvm::SmallVector<int64_t, 16>;
Row rowOf(const Schedule &schedule);
/// The kind, and every decision that has no more than two choices or words.
std::string formOf(const Schedule &schedule);
/// `schedule` with other numbers.
Schedule withRow(Schedule schedule, llvm::ArrayRef<int64_t> row);

/// The default, settled (Kind::settle). If only some schedules may be proposed
/// and that one may not, the default before it is settled, because older tables
/// have that one.
Schedule usualSchedule(const Problem &problem, const Arch &arch,
                       const Within &isWithin, Kinds kinds = allKinds());

/// The same, if the laws and `isWithin` allow it.
std::optional<Schedule> legalDefault(const Problem &problem, const Arch &arch,
                                     const Within &isWithin,
                                     Kinds kinds = allKinds());

class Space {
public:
  Space(const Problem &problem, const Arch &arch, Within isWithin, Kinds kinds);

  /// Whether it keeps all laws, law 5 included, and may be proposed.
  bool contains(const Schedule &schedule) const;
  /// True if only the schedules of a table may be proposed.
  bool isRestricted() const { return bool(isWithin); }
  /// The schedules of the catalogue that the space contains, then those that
  /// were drawn for the problem, or the rest of a table.
  llvm::ArrayRef<Schedule> listed() const { return list; }
  /// The schedules of the catalogue among them.
  llvm::ArrayRef<Schedule> known() const {
    return llvm::ArrayRef(list).take_front(ofCatalogue);
  }
  /// The listed schedules in the order of the cost model, the best first.
  std::vector<Schedule> ranked() const;
  /// The default, where the space contains it.
  std::optional<Schedule> fallback() const;

  /// A random schedule, each form with the same probability; nothing if the
  /// space is empty.
  std::optional<Schedule> draw(Dice &dice) const;
  /// A schedule that differs in one or two numbers, or in one number and those
  /// that depend on it: a side of the tile by a step or by the amount that
  /// changes the number of tiles, and as many slots as fit.
  std::optional<Schedule> change(const Schedule &schedule, Dice &dice) const;
  /// A schedule that takes each number from one of the two, which have the same
  /// form.
  std::optional<Schedule> cross(const Schedule &one, const Schedule &other,
                                Dice &dice) const;

  const Problem problem;
  const Arch arch;
  const Kinds kinds;

private:
  /// The members and values of a form.
  struct Form {
    std::vector<Schedule> members;            ///< of the list, and the defaults
    std::vector<std::vector<int64_t>> values; ///< by place
  };
  void add(const Schedule &schedule);
  /// The schedules of a table that may be proposed, where it can be listed.
  /// Drawn schedules keep the laws already.
  std::vector<Schedule> listedWithin() const;
  /// Adds the schedules that are not listed yet.
  void addAll(llvm::ArrayRef<Schedule> others);
  /// The schedule as a search tries it (`settled`), unless a table has only the
  /// original.
  Schedule settledHere(Schedule schedule) const;
  /// `row` as a schedule, if the space contains it.
  std::optional<Schedule> made(const Schedule &base,
                               llvm::ArrayRef<int64_t> row) const;

  Within isWithin;
  std::optional<Schedule> moved(const Schedule &schedule, Dice &dice) const;

  std::vector<Schedule> list;
  size_t ofCatalogue = 0;
  std::map<std::string, Form> forms;
  std::shared_ptr<const detail::Moves> moves;
};

} // namespace hone

#endif // HONE_SPACE_SPACE_H
