//===- GuardImplication.cpp - Implications between plan guards ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GuardImplication.h: adds the 64-bit range of the
// arguments, and splits conditions at their &&.
//
//===----------------------------------------------------------------------===//

#include "hone/Guards/GuardImplication.h"
#include "Prover.h"

using namespace hone;
using namespace hone::guards;

struct GuardFacts::Impl {
  explicit Impl(const std::vector<std::string> &names)
      : names(names), atoms(names) {}

  std::vector<std::string> names;
  Atoms atoms;
  State state;
  std::vector<Condition> given; ///< in the order of addition
};

GuardFacts::GuardFacts(std::vector<std::string> names)
    : impl(std::make_unique<Impl>(names)) {
  Prover prover(impl->atoms);
  for (size_t i = 0; i < impl->names.size(); ++i) {
    Sum argument = impl->atoms.argument(int(i));
    for (const Sum &distance :
         {argument - Sum(INT64_MIN), Sum(INT64_MAX) - argument})
      prover.assume(impl->state,
                    Condition::compare(Condition::atLeastZero, distance));
  }
}

GuardFacts::GuardFacts(const GuardFacts &other)
    : impl(std::make_unique<Impl>(*other.impl)) {}

GuardFacts &GuardFacts::operator=(const GuardFacts &other) {
  *impl = *other.impl;
  return *this;
}

GuardFacts::~GuardFacts() = default;

std::string GuardFacts::add(const PlanFormula &condition) {
  Expression expression;
  std::string error = condition.bind(impl->names, expression);
  if (!error.empty())
    return error;
  Condition truth = truthOf(impl->atoms, condition);
  if (truth.kind == Condition::all)
    impl->given.insert(impl->given.end(), truth.parts.begin(),
                       truth.parts.end());
  else
    impl->given.push_back(truth);
  Prover(impl->atoms).assume(impl->state, truth);
  return {};
}

namespace {
/// Proves a condition, conjunct by conjunct.
class Question {
public:
  Question(Atoms &atoms, const std::vector<Condition> &given)
      : atoms(atoms), given(given) {}

  bool shows(State &state, const PlanFormula &formula, std::string *open) {
    if (formula.op() == Expression::Op::logicalAnd)
      return shows(state, formula.left(), open) &&
             shows(state, formula.right(), open);
    Condition truth = truthOf(atoms, formula);
    // The given conditions were evaluated without a fault.
    for (const Condition &fact : given)
      if (fact == truth)
        return true;
    Prover prover(atoms);
    if (prover.isDefined(state, formula) && prover.proves(state, truth)) {
      prover.assume(state, truth);
      return true;
    }
    if (open)
      *open = formula.str();
    return false;
  }

private:
  Atoms &atoms;
  const std::vector<Condition> &given;
};
} // namespace

bool GuardFacts::implies(const PlanFormula &condition,
                         std::string *open) const {
  Expression expression;
  std::string error = condition.bind(impl->names, expression);
  if (!error.empty()) {
    if (open)
      *open = error;
    return false;
  }
  Atoms atoms = impl->atoms;
  State state = impl->state;
  return Question(atoms, impl->given).shows(state, condition, open);
}

bool GuardFacts::areContradictory() const {
  Atoms atoms = impl->atoms;
  return Prover(atoms).isContradictory(impl->state);
}
