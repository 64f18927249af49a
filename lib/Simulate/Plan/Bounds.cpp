//===- Bounds.cpp - Upper bounds of numbers for all sizes -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Bounds.h.
//
//===----------------------------------------------------------------------===//

#include "Bounds.h"
#include "hone/Runtime/Expression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace hone;
using namespace hone::simulate;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Bound Bound::ofArgument(unsigned number) {
  Bound bound;
  bound.terms[{number}] = 1;
  return bound;
}

Bound Bound::operator+(const Bound &other) const {
  Bound sum = *this;
  for (const auto &[product, coefficient] : other.terms)
    sum.terms[product] += coefficient;
  return sum;
}

Bound Bound::operator*(const Bound &other) const {
  Bound result;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      llvm::sort(product);
      result.terms[product] += a * b;
    }
  return result;
}

Bound Bound::operator*(double factor) const { return *this * Bound(factor); }

Bound Bound::either(const Bound &one, const Bound &other) {
  Bound result = one;
  for (const auto &[product, coefficient] : other.terms) {
    double &place = result.terms[product];
    place = std::max(place, coefficient);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

ArgumentLimits::ArgumentLimits(const Subject &subject)
    : names(subject.plan.args) {
  constexpr double kExtent = 0x1p31 - 1024, kDistance = 0x1p40,
                   kElements = 0x1p40;
  constexpr double kParts = 0x1p16;
  Bound::Product elements;
  for (auto [i, name] : llvm::enumerate(names)) {
    bool isExtent =
        llvm::is_contained({"m", "n", "k", "batch", "heads", "groups", "images",
                            "channels", "taps", "outh", "outw", "filterw"},
                           llvm::StringRef(name));
    max.push_back(isExtent ? kExtent : name == "parts" ? kParts : kDistance);
    if (name == "group")
      max.back() = kExtent;
    if (name == "m" || name == "n" || name == "batch")
      elements.push_back(i);
  }
  constexpr double kTiles = 0x1p31 - 1;
  max.push_back(kTiles);
  products.push_back({elements, kElements});
  const PlanAlternative &alternative =
      subject.plan.alternatives[subject.alternative];
  readGuard(alternative.guard.str());
  constexpr double kBytes = 0x1p36;
  if (!alternative.workspaceBytes.empty())
    limit(alternative.workspaceBytes, kBytes);
  max.push_back(kExtent);
  splitBatches();
}

/// The number of batches is the product of outer and inner ones.
void ArgumentLimits::splitBatches() {
  auto batch = llvm::find(names, "batch"), heads = llvm::find(names, "heads");
  if (batch == names.end() || heads == names.end())
    return;
  products.push_back({{unsigned(batch - names.begin())}, max.back()});
  for (auto [product, limit] : llvm::to_vector(products)) {
    auto found = llvm::find(product, unsigned(batch - names.begin()));
    if (found == product.end())
      continue;
    *found = outerBatches();
    product.push_back(heads - names.begin());
    llvm::sort(product);
    products.push_back({product, limit});
  }
}

Bound ArgumentLimits::ofArgument(llvm::StringRef name) const {
  auto found = llvm::find(names, name);
  return found == names.end() ? Bound(1)
                              : Bound::ofArgument(found - names.begin());
}

double ArgumentLimits::largest(const Bound::Product &product) const {
  double all = 1;
  for (unsigned argument : product)
    all *= max[argument];
  for (const auto &[known, limit] : products) {
    // The factors outside of `known` have limits of their own. Where C has
    // elements, no extent is below 1.
    Bound::Product rest = product;
    for (unsigned argument : known)
      if (auto found = llvm::find(rest, argument); found != rest.end())
        rest.erase(found);
    if (rest.size() == product.size())
      continue;
    double value = limit;
    for (unsigned argument : rest)
      value *= max[argument];
    all = std::min(all, value);
  }
  return all;
}

double ArgumentLimits::largest(const Bound &bound) const {
  double sum = 0;
  for (const auto &[product, coefficient] : bound.terms)
    sum += coefficient * largest(product);
  return sum;
}

const Bound &ArgumentLimits::smaller(const Bound &one,
                                     const Bound &other) const {
  return largest(one) <= largest(other) ? one : other;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {
/// A number on the stack, and whether it is a constant.
struct Entry {
  Bound bound;
  std::optional<double> constant;
};
} // namespace

/// The bound of `op`; its operands are not negative.
static Bound apply(Expression::Op op, const Entry &a, const Entry &b,
                   const ArgumentLimits &limits) {
  double divisor = std::max(b.constant.value_or(1), 1.0);
  switch (op) {
  case Expression::Op::add:
    return a.bound + b.bound;
  case Expression::Op::sub:
    return a.bound;
  case Expression::Op::mul:
    return a.bound * b.bound;
  case Expression::Op::div:
    return a.bound * (1 / divisor);
  case Expression::Op::ceildiv:
    return b.constant ? a.bound * (1 / divisor) + Bound(1) : a.bound;
  case Expression::Op::mod:
  case Expression::Op::min:
    return limits.smaller(a.bound, b.bound);
  case Expression::Op::max:
  case Expression::Op::orElse:
    return Bound::either(a.bound, b.bound);
  default:
    return 1;
  }
}

Bound ArgumentLimits::ofFormula(const PlanFormula &formula) const {
  constexpr double kResident = 0x1p16, kUnknown = 0x1p80;
  std::vector<std::string> all = names;
  all.push_back("ws");
  Expression expression;
  if (!formula.bind(all, expression).empty())
    return kUnknown;
  std::vector<Entry> stack;
  for (const Expression::Step &step : expression.steps()) {
    if (step.op == Expression::Op::skipIfZero ||
        step.op == Expression::Op::skipIfNonZero)
      continue;
    Entry b;
    if (step.source == Expression::Source::stack) {
      b = stack.back();
      stack.pop_back();
    } else if (step.source == Expression::Source::constant) {
      b.constant = step.value;
      b.bound = std::abs(double(step.value));
    } else if (step.source == Expression::Source::resident) {
      b.bound = kResident;
    } else {
      b.bound = size_t(step.value) < names.size()
                    ? Bound::ofArgument(step.value)
                    : Bound(kUnknown);
    }
    if (step.op == Expression::Op::push || step.op == Expression::Op::negate) {
      stack.push_back(b);
      continue;
    }
    // batch / max(heads, 1)
    bool isOuter = step.op == Expression::Op::div &&
                   stack.back().bound.terms == ofArgument("batch").terms &&
                   b.bound.terms == Bound::either(ofArgument("heads"), 1).terms;
    Bound result = isOuter ? Bound::ofArgument(outerBatches())
                           : apply(step.op, stack.back(), b, *this);
    stack.back() = {std::move(result), std::nullopt};
  }
  return stack.back().bound;
}

/// The parts of `guard` that are joined by &&.
static std::vector<llvm::StringRef> conditionsOf(llvm::StringRef guard) {
  std::vector<llvm::StringRef> parts;
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < guard.size(); ++i) {
    depth += guard[i] == '(';
    depth -= guard[i] == ')';
    if (depth || !guard.substr(i).starts_with("&&"))
      continue;
    parts.push_back(guard.slice(from, i));
    from = i + 2;
  }
  parts.push_back(guard.substr(from));
  // A part with || at its top level guarantees nothing.
  bool hasChoice = llvm::any_of(parts, [](llvm::StringRef part) {
    int depth = 0;
    for (size_t i = 0; i < part.size(); ++i) {
      depth += part[i] == '(';
      depth -= part[i] == ')';
      if (!depth && part.substr(i).starts_with("||"))
        return true;
    }
    return false;
  });
  return hasChoice ? std::vector<llvm::StringRef>() : parts;
}

/// If `formula`, a sum of products of arguments and of quotients of them that are
/// rounded up, is at most `limit`, so is each of its terms.
void ArgumentLimits::limit(const PlanFormula &formula, double limit) {
  // The number of outer batches counts as an argument.
  constexpr llvm::StringRef kOuter = "batch / max(heads, 1)";
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(formula.str()).split(parts, kOuter);
  for (llvm::StringRef part : parts)
    if (part.find_first_of("-%|&=<>/") != llvm::StringRef::npos ||
        part.contains("max") || part.contains("resident"))
      return;
  for (const auto &[product, coefficient] : ofFormula(formula).terms)
    if (product.size() == 1 && product.front() < names.size())
      max[product.front()] =
          std::min(max[product.front()], limit / coefficient);
    else if (!product.empty())
      products.push_back({product, limit / coefficient});
}

/// `products < number`.
void ArgumentLimits::readGuard(llvm::StringRef guard) {
  for (llvm::StringRef condition : conditionsOf(guard)) {
    auto [left, right] = condition.split(" < ");
    int64_t number;
    if (!right.trim().getAsInteger(10, number) && number > 0 &&
        !left.contains("min"))
      limit(left.str(), double(number));
  }
}
