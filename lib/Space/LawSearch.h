//===- LawSearch.h - Search for schedules that keep the laws ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of hone/Space/Completion.h for one kind.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_LAWSEARCH_H
#define HONE_LIB_SPACE_LAWSEARCH_H

#include "hone/Schedule/LawTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace hone::detail {

/// Places of a row, in order.
using Slots = llvm::SmallVector<uint16_t, 12>;

/// The numbers that may not be changed: the first ones, and those that the
/// search has changed already.
struct Fixed {
  size_t count = 0;
  Slots pinned = {};
};

class LawSearch {
public:
  LawSearch(const Kind &kind, const Problem &problem, const Arch &arch,
            bool rewrites);

  enum class Effort { brief, usual, thorough };
  /// Changes free numbers of `row` until it keeps all laws; false if that
  /// cannot be done, or was not found with this effort.
  bool solve(Schedule &row, const Fixed &fixed, Effort effort);
  /// Resets free decisions that have no effect with the others (law 4).
  void tidy(Schedule &row, const Fixed &fixed) const;

  struct Number {
    const Decision *decision;
    const Choice *choice;
    bool isFrozen; ///< is never written
    std::vector<int64_t> values;
  };
  const std::vector<Number> &all() const { return numbers; }
  bool isFree(size_t at, const Fixed &fixed) const {
    return at >= fixed.count && !numbers[at].isFrozen &&
           !llvm::is_contained(fixed.pinned, at);
  }
  size_t answers() const { return asked; }
  /// Whether the last failure did not prove that there is no completion.
  bool gaveUp() const { return isOpen; }

private:
  /// The numbers that an answer depends on. A law that checks several things
  /// has a scope for each: answers that differ in numbers alone have one.
  struct Scope {
    Slots slots;
    unsigned inVain = 0; ///< places in a row that taught nothing
    /// By number, the end of its range towards which a limit is kept; 0 where
    /// neither always is.
    std::map<uint16_t, int64_t> ends;
    std::optional<uint16_t> helped; ///< the number whose change helped last
  };
  /// The first law that a schedule breaks, and its message.
  struct Answer {
    size_t law = 0;
    std::string message;
  };
  /// Assignments of some numbers that have no completion, by hash.
  struct Nogoods {
    Slots slots;
    llvm::DenseSet<uint64_t> hashes;
  };
  /// The rest of the effort of one call of `solve`.
  struct Task {
    size_t left; ///< schedules to try
    bool isThorough;
  };
  struct Tried {
    Answer answer;
    Schedule row;
    uint16_t changed;
  };

  Answer ask(const Schedule &row);
  Answer askOne(size_t law, const Schedule &row);
  bool isKept(const Answer &answer) const { return answer.law == laws.size(); }
  bool isDead(const Schedule &row, const Fixed &fixed) const;
  void bury(const Schedule &row, Slots slots, const Fixed &fixed);
  Scope &scopeOf(const Answer &answer);
  const Slots &learn(const Answer &answer, const Schedule &row);
  Slots freeOf(llvm::ArrayRef<uint16_t> slots, const Fixed &fixed) const;
  void assign(Schedule &row, llvm::ArrayRef<uint16_t> slots,
              size_t index) const;
  bool isBeyond(const Schedule &row, const Answer &answer, const Fixed &fixed);
  void noteEnd(Scope &scope, uint16_t at, int64_t end) const;
  bool isImpossible(const Schedule &row, const Answer &answer,
                    const Fixed &fixed);
  bool breaksForGood(const Schedule &row, const Fixed &fixed);
  Slots orderOf(const Scope &scope, const Fixed &fixed) const;
  std::vector<Tried> changesOf(const Schedule &row, const Answer &answer,
                               uint16_t at, const Fixed &fixed, Task &task);
  bool climb(Schedule &row, const Answer &answer, const Fixed &fixed,
             Task &task, unsigned depth);
  enum class Found { one, none, tooMany };
  Found tryAll(Schedule &row, const Answer &answer, const Fixed &fixed,
               size_t max);
  bool tryPairs(Schedule &row, const Answer &answer, const Fixed &fixed,
                Task &task);

  const Problem &problem;
  const Arch &arch;
  std::vector<Number> numbers;
  std::vector<Law> laws;
  std::map<uint64_t, Scope> scopes;          ///< by law and message
  std::vector<std::vector<Nogoods>> nogoods; ///< by their last number
  size_t asked = 0;
  bool isOpen = false;
};

} // namespace hone::detail

#endif // HONE_LIB_SPACE_LAWSEARCH_H
