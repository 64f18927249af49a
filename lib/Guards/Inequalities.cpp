//===- Inequalities.cpp - Linear inequalities over integers ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier-Motzkin elimination; see Inequalities.h. A guard has some ten
// variables, most of which occur in two or three inequalities.
//
//===----------------------------------------------------------------------===//

#include "Inequalities.h"
#include <algorithm>
#include <set>

using namespace hone;
using namespace hone::guards;
using Op = Expression::Op;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static Int clamp(Int value) {
  return std::clamp<Int>(value, -Interval::kInfinite, Interval::kInfinite);
}

static Int multiply(Int a, Int b) {
  Int result;
  if (!__builtin_mul_overflow(a, b, &result))
    return clamp(result);
  return (a < 0) == (b < 0) ? Interval::kInfinite : -Interval::kInfinite;
}

static Interval multiply(Interval a, Interval b) {
  Int products[] = {multiply(a.low, b.low), multiply(a.low, b.high),
                    multiply(a.high, b.low), multiply(a.high, b.high)};
  return {*std::min_element(products, products + 4),
          *std::max_element(products, products + 4)};
}

/// The bounds of `a op b`.
static Interval apply(Op op, Interval a, Interval b) {
  bool isPositive = b.low >= 1;
  switch (op) {
  case Op::min:
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case Op::max:
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case Op::mod:
    if (!isPositive)
      return {};
    return {a.low >= 0 ? 0 : std::max(1 - b.high, a.low),
            a.high <= 0 ? 0 : std::min(b.high - 1, a.high)};
  case Op::div:
  case Op::ceildiv:
    // The quotient is between 0 and the dividend.
    if (!isPositive)
      return {};
    return {std::min<Int>(a.low, 0), std::max<Int>(a.high, 0)};
  default:
    return op >= Op::eq && op <= Op::logicalOr ? Interval{0, 1} : Interval{};
  }
}

Interval Inequalities::boundsOfAtom(int atom) const {
  Interval known = atom < int(bounds.size()) ? bounds[atom] : Interval{};
  const Atom &inside = atoms[atom];
  if (inside.kind != Atom::operation)
    return known;
  Interval computed = apply(inside.op, boundsOf(inside.a), boundsOf(inside.b));
  return {std::max(known.low, computed.low),
          std::min(known.high, computed.high)};
}

Interval Inequalities::boundsOf(const Product &product) const {
  Interval result = {1, 1};
  for (int atom : product)
    result = multiply(result, boundsOfAtom(atom));
  return result;
}

Interval Inequalities::boundsOf(const Sum &sum) const {
  if (sum.isLost)
    return {};
  Interval result = {0, 0};
  for (const auto &[product, coefficient] : sum.terms) {
    Interval term = multiply({coefficient, coefficient}, boundsOf(product));
    result = {clamp(result.low + term.low), clamp(result.high + term.high)};
  }
  return result;
}

/// Computes bounds of atoms from inequalities of a single atom.
void Inequalities::findBounds() {
  bounds.assign(atoms.size(), {});
  for (const Sum &sum : all) {
    if (sum.isConstant())
      continue;
    const auto &[product, coefficient] = sum.terms.back();
    if (product.size() != 1 || sum.terms.size() - (sum.constant() != 0) != 1)
      continue;
    Interval &bound = bounds[product.front()];
    // coefficient * atom + constant >= 0.
    if (coefficient > 0)
      bound.low = std::max(bound.low, -floorDiv(sum.constant(), coefficient));
    else
      bound.high = std::min(bound.high, floorDiv(sum.constant(), -coefficient));
  }
}

//===----------------------------------------------------------------------===//
// Facts about operations and products
//===----------------------------------------------------------------------===//

void Inequalities::describeDivision(const Atom &atom, const Sum &result) {
  if (!atom.b.isConstant() || atom.b.constant() < 1)
    return;
  Int divisor = atom.b.constant();
  if (atom.op == Op::ceildiv) {
    all.push_back(result * Sum(divisor) - atom.a);
    all.push_back(atom.a + Sum(divisor - 1) - result * Sum(divisor));
    return;
  }
  // The quotient of a negative number is rounded in the other direction.
  if (boundsOf(atom.a).low < 0)
    return;
  Sum quotient =
      atom.op == Op::div ? result : atoms.operation(Op::div, atom.a, atom.b);
  Sum rest = atom.a - quotient * Sum(divisor);
  all.push_back(rest);
  all.push_back(Sum(divisor - 1) - rest);
  if (atom.op == Op::mod) {
    all.push_back(rest - result);
    all.push_back(result - rest);
  }
}

void Inequalities::describe(int number) {
  Atom atom = atoms[number];
  if (atom.kind != Atom::operation)
    return;
  Sum result = Sum::ofAtom(number);
  if (atom.op == Op::min || atom.op == Op::max) {
    Sum sign = atom.op == Op::max ? 1 : -1;
    all.push_back((result - atom.a) * sign);
    all.push_back((result - atom.b) * sign);
  }
  if (atom.op == Op::div || atom.op == Op::mod || atom.op == Op::ceildiv)
    describeDivision(atom, result);
  Interval bound = boundsOfAtom(number);
  if (bound.low > -Interval::kInfinite)
    all.push_back(result - Sum(bound.low));
  if (bound.high < Interval::kInfinite)
    all.push_back(Sum(bound.high) - result);
}

/// The product of two numbers is bounded by the products of each one's bounds
/// with the other number.
void Inequalities::describeProduct(const Product &product) {
  Product rest(product.begin() + 1, product.end());
  Sum x = Sum::ofAtom(product.front()), y;
  y.add(rest, 1);
  auto distances = [&](const Sum &sum, Interval bound) {
    std::vector<Sum> result;
    if (bound.low > -Interval::kInfinite)
      result.push_back(sum - Sum(bound.low));
    if (bound.high < Interval::kInfinite)
      result.push_back(Sum(bound.high) - sum);
    return result;
  };
  for (const Sum &a : distances(x, boundsOfAtom(product.front())))
    for (const Sum &b : distances(y, boundsOf(rest)))
      all.push_back(a * b);
}

Inequalities::Inequalities(Atoms &atoms, std::vector<Sum> atLeastZero)
    : atoms(atoms), all(std::move(atLeastZero)) {
  auto isUseless = [](const Sum &sum) { return sum.isLost; };
  auto drop = [&] {
    all.erase(std::remove_if(all.begin(), all.end(), isUseless), all.end());
  };
  drop();
  findBounds();
  // The facts about an operation may contain other operations.
  constexpr size_t kMaxAtoms = 256;
  std::vector<bool> described;
  for (bool isNew = true; isNew && atoms.size() < kMaxAtoms;) {
    isNew = false;
    std::vector<bool> found(atoms.size());
    for (const Sum &sum : all)
      atoms.collect(sum, found);
    described.resize(found.size());
    for (size_t atom = 0; atom < found.size(); ++atom)
      if (found[atom] && !described[atom]) {
        isNew = described[atom] = true;
        describe(int(atom));
      }
  }
  drop();
  std::set<Product> products;
  for (const Sum &sum : all)
    for (const auto &[product, coefficient] : sum.terms)
      if (product.size() > 1)
        products.insert(product);
  for (const Product &product : products)
    describeProduct(product);
  drop();
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

/// Divides `sum` by the common divisor of its coefficients; rounds the constant
/// down.
static Sum tightened(const Sum &sum) {
  Int divisor = divisorOf(sum);
  if (divisor <= 1)
    return sum;
  Sum result;
  for (const auto &[product, coefficient] : sum.terms)
    result.add(product, floorDiv(coefficient, divisor));
  return result;
}

namespace {
/// A variable, and the number of inequalities that its elimination makes.
struct Choice {
  Product variable;
  size_t made;
};
} // namespace

static Choice chooseVariable(const std::vector<Sum> &sums) {
  std::map<Product, std::pair<size_t, size_t>> counts;
  for (const Sum &sum : sums)
    for (const auto &[product, coefficient] : sum.terms)
      if (!product.empty())
        ++(coefficient > 0 ? counts[product].first : counts[product].second);
  Choice best = {{}, SIZE_MAX};
  for (const auto &[product, count] : counts)
    if (count.first * count.second < best.made)
      best = {product, count.first * count.second};
  return best;
}

static void sortOnce(std::vector<Sum> &sums) {
  std::sort(sums.begin(), sums.end());
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
}

bool Inequalities::areContradictory() const {
  constexpr size_t kMax = 1000;
  std::vector<Sum> sums;
  for (const Sum &sum : all)
    sums.push_back(tightened(sum));
  sortOnce(sums);
  while (true) {
    for (const Sum &sum : sums)
      if (sum.isConstant() && sum.constant() < 0)
        return true;
    Choice choice = chooseVariable(sums);
    if (choice.variable.empty() || choice.made > kMax)
      return false;
    std::vector<std::pair<const Sum *, Int>> positive, negative;
    std::vector<Sum> next;
    for (Sum &sum : sums) {
      Int factor = sum.of(choice.variable);
      if (factor == 0)
        next.push_back(std::move(sum));
      else
        (factor > 0 ? positive : negative).push_back({&sum, factor});
    }
    for (auto [low, a] : positive)
      for (auto [high, b] : negative) {
        Sum sum = low->times(-b) + high->times(a);
        if (!sum.isLost)
          next.push_back(tightened(sum));
      }
    sortOnce(next);
    if (next.size() > kMax)
      return false;
    sums = std::move(next);
  }
}
