//===- Space.h - Schedules that a policy may propose ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All legal schedules of a problem, as policies move in them: by drawing one,
// changing one, crossing two. Nothing here knows a kind: a schedule is one and
// a row of numbers, those of its decisions one behind the other:
//
//   mma_sync, tile = 64x128x64, warps = 2x2, ...  ->  mma_sync: 64 128 64 2 2 ...
//
// What is decided between words, or between two numbers, is a schedule's
// *form*. Each place in the row has the values that it has for this form in the
// catalogue, in the defaults and in what was drawn for the problem (Draw.h),
// and the halves and doubles of these. A row is made of such values and then
// has to keep the laws: too many to list, easy to test. A child that is crossed
// has its parents' form; luck and changes may leave it.
//
// Rewrites (docs/Rewrites.md) are no part of it: what they are worth depends on
// everything else, so the search tries them on the best that it knows.
//
// Where only some schedules may be proposed, nothing is drawn: a recorded table
// has what it has, and all of that is listed.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_SPACE_H
#define HONE_SEARCH_SPACE_H

#include "hone/Search/Policy.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <random>

namespace hone {

namespace detail {
class Moves;
}

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

/// The default; where only some schedules may be proposed and it is none of
/// them, as it is before anything is settled: a table may be older.
Schedule usualSchedule(const Problem &problem, const Arch &arch,
                       const Within &isWithin, Kinds kinds = allKinds());

/// The same, where the laws and `isWithin` let it be proposed.
std::optional<Schedule> legalDefault(const Problem &problem, const Arch &arch,
                                     const Within &isWithin,
                                     Kinds kinds = allKinds());

class Space {
public:
  Space(const Problem &problem, const Arch &arch, Within isWithin, Kinds kinds);

  /// Keeps the laws, runs as it is, and may be proposed.
  bool contains(const Schedule &schedule) const;
  /// The catalogue as far as the space contains it, and behind it what was
  /// drawn for the problem, or what else a table has.
  llvm::ArrayRef<Schedule> listed() const { return list; }
  /// The part of it that is of the catalogue.
  llvm::ArrayRef<Schedule> known() const {
    return llvm::ArrayRef(list).take_front(ofCatalogue);
  }
  /// The same in the order of the cost model, the best first.
  std::vector<Schedule> ranked() const;
  /// The default, where the space contains it.
  std::optional<Schedule> fallback() const;

  /// Any schedule, each form alike; nothing where the space is empty.
  std::optional<Schedule> draw(Dice &dice) const;
  /// One that differs in one number or two, or in one and what goes with it: a
  /// side of the tile by a step or by as much as changes the number of tiles,
  /// and as many slots as there is room for.
  std::optional<Schedule> change(const Schedule &schedule, Dice &dice) const;
  /// One that has every number of one of the two, which are of one form.
  std::optional<Schedule> cross(const Schedule &one, const Schedule &other,
                                Dice &dice) const;

  const Problem problem;
  const Arch arch;
  const Kinds kinds;

private:
  /// What is known of a form.
  struct Form {
    std::vector<Schedule> members;            ///< of the list, and the defaults
    std::vector<std::vector<int64_t>> values; ///< by place
  };
  void add(const Schedule &schedule);
  /// What may be proposed of a table, where it can be listed. What was drawn
  /// keeps the laws as it comes.
  std::vector<Schedule> listedWithin() const;
  /// What is not listed yet.
  void addAll(llvm::ArrayRef<Schedule> others);
  /// As a search tries it (`settled`), unless a table has only the other.
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

#endif // HONE_SEARCH_SPACE_H
