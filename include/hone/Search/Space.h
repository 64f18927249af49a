//===- Space.h - Schedules that a policy may propose ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All legal schedules of a problem, as policies move in them: by drawing one,
// changing one, crossing two. Nothing here knows a kind: a schedule is one and a
// row of numbers, those of its decisions one behind the other:
//
//   mma_sync, tile = 64x128x64, warps = 2x2, ...  ->  mma_sync: 64 128 64 2 2 ...
//
// What is decided between words, or between two numbers, is a schedule's *form*.
// Each place in the row has the values that it has in the catalogue and in the
// defaults for this form, and the halves and doubles of these. A row is made of
// such values and then has to keep the laws: too many to list, easy to test.
// Moves stay within a form; luck may leave it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SEARCH_SPACE_H
#define HONE_SEARCH_SPACE_H

#include "hone/Search/Policy.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <random>

namespace hone {

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

class Space {
public:
  Space(const Problem &problem, const Arch &arch, Within isWithin, Kinds kinds);

  /// Keeps the laws, runs as it is, and may be proposed.
  bool contains(const Schedule &schedule) const;
  /// The catalogue as far as the space contains it.
  llvm::ArrayRef<Schedule> listed() const { return list; }
  /// The same in the order of the cost model, the best first.
  std::vector<Schedule> ranked() const;
  /// The default, where the space contains it.
  std::optional<Schedule> fallback() const;

  /// Any schedule, each form alike; nothing where the space is empty.
  std::optional<Schedule> draw(Dice &dice) const;
  /// One that differs in one number or two.
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
    std::vector<Schedule> members; ///< of the catalogue, and the defaults
    std::vector<std::vector<int64_t>> values; ///< by place
  };
  void add(const Schedule &schedule);
  /// `row` as a schedule, if the space contains it.
  std::optional<Schedule> made(const Schedule &base,
                               llvm::ArrayRef<int64_t> row) const;

  Within isWithin;
  std::vector<Schedule> list;
  std::map<std::string, Form> forms;
};

} // namespace hone

#endif // HONE_SEARCH_SPACE_H
