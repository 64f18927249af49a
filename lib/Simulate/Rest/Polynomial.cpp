//===- Polynomial.cpp - Positions and addresses as formulas ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, products, bounds, and quotients of digits.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace hone::simulate::rest;

//===----------------------------------------------------------------------===//
// Polynomial
//===----------------------------------------------------------------------===//

Polynomial::Polynomial(int64_t constant) { add({}, constant); }

Polynomial Polynomial::of(Symbol symbol) {
  Polynomial result;
  result.add({symbol}, 1);
  return result;
}

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  int64_t &sum = parts[monomial];
  if (llvm::AddOverflow(sum, coefficient, sum))
    valid = false;
  if (sum == 0)
    parts.erase(monomial);
}

std::optional<int64_t> Polynomial::constant() const {
  if (!valid || parts.size() > 1 ||
      (parts.size() == 1 && !parts.begin()->first.empty()))
    return std::nullopt;
  return parts.empty() ? 0 : parts.begin()->second;
}

std::optional<Symbol> Polynomial::onlySymbol() const {
  if (!valid || parts.size() != 1 || parts.begin()->second != 1 ||
      parts.begin()->first.size() != 1)
    return std::nullopt;
  return parts.begin()->first.front();
}

int64_t Polynomial::constantTerm() const {
  auto found = parts.find({});
  return found == parts.end() ? 0 : found->second;
}

std::optional<Symbol>
Polynomial::lastSymbol(llvm::function_ref<bool(Symbol)> isLeftOut) const {
  std::optional<Symbol> last;
  for (auto &[monomial, coefficient] : parts)
    for (Symbol symbol : monomial)
      if (!isLeftOut(symbol))
        last = std::max(last.value_or(0), symbol);
  return last;
}

bool Polynomial::split(Symbol symbol, Polynomial &factor,
                       Polynomial &rest) const {
  factor = rest = Polynomial();
  for (auto &[monomial, coefficient] : parts) {
    auto count = llvm::count(monomial, symbol);
    if (count > 1)
      return false;
    if (count == 0) {
      rest.add(monomial, coefficient);
      continue;
    }
    Monomial others(monomial);
    others.erase(llvm::find(others, symbol));
    factor.add(others, coefficient);
  }
  return true;
}

namespace hone::simulate::rest {
Polynomial operator+(const Polynomial &a, const Polynomial &b) {
  Polynomial sum = a;
  sum.valid &= b.valid;
  for (auto &[monomial, coefficient] : b.parts)
    sum.add(monomial, coefficient);
  return sum;
}

Polynomial operator-(const Polynomial &a, const Polynomial &b) {
  return a + b * Polynomial(-1);
}

Polynomial operator*(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  constexpr size_t kMaxProducts = 1 << 12;
  product.valid =
      a.valid && b.valid && a.parts.size() * b.parts.size() <= kMaxProducts;
  if (!product.valid)
    return product;
  for (auto &[x, m] : a.parts)
    for (auto &[y, n] : b.parts) {
      Polynomial::Monomial both;
      std::merge(x.begin(), x.end(), y.begin(), y.end(),
                 std::back_inserter(both));
      int64_t coefficient;
      if (llvm::MulOverflow(m, n, coefficient))
        product.valid = false;
      else
        product.add(both, coefficient);
    }
  return product;
}
} // namespace hone::simulate::rest

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Symbol Symbols::addSymbol(Info info) {
  infos.push_back(std::move(info));
  return infos.size() - 1;
}
Symbol Symbols::addDigit(std::string name, Polynomial last) {
  return addSymbol({std::move(name), Kind::digit, std::move(last), {}});
}
Symbol Symbols::addExtent(std::string name) {
  return addSymbol({std::move(name), Kind::extent, {}, {}});
}
Symbol Symbols::addUnknown(std::string name) {
  return addSymbol({std::move(name), Kind::unknown, {}, {}});
}
void Symbols::promiseNonNegative(Symbol symbol) {
  infos[symbol].kind = Kind::nonNegative;
}

/// A lower or an upper bound of `number`, as a polynomial of extents and
/// promised numbers alone: each digit is replaced by its first or last value,
/// whichever gives the bound. Later digits have bounds made of earlier symbols.
std::optional<Polynomial> Symbols::bound(Polynomial number,
                                         bool isLower) const {
  if (!number.isValid() || !spend(number.terms().size()))
    return std::nullopt;
  auto isSize = [&](Symbol symbol) {
    return infos[symbol].kind == Kind::extent ||
           infos[symbol].kind == Kind::nonNegative;
  };
  while (std::optional<Symbol> found = number.lastSymbol(isSize)) {
    Symbol symbol = *found;
    Polynomial factor, rest;
    if (!number.split(symbol, factor, rest))
      return std::nullopt;
    if (infos[symbol].kind == Kind::unknown)
      return std::nullopt;
    if (isNonNegative(isLower ? factor : factor * -1))
      number = rest;
    else if (infos[symbol].last &&
             isNonNegative(isLower ? factor * -1 : factor))
      number = rest + factor * *infos[symbol].last;
    else
      return std::nullopt;
  }
  return number;
}

bool Symbols::spend(uint64_t steps) const {
  // Some hundred milliseconds: a hundred times the work of the largest kernels.
  constexpr uint64_t kMaxWork = uint64_t(1) << 22;
  work += steps;
  return work <= kMaxWork;
}

bool Symbols::isNonNegative(const Polynomial &number) const {
  if (auto constant = number.constant())
    return *constant >= 0;
  std::optional<Polynomial> lower = bound(number, /*isLower=*/true);
  if (!lower || !lower->isValid())
    return false;
  // An extent is 1 plus a number that is not negative.
  Polynomial shifted;
  for (auto &[monomial, coefficient] : lower->terms()) {
    Polynomial term(coefficient);
    for (Symbol symbol : monomial) {
      Polynomial factor = Polynomial::of(symbol);
      term = term * (infos[symbol].kind == Kind::extent ? factor + 1 : factor);
    }
    shifted = shifted + term;
  }
  return shifted.isValid() && llvm::all_of(shifted.terms(), [](auto &term) {
           return term.second >= 0;
         });
}

std::optional<int64_t> Symbols::largest(const Polynomial &number) const {
  std::optional<Polynomial> upper = bound(number, /*isLower=*/false);
  return upper ? upper->constant() : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

/// Splits `a` into `whole * b + rest`, where no term of `rest` is a multiple of
/// `b`. `b` is a product.
static void divideTerms(const Polynomial &a, const Polynomial &b,
                        Polynomial &whole, Polynomial &rest) {
  const auto &[divisor, unit] = *b.terms().begin();
  for (auto &[monomial, coefficient] : a.terms()) {
    if (!std::includes(monomial.begin(), monomial.end(), divisor.begin(),
                       divisor.end())) {
      rest.add(monomial, coefficient);
      continue;
    }
    Polynomial::Monomial others;
    std::set_difference(monomial.begin(), monomial.end(), divisor.begin(),
                        divisor.end(), std::back_inserter(others));
    int64_t times = llvm::divideFloorSigned(coefficient, unit);
    whole.add(others, times);
    rest.add(monomial, coefficient - times * unit);
  }
}

Polynomial Symbols::quotientSymbol(const Polynomial &a, const Polynomial &b) {
  auto [found, isNew] = quotients.try_emplace({a, b}, 0);
  if (isNew) {
    Info info{"(" + str(a) + ") / (" + str(b) + ")", Kind::digit, {}, {{a, b}}};
    auto max = largest(a), min = b.constant();
    if (max && min)
      info.last = *max / *min;
    found->second = addSymbol(std::move(info));
  }
  return Polynomial::of(found->second);
}

std::optional<Polynomial> Symbols::quotient(const Polynomial &a,
                                            const Polynomial &b) {
  if (!a.isValid() || b.terms().size() != 1 || !isNonNegative(a) ||
      !isLess(0, b))
    return std::nullopt;
  Polynomial whole, rest;
  divideTerms(a, b, whole, rest);
  if (!isNonNegative(rest))
    return std::nullopt;
  if (isLess(rest, b))
    return whole;
  auto divisor = b.constant();
  if (!divisor)
    return whole + quotientSymbol(rest, b);
  // The common divisor of all terms but the constant.
  int64_t common = *divisor, offset = rest.constantTerm();
  for (auto &[monomial, coefficient] : rest.terms())
    if (!monomial.empty())
      common = std::gcd(common, coefficient);
  Polynomial smaller;
  for (auto &[monomial, coefficient] : rest.terms())
    smaller.add(monomial,
                monomial.empty() ? offset / common : coefficient / common);
  if (common == *divisor)
    return whole + smaller;
  return whole + quotientSymbol(smaller, *divisor / common);
}

std::optional<Polynomial> Symbols::remainder(const Polynomial &a,
                                             const Polynomial &b) {
  std::optional<Polynomial> whole = quotient(a, b);
  if (!whole)
    return std::nullopt;
  return a - *whole * b;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<int64_t> Symbols::evaluate(
    const Polynomial &number,
    llvm::function_ref<std::optional<int64_t>(Symbol)> valueOf) const {
  int64_t sum = 0;
  for (auto &[monomial, coefficient] : number.terms()) {
    int64_t product = coefficient;
    for (Symbol symbol : monomial) {
      std::optional<int64_t> value = valueOf(symbol);
      if (!value && infos[symbol].parts) {
        auto &[dividend, divisor] = *infos[symbol].parts;
        auto a = evaluate(dividend, valueOf), b = evaluate(divisor, valueOf);
        if (a && b && *b > 0)
          value = llvm::divideFloorSigned(*a, *b);
      }
      if (!value || llvm::MulOverflow(product, *value, product))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return sum;
}

std::string Symbols::str(const Polynomial &number) const {
  std::string text;
  for (auto &[monomial, coefficient] : number.terms()) {
    std::string product;
    if (monomial.empty() || coefficient != 1)
      product = std::to_string(coefficient);
    for (Symbol symbol : monomial)
      product += (product.empty() ? "" : " * ") + infos[symbol].name;
    text += (text.empty() ? "" : " + ") + product;
  }
  return text.empty() ? "0" : text;
}
