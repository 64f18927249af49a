//===- Schedule.h - How a matmul runs ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Schedule is every decision about how a Problem runs on an Arch, as plain
// values. It is the thing that is searched, stored, printed and read back, so
// there is one parser, one printer and one table of laws, all here, and the
// attribute `#hone.schedule<...>` only wraps them.
//
// A schedule is of a *kind*, which is a row of a table (Kind.h), and has the
// numbers of that kind's decisions, one behind the other:
//
//   mma_sync, tile = 64x64x64, warps = 2x2, stages = 4, ...
//   kind mma_sync, numbers 64 64 64 2 2 4 ...
//
// Whoever writes a kernel wants names for them. Each kind has a struct of such
// names in a header of its own (MmaSync.h, WarpSpecialized.h, Host.h), which is
// made of a schedule and is one:
//
//   MmaSync knobs(schedule);
//   knobs.stages = 3;
//   print(toString(knobs));
//
// A *law* is a numbered reason why a schedule can not run. `check` returns the
// first law that is broken, as "schedule_c14: expected ..., but got ...; use
// ...". Some laws need only the schedule, some the problem, some the arch;
// `check` applies those it has the facts for, so the attribute's verifier, the
// op's verifier and the passes share the table.
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
  /// The usual decisions, of the first kind or of another.
  Schedule();
  explicit Schedule(const Kind &kind);

  const Kind &kind() const { return *row; }
  llvm::ArrayRef<int64_t> numbers() const { return values; }
  llvm::MutableArrayRef<int64_t> numbers() { return values; }

  /// A decision with what was decided.
  struct Decided {
    const Decision *decision;
    llvm::ArrayRef<int64_t> numbers;
    std::string text() const { return decision->print(numbers); }
  };
  /// Those that matter beside the others, or are not as usual, in the order of
  /// the row.
  llvm::SmallVector<Decided> decided() const;
  /// The numbers of a decision; none if the kind has no such decision.
  llvm::ArrayRef<int64_t> operator[](llvm::StringRef decision) const;
  /// Decides one from its text. An error leaves the schedule as it was.
  llvm::Error decide(llvm::StringRef decision, llvm::StringRef text);

  bool operator==(const Schedule &other) const {
    return row == other.row && values == other.values;
  }
  friend llvm::hash_code hash_value(const Schedule &schedule) {
    return llvm::hash_combine(schedule.row, schedule.numbers());
  }

private:
  const Kind *row;
  llvm::SmallVector<int64_t, 16> values;
};

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The canonical text: the kind and every decision that matters.
std::string toString(const Schedule &schedule);
/// Reads `kind, decision = value, ...`; what is not named is as usual. Does not
/// check laws.
llvm::Expected<Schedule> parseSchedule(llvm::StringRef text,
                                       Kinds kinds = allKinds());
/// The same parser for callers that tokenize themselves (the attribute): the
/// usual schedule of a kind, or of one of its spellings.
llvm::Expected<Schedule> makeSchedule(llvm::StringRef name,
                                      Kinds kinds = allKinds());

/// Text of what is decided at compile time: with the Problem less its extents,
/// the key of a compiled kernel.
std::string compileTimeText(const Schedule &schedule);

//===----------------------------------------------------------------------===//
// Laws and defaults
//===----------------------------------------------------------------------===//

/// One numbered reason why a schedule can not run, as the docs list it.
struct LawInfo {
  int number;
  std::string kind;          ///< or several; empty: every kind
  llvm::StringRef statement; ///< one sentence
};
/// The whole table, by number.
std::vector<LawInfo> laws(Kinds kinds = allKinds());

/// The first law that `schedule` breaks, as one line in the house style;
/// nothing if it keeps them all. Laws about facts that are not given are not
/// applied, and law 5 is not.
std::optional<std::string> check(const Schedule &schedule,
                                 const Problem *problem = nullptr,
                                 const Arch *arch = nullptr);

/// Law 5: can the schedule's kernel address the operands as they lie? Where it
/// can not, a plan has a sibling that can; so the schedule is legal, but it is
/// not what would run, and nothing is learned from its time.
std::optional<std::string> checkMemory(const Schedule &schedule,
                                       const Problem &problem);

/// The schedule that is used where nothing better is known: always legal for
/// `problem` on `arch`, unless no kind takes the problem's types there, which
/// `check` then says. That of the first kind that nothing speaks against.
Schedule defaultSchedule(const Problem &problem, const Arch &arch,
                         Kinds kinds = allKinds());

/// What the schedule is made of.
inline BlockFacts blockFacts(const Problem &problem, const Schedule &schedule) {
  return schedule.kind().facts(schedule, problem);
}

} // namespace hone

#endif // HONE_SCHEDULE_SCHEDULE_H
