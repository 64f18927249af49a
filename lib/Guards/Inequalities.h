//===- Inequalities.h - Linear inequalities over integers -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that are at least 0, with each product of atoms as a variable, and facts
// about the products and operations themselves.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_GUARDS_INEQUALITIES_H
#define HONE_LIB_GUARDS_INEQUALITIES_H

#include "Sums.h"

namespace hone::guards {

/// Numbers from `low` to `high`.
struct Interval {
  static constexpr Int kInfinite = Int(1) << 124;
  Int low = -kInfinite, high = kInfinite;
};

class Inequalities {
public:
  Inequalities(Atoms &atoms, std::vector<Sum> atLeastZero);

  /// True if it was proven that they cannot all hold.
  bool areContradictory() const;
  /// Bounds of a sum, from those of its atoms alone.
  Interval boundsOf(const Sum &sum) const;

private:
  void findBounds();
  void describe(int atom);
  void describeDivision(const Atom &atom, const Sum &result);
  void describeProduct(const Product &product);
  Interval boundsOf(const Product &product) const;
  Interval boundsOfAtom(int atom) const;

  Atoms &atoms;
  std::vector<Sum> all;
  std::vector<Interval> bounds; ///< of atoms, from inequalities of one atom
};

} // namespace hone::guards

#endif // HONE_LIB_GUARDS_INEQUALITIES_H
