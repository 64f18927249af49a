//===- Sums.cpp - Sums of products, and conditions on them ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sums.h.
//
//===----------------------------------------------------------------------===//

#include "Sums.h"
#include "hone/Runtime/Operators.h"
#include <algorithm>
#include <tuple>

using namespace hone;
using namespace hone::guards;
using Op = Expression::Op;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

using Term = std::pair<Product, Int>;

static bool isBefore(const Term &term, const Product &product) {
  return term.first < product;
}

void Sum::add(const Product &product, Int coefficient) {
  auto place = std::lower_bound(terms.begin(), terms.end(), product, isBefore);
  if (place == terms.end() || place->first != product) {
    if (coefficient != 0)
      terms.insert(place, {product, coefficient});
    return;
  }
  isLost |= __builtin_add_overflow(place->second, coefficient, &place->second);
  if (place->second == 0)
    terms.erase(place);
}

Int Sum::of(const Product &product) const {
  auto found = std::lower_bound(terms.begin(), terms.end(), product, isBefore);
  return found == terms.end() || found->first != product ? 0 : found->second;
}

bool Sum::isConstant() const {
  return terms.empty() || (terms.size() == 1 && terms.front().first.empty());
}

/// Merges the terms.
Sum Sum::operator+(const Sum &other) const {
  Sum result;
  result.isLost = isLost || other.isLost;
  result.terms.reserve(terms.size() + other.terms.size());
  auto own = terms.begin();
  for (const Term &term : other.terms) {
    for (; own != terms.end() && own->first < term.first; ++own)
      result.terms.push_back(*own);
    if (own == terms.end() || own->first != term.first) {
      result.terms.push_back(term);
      continue;
    }
    Int sum;
    result.isLost |= __builtin_add_overflow(own->second, term.second, &sum);
    if (sum != 0)
      result.terms.push_back({term.first, sum});
    ++own;
  }
  result.terms.insert(result.terms.end(), own, terms.end());
  return result;
}

Sum Sum::operator-(const Sum &other) const { return *this + other.times(-1); }

Sum Sum::operator*(const Sum &other) const {
  Sum result;
  result.isLost = isLost || other.isLost;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Product product = left + right;
      std::sort(product.begin(), product.end());
      Int coefficient;
      result.isLost |= __builtin_mul_overflow(a, b, &coefficient);
      result.add(product, coefficient);
    }
  return result;
}

Sum Sum::times(Int factor) const {
  Sum result = *this;
  for (auto &[product, coefficient] : result.terms)
    result.isLost |= __builtin_mul_overflow(coefficient, factor, &coefficient);
  return result;
}

Int hone::guards::floorDiv(Int a, Int b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static Int gcd(Int a, Int b) {
  a = a < 0 ? -a : a, b = b < 0 ? -b : b;
  while (b)
    std::swap(a %= b, b);
  return a;
}

Int hone::guards::divisorOf(const Sum &sum) {
  Int divisor = 0;
  for (const auto &[product, coefficient] : sum.terms)
    if (!product.empty())
      divisor = gcd(divisor, coefficient);
  return divisor;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static Condition constant(bool holds) {
  Condition condition;
  condition.kind = holds ? Condition::always : Condition::never;
  return condition;
}

Condition Condition::compare(Kind kind, Sum sum) {
  Condition condition;
  condition.kind = kind;
  if (sum.isLost) {
    condition.sum = std::move(sum);
    return condition;
  }
  if (sum.isConstant()) {
    Int value = sum.constant();
    return ::constant(kind == zero      ? value == 0
                      : kind == nonZero ? value != 0
                                        : value >= 0);
  }
  // For integers, 4 x + 3 >= 0 is x >= 0, and 4 x + 3 == 0 never holds.
  if (Int divisor = divisorOf(sum); divisor > 1) {
    if (kind != atLeastZero && sum.constant() % divisor != 0)
      return ::constant(kind == nonZero);
    Sum reduced;
    for (const auto &[product, coefficient] : sum.terms)
      reduced.add(product, floorDiv(coefficient, divisor));
    sum = reduced;
  }
  if (kind != atLeastZero && sum.terms.back().second < 0)
    sum = -sum;
  condition.sum = std::move(sum);
  return condition;
}

Condition Condition::join(Kind kind, std::vector<Condition> parts) {
  Kind neutral = kind == all ? always : never;
  Kind decisive = kind == all ? never : always;
  Condition joined;
  joined.kind = kind;
  for (Condition &part : parts) {
    if (part.kind == decisive)
      return part;
    if (part.kind == kind)
      joined.parts.insert(joined.parts.end(), part.parts.begin(),
                          part.parts.end());
    else if (part.kind != neutral)
      joined.parts.push_back(std::move(part));
  }
  if (joined.parts.size() == 1)
    return Condition(joined.parts.front());
  return joined.parts.empty() ? ::constant(neutral == always) : joined;
}

Condition Condition::negated() const {
  switch (kind) {
  case always:
    return ::constant(false);
  case never:
    return ::constant(true);
  case atLeastZero:
    return compare(atLeastZero, -sum - Sum(1));
  case zero:
    return compare(nonZero, sum);
  case nonZero:
    return compare(zero, sum);
  case all:
  case any: {
    std::vector<Condition> negated;
    for (const Condition &part : parts)
      negated.push_back(part.negated());
    return join(kind == all ? any : all, std::move(negated));
  }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

bool Atom::operator<(const Atom &other) const {
  return std::tie(kind, index, op, a, b) <
         std::tie(other.kind, other.index, other.op, other.a, other.b);
}

int Atoms::intern(const Atom &atom) {
  auto [place, isNew] = numbers.try_emplace(atom, int(atoms.size()));
  if (isNew)
    atoms.push_back(atom);
  return place->second;
}

Sum Atoms::operation(Op op, const Sum &a, const Sum &b) {
  bool divides = op == Op::div || op == Op::mod || op == Op::ceildiv;
  Int number;
  if (a.isConstant() && b.isConstant() &&
      evaluate(op, a.constant(), b.constant(), number) ==
          Expression::Fault::none)
    return number;
  if ((op == Op::min || op == Op::max) && a == b)
    return a;
  Sum result;
  // If the divisor divides every term, the quotient is exact.
  if (divides && b.isConstant() && b.constant() > 0) {
    Int divisor = b.constant();
    bool isExact = divisorOf(a) % divisor == 0 && a.constant() % divisor == 0;
    for (const auto &[product, coefficient] : a.terms)
      if (isExact && op != Op::mod)
        result.add(product, coefficient / divisor);
    if (isExact)
      return result;
  }
  result = Sum::ofAtom(intern({Atom::operation, 0, op, a, b}));
  result.isLost = a.isLost || b.isLost;
  return result;
}

Sum Atoms::replace(const Sum &sum, int atom, const Sum &by) {
  if (!mentions(sum, atom))
    return sum;
  Sum result;
  result.isLost = sum.isLost;
  for (const auto &[product, coefficient] : sum.terms) {
    Sum factor = coefficient;
    for (int each : product) {
      // A copy, because replacing may add atoms.
      Atom inside = atoms[each];
      if (each == atom)
        factor = factor * by;
      else if (inside.kind == Atom::operation)
        factor = factor * operation(inside.op, replace(inside.a, atom, by),
                                    replace(inside.b, atom, by));
      else
        factor = factor * Sum::ofAtom(each);
    }
    result = result + factor;
  }
  return result;
}

Condition Atoms::replace(const Condition &condition, int atom, const Sum &by) {
  if (condition.kind == Condition::all || condition.kind == Condition::any) {
    std::vector<Condition> parts;
    for (const Condition &part : condition.parts)
      parts.push_back(replace(part, atom, by));
    return Condition::join(condition.kind, std::move(parts));
  }
  if (condition.kind == Condition::always || condition.kind == Condition::never)
    return condition;
  return Condition::compare(condition.kind, replace(condition.sum, atom, by));
}

bool Atoms::mentions(const Sum &sum, int atom) const {
  std::vector<bool> found(atoms.size());
  collect(sum, found);
  return found[atom];
}

void Atoms::collect(const Sum &sum, std::vector<bool> &found) const {
  for (const auto &[product, coefficient] : sum.terms)
    for (int atom : product) {
      if (found[atom])
        continue;
      found[atom] = true;
      collect(atoms[atom].a, found);
      collect(atoms[atom].b, found);
    }
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// The index of the device's number, apart from those of the arguments.
static constexpr int kResident = -1;

Sum hone::guards::valueOf(Atoms &atoms, const PlanFormula &formula) {
  if (std::optional<int64_t> number = formula.number())
    return *number;
  if (formula.op() == Op::push)
    return atoms.argument(formula.name());
  Sum b = valueOf(atoms, formula.right());
  if (formula.op() == Op::negate)
    return -b;
  Sum a = valueOf(atoms, formula.left());
  switch (formula.op()) {
  case Op::add:
    return a + b;
  case Op::sub:
    return a - b;
  case Op::mul:
    return a * b;
  case Op::orElse:
    return atoms.operation(
        Op::min, atoms.operation(Op::orElse, a, atoms.argument(kResident)), b);
  default:
    return atoms.operation(formula.op(), a, b);
  }
}

Condition hone::guards::truthOf(Atoms &atoms, const PlanFormula &formula) {
  if (formula.op() == Op::logicalAnd || formula.op() == Op::logicalOr)
    return Condition::join(
        formula.op() == Op::logicalAnd ? Condition::all : Condition::any,
        {truthOf(atoms, formula.left()), truthOf(atoms, formula.right())});
  if (formula.op() < Op::eq || formula.op() > Op::ge)
    return Condition::compare(Condition::nonZero, valueOf(atoms, formula));
  Sum a = valueOf(atoms, formula.left()), b = valueOf(atoms, formula.right());
  switch (formula.op()) {
  case Op::eq:
    return Condition::compare(Condition::zero, a - b);
  case Op::ne:
    return Condition::compare(Condition::nonZero, a - b);
  case Op::lt:
    return Condition::compare(Condition::atLeastZero, b - a - Sum(1));
  case Op::le:
    return Condition::compare(Condition::atLeastZero, b - a);
  case Op::gt:
    return Condition::compare(Condition::atLeastZero, a - b - Sum(1));
  default:
    return Condition::compare(Condition::atLeastZero, a - b);
  }
}
