//===- Prover.h - Proofs of conditions from conditions ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A State has the assumptions; a Prover shows that conditions follow from them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_GUARDS_PROVER_H
#define HONE_LIB_GUARDS_PROVER_H

#include "Inequalities.h"

namespace hone::guards {

/// Assumptions, with every solvable equation solved.
struct State {
  std::vector<Sum> atLeastZero, zero, nonZero;
  std::vector<Condition> choices; ///< one part of each holds
  std::vector<std::pair<int, Sum>> solved;
  bool isImpossible = false;
};

class Prover {
public:
  explicit Prover(Atoms &atoms) : atoms(atoms) {}

  void assume(State &state, const Condition &condition);
  bool proves(const State &state, const Condition &goal) {
    return prove(state, goal, kMaxSplits);
  }
  bool isContradictory(const State &state) {
    return proves(state, Condition::compare(Condition::nonZero, Sum(0)));
  }
  /// True if the evaluation of `formula` never overflows or divides by 0.
  bool isDefined(const State &state, const PlanFormula &formula);

private:
  /// Max nested case splits, and max cases per proof.
  static constexpr int kMaxSplits = 6, kMaxCases = 300;

  Condition inTermsOf(const State &state, Condition condition);
  void assumeZero(State &state, const Sum &sum);
  void solve(State &state, int atom, const Sum &by);
  bool prove(const State &state, Condition goal, int splits);
  bool proveAny(const State &state, const Condition &goal, int splits);
  bool proveComparison(const State &state, const Condition &goal, int splits);
  bool proveByCases(const State &state, const Condition &goal, int splits);
  std::vector<Condition> casesOf(State &state, const Condition &goal);
  bool refutes(const State &state, const Sum &atLeastZero);

  Atoms &atoms;
  int cases = 0;
};

} // namespace hone::guards

#endif // HONE_LIB_GUARDS_PROVER_H
