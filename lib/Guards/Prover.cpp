//===- Prover.cpp - Proofs of conditions from conditions ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prover.h. Divisibility becomes an equation with a new unknown, equations
// eliminate atoms, and inequalities and cases remain.
//
//===----------------------------------------------------------------------===//

#include "Prover.h"
#include <cstdlib>
#include <optional>

using namespace hone;
using namespace hone::guards;
using Op = Expression::Op;

namespace {
/// dividend % divisor compared with a number.
struct Remainder {
  Sum dividend;
  Int divisor, rest;
};
} // namespace

/// `sum` == 0 as a condition on a remainder, if it has that form.
static std::optional<Remainder> remainderOf(const Atoms &atoms,
                                            const Sum &sum) {
  size_t constants = sum.constant() != 0;
  if (sum.isLost || sum.terms.size() != 1 + constants)
    return std::nullopt;
  const auto &[product, coefficient] = sum.terms.back();
  if (product.size() != 1 || (coefficient != 1 && coefficient != -1))
    return std::nullopt;
  const Atom &atom = atoms[product.front()];
  if (atom.kind != Atom::operation || atom.op != Op::mod ||
      !atom.b.isConstant() || atom.b.constant() < 1)
    return std::nullopt;
  return Remainder{atom.a, atom.b.constant(), -coefficient * sum.constant()};
}

//===----------------------------------------------------------------------===//
// Assumptions
//===----------------------------------------------------------------------===//

Condition Prover::inTermsOf(const State &state, Condition condition) {
  for (const auto &[atom, by] : state.solved)
    condition = atoms.replace(condition, atom, by);
  return condition;
}

void Prover::assume(State &state, const Condition &given) {
  Condition condition = inTermsOf(state, given);
  switch (condition.kind) {
  case Condition::always:
    return;
  case Condition::never:
    state.isImpossible = true;
    return;
  case Condition::all:
    for (const Condition &part : condition.parts)
      assume(state, part);
    return;
  case Condition::any:
    state.choices.push_back(std::move(condition));
    return;
  case Condition::atLeastZero:
    state.atLeastZero.push_back(condition.sum);
    return;
  case Condition::nonZero:
    state.nonZero.push_back(condition.sum);
    return;
  case Condition::zero:
    assumeZero(state, condition.sum);
    return;
  }
}

void Prover::assumeZero(State &state, const Sum &sum) {
  constexpr size_t kMaxAtoms = 512;
  if (sum.isLost || atoms.size() > kMaxAtoms)
    return;
  if (auto remainder = remainderOf(atoms, sum)) {
    auto [dividend, divisor, rest] = *remainder;
    if (rest >= divisor || rest <= -divisor) {
      state.isImpossible = true;
      return;
    }
    // A remainder has the sign of the dividend.
    if (rest != 0)
      assume(state, Condition::compare(Condition::atLeastZero,
                                       dividend * Sum(rest > 0 ? 1 : -1)));
    return assume(state,
                  Condition::compare(Condition::zero,
                                     dividend - Sum(divisor) * atoms.unknown() -
                                         Sum(rest)));
  }
  // The atom with the smallest coefficient that occurs in no other term.
  int atom = -1;
  Int smallest = 0;
  for (const auto &[product, coefficient] : sum.terms) {
    Int size = coefficient < 0 ? -coefficient : coefficient;
    if (product.size() != 1 || (smallest && size >= smallest))
      continue;
    Sum rest = sum - Sum::ofAtom(product.front()) * Sum(coefficient);
    if (atoms.mentions(rest, product.front()))
      continue;
    atom = product.front();
    smallest = size;
  }
  if (smallest == 0)
    return state.zero.push_back(sum);
  Sum positive = sum.of(Product(1, atom)) < 0 ? -sum : sum, quotient;
  for (const auto &[product, coefficient] : positive.terms)
    quotient.add(product, floorDiv(coefficient, smallest));
  if (smallest == 1)
    return solve(state, atom, Sum::ofAtom(atom) - quotient);
  // 3 x + 5 y == 0 is 3 z + 2 y == 0 with z = x + y: Euclid's algorithm, which
  // terminates if no operation contains the replaced atom.
  for (const auto &[product, coefficient] : sum.terms)
    if (product.size() > 1 ||
        (!product.empty() && atoms[product.front()].kind == Atom::operation))
      return state.zero.push_back(sum);
  Sum unknown = atoms.unknown();
  Sum rest = positive - (quotient - unknown) * Sum(smallest);
  solve(state, atom, Sum::ofAtom(atom) - quotient + unknown);
  assume(state, Condition::compare(Condition::zero, rest));
}

/// Replaces `atom` everywhere, and assumes all resulting conditions again.
void Prover::solve(State &state, int atom, const Sum &by) {
  State old = std::move(state);
  state = State();
  state.isImpossible = old.isImpossible;
  for (auto &[solved, sum] : old.solved)
    state.solved.push_back({solved, atoms.replace(sum, atom, by)});
  state.solved.push_back({atom, by});
  // A solved operation may contain the atom, so its name changes.
  for (const auto &[solved, sum] : old.solved) {
    Sum renamed = atoms.replace(Sum::ofAtom(solved), atom, by);
    if (!(renamed == Sum::ofAtom(solved)))
      assume(state, Condition::compare(Condition::zero,
                                       renamed - atoms.replace(sum, atom, by)));
  }
  for (const Sum &sum : old.zero)
    assume(state, Condition::compare(Condition::zero, sum));
  for (const Sum &sum : old.atLeastZero)
    assume(state, Condition::compare(Condition::atLeastZero, sum));
  for (const Sum &sum : old.nonZero)
    assume(state, Condition::compare(Condition::nonZero, sum));
  for (const Condition &choice : old.choices)
    assume(state, choice);
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// True if the assumptions contradict `atLeastZero`.
bool Prover::refutes(const State &state, const Sum &atLeastZero) {
  if (atLeastZero.isLost)
    return false;
  std::vector<Sum> all = state.atLeastZero;
  for (const Sum &sum : state.zero) {
    all.push_back(sum);
    all.push_back(-sum);
  }
  all.push_back(atLeastZero);
  return Inequalities(atoms, std::move(all)).areContradictory();
}

bool Prover::prove(const State &state, Condition goal, int splits) {
  if (state.isImpossible)
    return true;
  goal = inTermsOf(state, std::move(goal));
  switch (goal.kind) {
  case Condition::always:
    return true;
  case Condition::all:
    for (const Condition &part : goal.parts)
      if (!prove(state, part, splits))
        return false;
    return true;
  case Condition::any:
    return proveAny(state, goal, splits) || proveByCases(state, goal, splits);
  case Condition::never:
    return refutes(state, Sum(0)) || proveByCases(state, goal, splits);
  default:
    return proveComparison(state, goal, splits) ||
           proveByCases(state, goal, splits);
  }
}

/// Proves that some part holds wherever the others do not.
bool Prover::proveAny(const State &state, const Condition &goal, int splits) {
  for (const Condition &choice : state.choices)
    if (choice == goal)
      return true;
  for (size_t i = 0; i < goal.parts.size(); ++i) {
    if (++cases > kMaxCases)
      return false;
    State others = state;
    for (size_t j = 0; j < goal.parts.size(); ++j)
      if (j != i)
        assume(others, goal.parts[j].negated());
    if (prove(others, goal.parts[i], splits - 1))
      return true;
  }
  return false;
}

bool Prover::proveComparison(const State &state, const Condition &goal,
                             int splits) {
  const Sum &sum = goal.sum;
  if (sum.isLost)
    return false;
  Sum one = 1;
  if (goal.kind == Condition::atLeastZero)
    return refutes(state, -sum - one);
  if (auto remainder = remainderOf(atoms, sum)) {
    auto [dividend, divisor, rest] = *remainder;
    Sum difference = dividend - Sum(rest);
    bool isKnown = divisorOf(difference) % divisor == 0;
    bool isDivided = isKnown && difference.constant() % divisor == 0;
    if (goal.kind == Condition::nonZero && isKnown && !isDivided)
      return true;
    if (goal.kind == Condition::zero && isDivided &&
        (rest == 0 ||
         prove(state,
               Condition::compare(Condition::atLeastZero,
                                  dividend * Sum(rest > 0 ? 1 : -1)),
               splits - 1)))
      return true;
  }
  if (goal.kind == Condition::zero)
    return refutes(state, sum - one) && refutes(state, -sum - one);
  for (const Sum &other : state.nonZero)
    if (other == sum)
      return true;
  return refutes(state, sum) || refutes(state, -sum);
}

/// The parts of the next choice, which is removed from `state`; none if there
/// is not a choice.
std::vector<Condition> Prover::casesOf(State &state, const Condition &goal) {
  std::vector<bool> found(atoms.size());
  atoms.collect(goal.sum, found);
  for (const Condition &part : goal.parts)
    atoms.collect(part.sum, found);
  for (const Sum &sum : state.atLeastZero)
    atoms.collect(sum, found);
  for (size_t number = 0; number < found.size(); ++number) {
    Atom atom = atoms[int(number)];
    bool isMax = atom.op == Op::max;
    if (!found[number] || atom.kind != Atom::operation ||
        (!isMax && atom.op != Op::min))
      continue;
    Sum result = Sum::ofAtom(int(number)), sign = isMax ? 1 : -1;
    auto which = [&](const Sum &taken, const Sum &other) {
      return Condition::join(
          Condition::all,
          {Condition::compare(Condition::zero, result - taken),
           Condition::compare(Condition::atLeastZero, (taken - other) * sign)});
    };
    return {which(atom.a, atom.b), which(atom.b, atom.a)};
  }
  if (!state.choices.empty()) {
    Condition choice = state.choices.back();
    state.choices.pop_back();
    return choice.parts;
  }
  if (!state.nonZero.empty()) {
    Sum sum = state.nonZero.back();
    state.nonZero.pop_back();
    return {Condition::compare(Condition::atLeastZero, sum - Sum(1)),
            Condition::compare(Condition::atLeastZero, -sum - Sum(1))};
  }
  return {};
}

bool Prover::proveByCases(const State &state, const Condition &goal,
                          int splits) {
  if (splits <= 0)
    return false;
  State rest = state;
  std::vector<Condition> parts = casesOf(rest, goal);
  for (const Condition &part : parts) {
    if (++cases > kMaxCases)
      return false;
    State one = rest;
    assume(one, part);
    if (!prove(one, goal, splits - 1))
      return false;
  }
  return !parts.empty();
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

bool Prover::isDefined(const State &state, const PlanFormula &formula) {
  if (formula.op() == Op::push)
    return true;
  if (formula.op() == Op::logicalAnd || formula.op() == Op::logicalOr) {
    // The right side is evaluated only if the left one does not decide.
    Condition left = truthOf(atoms, formula.left());
    State right = state;
    assume(right, formula.op() == Op::logicalAnd ? left : left.negated());
    return isDefined(state, formula.left()) &&
           isDefined(right, formula.right());
  }
  if ((formula.op() != Op::negate && !isDefined(state, formula.left())) ||
      !isDefined(state, formula.right()))
    return false;
  bool divides = formula.op() == Op::div || formula.op() == Op::mod ||
                 formula.op() == Op::ceildiv;
  if (divides &&
      !proves(state, Condition::compare(Condition::nonZero,
                                        valueOf(atoms, formula.right()))))
    return false;
  if (formula.op() > Op::mod && formula.op() != Op::ceildiv &&
      formula.op() != Op::negate)
    return true;
  // A remainder cannot overflow, and a quotient only if the divisor is -1.
  Sum value =
      divides ? valueOf(atoms, formula.right()) : valueOf(atoms, formula);
  if (divides && value.isConstant() && value.constant() > 0)
    return true;
  Sum min = Int(divides ? 0 : INT64_MIN), max = Int(INT64_MAX);
  return proves(state,
                Condition::compare(Condition::atLeastZero, value - min)) &&
         proves(state, Condition::compare(Condition::atLeastZero, max - value));
}
