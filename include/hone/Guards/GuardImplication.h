//===- GuardImplication.h - Implications between plan guards ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch plan checks at run time the conditions that types do not prove. Two
// questions about its guards can be answered when the plan is built:
//
//   - Does the last alternative always hold? Facts come from the types.
//   - Does a guard imply all that its kernel requires? Facts are the guard.
//
// Both are implications between formulas of a launch plan
// (hone/Runtime/Expression.h):
//
//   GuardFacts facts({"a", "m", "n", "lda", "ldc"});
//   facts.add("m >= 0 && n >= 0 && n <= 4096");
//   facts.add("lda % 8 == 0");
//   facts.add("ldc == n");
//
//   facts.implies("lda * 2 % 16 == 0");           // true
//   facts.implies("m <= 1 || ldc >= n");          // true
//   facts.implies("ceildiv(n, 64) * 64 >= n");    // true
//   facts.implies("ldc % 4 == 0");                // false: n may be 3
//   facts.implies("0 - lda <= 0");                // false: may overflow
//
// `implies` is true only if the condition evaluates to a number other than 0,
// without a fault, for *all* arguments for which the facts do. False means that
// no proof was found; for conditions like those of plans that nearly always
// means that there is none.
//
// | condition                              | method                           |
// |----------------------------------------|----------------------------------|
// | + - *, comparisons, && and ||          | sums of products; case analysis  |
// | x % 8 == 0, also of sums and products  | x becomes 8 times a new unknown  |
// | x == 3, ldc == n * 4                   | one side replaces the other      |
// | x >= y, x < 64                         | Fourier-Motzkin elimination      |
// | m * n, of numbers with known bounds    | bounds of the product            |
// | min, max                               | case analysis                    |
// | ceildiv, / and % by a constant         | the quotient's bounds            |
// | overflow, division by zero             | bounds of each intermediate      |
//
// Arguments are any 64-bit numbers unless facts bound them: a condition with
// arithmetic in it needs bounds, because arithmetic that overflows is an error
// of the launch. Time is bounded as well; a question about a plan takes less
// than a millisecond.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_GUARDS_GUARDIMPLICATION_H
#define HONE_GUARDS_GUARDIMPLICATION_H

#include "hone/Runtime/Expression.h"
#include <memory>
#include <string>
#include <vector>

namespace hone {

class GuardFacts {
public:
  /// `names` are the plan's arguments.
  explicit GuardFacts(std::vector<std::string> names);
  GuardFacts(const GuardFacts &other);
  GuardFacts &operator=(const GuardFacts &other);
  ~GuardFacts();

  /// Adds a condition that holds. Returns an empty string, or the error if it
  /// has other arguments; nothing is added then.
  std::string add(const PlanFormula &condition);

  /// Whether `condition` holds for all arguments for which the facts hold. If
  /// not, `open` gets the first of its conjuncts that was not shown, or the
  /// error if it has other arguments.
  bool implies(const PlanFormula &condition, std::string *open = nullptr) const;

  /// Whether it was shown that no arguments satisfy the facts.
  bool areContradictory() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace hone

#endif // HONE_GUARDS_GUARDIMPLICATION_H
