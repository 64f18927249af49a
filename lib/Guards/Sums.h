//===- Sums.h - Sums of products, and conditions on them --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normal form of a plan's formulas. An *atom* is an opaque number: an
// argument, an unknown, or the result of a nonlinear operation, such as `min(m,
// 64)`. Products of atoms with their coefficients make a Sum, and comparisons
// of sums with 0 make a Condition.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_GUARDS_SUMS_H
#define HONE_LIB_GUARDS_SUMS_H

#include "hone/Runtime/Expression.h"
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hone::guards {

using Int = __int128;
/// The atoms of a product, sorted; an empty list is the number 1. A string keeps
/// three of them without memory of its own.
using Product = std::u32string;

struct Sum {
  /// Products and their coefficients, without zeros, sorted by product.
  std::vector<std::pair<Product, Int>> terms;
  bool isLost = false; ///< a coefficient became too large

  Sum() = default;
  Sum(Int constant) { add({}, constant); }
  static Sum ofAtom(int atom) {
    Sum sum;
    sum.add(Product(1, atom), 1);
    return sum;
  }

  void add(const Product &product, Int coefficient);
  /// The coefficient of `product`, or 0.
  Int of(const Product &product) const;
  Int constant() const { return of({}); }
  bool isConstant() const;
  Sum operator+(const Sum &other) const;
  Sum operator-(const Sum &other) const;
  Sum operator*(const Sum &other) const;
  Sum times(Int factor) const;
  Sum operator-() const { return times(-1); }
  bool operator<(const Sum &other) const { return terms < other.terms; }
  bool operator==(const Sum &other) const { return terms == other.terms; }
};

/// The greatest common divisor of the coefficients, without the constant.
Int divisorOf(const Sum &sum);
Int floorDiv(Int a, Int b);

struct Condition {
  enum Kind { always, never, atLeastZero, zero, nonZero, all, any };
  Kind kind = always;
  Sum sum;
  std::vector<Condition> parts;

  /// `sum` compared with 0, in its simplest form.
  static Condition compare(Kind kind, Sum sum);
  static Condition join(Kind kind, std::vector<Condition> parts);
  Condition negated() const;
  bool operator==(const Condition &other) const {
    return kind == other.kind && sum == other.sum && parts == other.parts;
  }
};

struct Atom {
  enum Kind { argument, unknown, operation } kind;
  int index; ///< of the argument or unknown
  Expression::Op op = Expression::Op::push;
  Sum a = {}, b = {};
  bool operator<(const Atom &other) const;
};

/// All atoms of one proof, by number.
class Atoms {
public:
  /// `names` are the plan's arguments.
  explicit Atoms(std::vector<std::string> names) : names(std::move(names)) {}

  const Atom &operator[](int atom) const { return atoms[atom]; }
  Sum argument(int index) {
    return Sum::ofAtom(intern({Atom::argument, index}));
  }
  Sum argument(std::string_view name) {
    return argument(
        int(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  Sum unknown() {
    return Sum::ofAtom(intern({Atom::unknown, int(atoms.size())}));
  }
  /// `a op b`: a number if both are numbers.
  Sum operation(Expression::Op op, const Sum &a, const Sum &b);

  /// `sum` with `by` instead of `atom`, also inside operations.
  Sum replace(const Sum &sum, int atom, const Sum &by);
  Condition replace(const Condition &condition, int atom, const Sum &by);
  bool mentions(const Sum &sum, int atom) const;
  /// Adds to `found` the atoms of `sum`, also those inside operations.
  void collect(const Sum &sum, std::vector<bool> &found) const;
  size_t size() const { return atoms.size(); }

private:
  int intern(const Atom &atom);

  std::vector<std::string> names;
  std::vector<Atom> atoms;
  std::map<Atom, int> numbers;
};

Sum valueOf(Atoms &atoms, const PlanFormula &formula);
/// The condition that the formula is not 0.
Condition truthOf(Atoms &atoms, const PlanFormula &formula);

} // namespace hone::guards

#endif // HONE_LIB_GUARDS_SUMS_H
