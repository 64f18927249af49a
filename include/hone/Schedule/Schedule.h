//===- Schedule.h - The decisions for a matmul ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Schedule is every decision about how a Problem runs on an Arch, as plain
// values. Schedules are searched, stored, printed and read back, so there is
// one parser, one printer and one table of laws, all here; the attribute
// `#hone.schedule<...>` only wraps them.
//
// A schedule has a *kind*, which is a row of a table (Kind.h), and the numbers
// of that kind's decisions, one after the other:
//
//   mma_sync, tile = 64x64x64, warps = 2x2, stages = 4, ...
//   kind mma_sync, numbers 64 64 64 2 2 4 ...
//
// Code that writes a kernel uses names for the numbers. Each kind has a struct
// of such names in a header of its own (MmaSync.h, WarpSpecialized.h, Host.h),
// which converts from and to a schedule:
//
//   MmaSync knobs(schedule);
//   knobs.stages = 3;
//   print(toString(knobs));
//
// Some decisions are *rewrites* of the kernel that the others describe. They
// are listed after the other decisions, in the order in which they are applied:
//
//   ws, tile = 128x128x64, ..., rewrites = [flight(0), prefetch(4)]
//
// A *law* is a numbered reason why a schedule cannot run. `check` returns the
// first law that is broken, as "schedule_c14: expected ..., but got ...; use
// ...". Some laws need only the schedule, others the problem or the arch, too;
// `check` applies the laws whose facts it is given, so the attribute's
// verifier, the op's verifier and the passes share one table.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_SCHEDULE_H
#define HONE_SCHEDULE_SCHEDULE_H

#include "hone/Schedule/Kind.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

class Schedule {
public:
  /// The usual decisions, of the first kind or of the given one.
  Schedule();
  explicit Schedule(const Kind &kind);

  const Kind &kind() const { return *row; }
  llvm::ArrayRef<int64_t> numbers() const { return values; }
  llvm::MutableArrayRef<int64_t> numbers() { return values; }

  /// A decision and its numbers.
  struct Decided {
    const Decision *decision;
    llvm::ArrayRef<int64_t> numbers;
    std::string text() const { return decision->print(numbers); }
  };
  /// The decisions that matter given the others, or that differ from their
  /// usual values, in the order of the row.
  llvm::SmallVector<Decided> decided() const;
  /// The decisions that differ from their usual values.
  llvm::SmallVector<Decided> unusual() const;
  /// The numbers of a decision; none if the kind has no such decision.
  llvm::ArrayRef<int64_t> operator[](llvm::StringRef decision) const;
  /// Sets a decision from its text. After an error the schedule is unchanged.
  /// `rewrites` stands for all rewrites, with a list as text.
  llvm::Error decide(llvm::StringRef decision, llvm::StringRef text);
  /// The same for a decision of a schedule's text, where a rewrite is named in
  /// its list only.
  llvm::Error decideInText(llvm::StringRef decision, llvm::StringRef text);
  /// The rewrites that differ from "as built", in the order in which they are
  /// applied.
  llvm::SmallVector<Decided> rewrites() const;

  bool operator==(const Schedule &other) const {
    return row == other.row && values == other.values;
  }
  friend llvm::hash_code hash_value(const Schedule &schedule) {
    return llvm::hash_combine(schedule.row, schedule.numbers());
  }

private:
  llvm::Error decideRewrites(llvm::StringRef list);

  const Kind *row;
  /// Longer than the longest row: a search makes millions of schedules, and
  /// none allocates.
  llvm::SmallVector<int64_t, 56> values;
};

/// The name under which a schedule's text lists its rewrites.
constexpr llvm::StringLiteral kRewrites = "rewrites";

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The canonical text: the kind and every decision that matters.
std::string toString(const Schedule &schedule);
/// Parses `kind, decision = value, ...`; decisions that are not named take
/// their usual values. Does not check laws.
llvm::Expected<Schedule> parseSchedule(llvm::StringRef text,
                                       Kinds kinds = allKinds());
/// The same parser for callers with a tokenizer of their own (the attribute):
/// the usual schedule of a kind, or of one of its spellings.
llvm::Expected<Schedule> makeSchedule(llvm::StringRef name,
                                      Kinds kinds = allKinds());

/// The text of the compile-time decisions: together with the Problem without
/// its extents, the key of a compiled kernel.
std::string compileTimeText(const Schedule &schedule);

//===----------------------------------------------------------------------===//
// Laws and defaults
//===----------------------------------------------------------------------===//

/// One numbered reason why a schedule cannot run, as the docs list it.
struct LawInfo {
  int number;
  std::string kind;          ///< or several; empty: every kind
  llvm::StringRef statement; ///< one sentence
};
/// The whole table, by number.
std::vector<LawInfo> laws(Kinds kinds = allKinds());

/// The first law that `schedule` breaks, as a one-line message; nothing if it
/// keeps them all. Laws about facts that are not given are not applied, nor is
/// law 5.
std::optional<std::string> check(const Schedule &schedule,
                                 const Problem *problem = nullptr,
                                 const Arch *arch = nullptr);

/// Law 5: can the schedule's kernel address the operands in place? If not, its
/// launch plan has a sibling that can; so the schedule is legal, but the
/// sibling would run, and its time is not that of the schedule.
std::optional<std::string> checkMemory(const Schedule &schedule,
                                       const Problem &problem);

/// Whether a schedule keeps all laws, law 5 included. A search breaks laws by
/// the million, and their reasons take longer than their checks.
bool isLegal(const Schedule &schedule, const Problem &problem,
             const Arch &arch);

/// The schedule to use if no better one is known: that of the first kind that
/// accepts the problem. Always legal for `problem` on `arch` unless no kind
/// supports the problem's types there, which `check` then reports.
Schedule defaultSchedule(const Problem &problem, const Arch &arch,
                         Kinds kinds = allKinds());

/// `schedule` as a search tries it for `problem`: decisions of which one value
/// is never worse have that value (Kind::settle).
Schedule settled(Schedule schedule, const Problem &problem);

/// The facts of a block of this schedule.
inline BlockFacts blockFacts(const Problem &problem, const Schedule &schedule) {
  return schedule.kind().facts(schedule, problem);
}

} // namespace hone

#endif // HONE_SCHEDULE_SCHEDULE_H
