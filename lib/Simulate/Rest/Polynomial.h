//===- Polynomial.h - Positions and addresses as formulas -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A position in a rest kernel is a polynomial over *symbols*: the positions
// along loops, extents and strides that are known only at the launch, and the
// numbers of the thread and the block. Equal formulas are equal at every size,
// so no size has to be tried.
//
// A symbol has a range. Loop positions are *digits* of the number of a point:
// with digits i in [0, m) and j in [0, n), (i * n + j) / n is i and (i * n + j)
// % n is j, because j stays below n. A quotient that cannot be simplified like
// this becomes a symbol itself.
//
// Extents are at least 1: a formula is only evaluated at positions, and where
// an extent is 0 there are no positions.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_POLYNOMIAL_H
#define HONE_LIB_SIMULATE_REST_POLYNOMIAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::simulate::rest {

using Symbol = unsigned;

/// A sum of products of symbols with integer coefficients. A polynomial whose
/// coefficients do not fit 64 bits, or that has more products than any position
/// needs, is invalid: it is equal to nothing.
class Polynomial {
public:
  using Monomial = std::vector<Symbol>; ///< sorted

  Polynomial(int64_t constant = 0);
  static Polynomial of(Symbol symbol);

  bool isValid() const { return valid; }
  std::optional<int64_t> constant() const;
  /// The symbol of the only term, if its coefficient is 1 and nothing is added.
  std::optional<Symbol> onlySymbol() const;
  int64_t constantTerm() const;
  const std::map<Monomial, int64_t> &terms() const { return parts; }
  /// The newest of the symbols that are not left out.
  std::optional<Symbol>
  lastSymbol(llvm::function_ref<bool(Symbol)> isLeftOut) const;
  /// Splits this into `factor * symbol + rest`; false if it contains a power of
  /// the symbol.
  bool split(Symbol symbol, Polynomial &factor, Polynomial &rest) const;
  void add(const Monomial &monomial, int64_t coefficient);

  friend Polynomial operator+(const Polynomial &a, const Polynomial &b);
  friend Polynomial operator-(const Polynomial &a, const Polynomial &b);
  friend Polynomial operator*(const Polynomial &a, const Polynomial &b);
  friend bool operator==(const Polynomial &a, const Polynomial &b) {
    return a.valid && b.valid && a.parts == b.parts;
  }
  friend bool operator<(const Polynomial &a, const Polynomial &b) {
    return std::tie(a.valid, a.parts) < std::tie(b.valid, b.parts);
  }

private:
  std::map<Monomial, int64_t> parts; ///< no coefficient is 0
  bool valid = true;
};

/// The symbols of one proof, and their ranges.
class Symbols {
public:
  /// A position or number from 0 to `last`.
  Symbol addDigit(std::string name, Polynomial last);
  /// A number of at least 1.
  Symbol addExtent(std::string name);
  /// Any number.
  Symbol addUnknown(std::string name);
  /// From now on, an unknown number counts as at least 0.
  void promiseNonNegative(Symbol symbol);

  bool isNonNegative(const Polynomial &number) const;
  bool isLess(const Polynomial &a, const Polynomial &b) const {
    return isNonNegative(b - a - 1);
  }
  /// a / b and a % b of numbers that are not negative; nothing if the sign
  /// or the quotient is not certain.
  std::optional<Polynomial> quotient(const Polynomial &a, const Polynomial &b);
  std::optional<Polynomial> remainder(const Polynomial &a, const Polynomial &b);

  /// The value for the symbols' values by `valueOf`; quotients are computed
  /// from their parts. Nothing if a symbol has no value.
  std::optional<int64_t>
  evaluate(const Polynomial &number,
           llvm::function_ref<std::optional<int64_t>(Symbol)> valueOf) const;
  /// The maximum, if it is a known number.
  std::optional<int64_t> largest(const Polynomial &number) const;

  std::string str(const Polynomial &number) const;

  /// Counts `steps` of work; false once a proof has exceeded its limit.
  bool spend(uint64_t steps) const;
  bool isSpent() const { return !spend(0); }

private:
  enum class Kind { digit, extent, nonNegative, unknown };
  struct Info {
    std::string name;
    Kind kind;
    std::optional<Polynomial> last;
    /// The dividend and the divisor of a quotient.
    std::optional<std::pair<Polynomial, Polynomial>> parts;
  };
  Symbol addSymbol(Info info);
  std::optional<Polynomial> bound(Polynomial number, bool isLower) const;
  Polynomial quotientSymbol(const Polynomial &a, const Polynomial &b);

  std::vector<Info> infos;
  mutable uint64_t work = 0;
  std::map<std::pair<Polynomial, Polynomial>, Symbol> quotients;
};

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_POLYNOMIAL_H
