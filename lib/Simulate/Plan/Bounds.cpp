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
#include <cmath>

using namespace hone;
using namespace hone::simulate;

PlanFormula simulate::formulaOf(mlir::Value value, const KernelLaunch &launch) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  bool isParam = argument && llvm::isa<mlir::gpu::GPUFuncOp>(
                                 argument.getOwner()->getParentOp());
  return isParam ? launch.params[argument.getArgNumber()].value : PlanFormula();
}

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
    bool isExtent = llvm::is_contained({"m", "n", "k", "ma", "batch", "heads",
                                        "groups", "images", "channels", "taps",
                                        "outh", "outw", "filterw"},
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
  readGuard(alternative.guard);
  constexpr double kBytes = 0x1p36;
  if (!alternative.workspaceBytes.empty())
    limit(alternative.workspaceBytes, kBytes, /*mayHaveMin=*/true);
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

/// The bound of `a op b` for operands that are not negative.
static Bound apply(Expression::Op op, const Bound &a, const Bound &b,
                   std::optional<int64_t> known, const ArgumentLimits &limits) {
  double divisor = std::max<double>(known.value_or(1), 1);
  switch (op) {
  case Expression::Op::add:
    return a + b;
  case Expression::Op::sub:
    return a;
  case Expression::Op::mul:
    return a * b;
  case Expression::Op::div:
    return a * (1 / divisor);
  case Expression::Op::ceildiv:
    return known ? a * (1 / divisor) + Bound(1) : a;
  case Expression::Op::mod:
  case Expression::Op::min:
    return limits.smaller(a, b);
  case Expression::Op::max:
    return Bound::either(a, b);
  case Expression::Op::orElse: {
    constexpr double kResident = 0x1p16;
    return limits.smaller(Bound::either(a, kResident), b);
  }
  default:
    return 1;
  }
}

/// True for batch / max(heads, 1).
static bool isOuterBatches(const PlanFormula &formula) {
  PlanFormula divisor = formula.right();
  return formula.op() == Expression::Op::div &&
         formula.left().name() == "batch" &&
         divisor.op() == Expression::Op::max &&
         divisor.left().name() == "heads" && divisor.right().isNumber(1);
}

Bound ArgumentLimits::ofFormula(const PlanFormula &formula) const {
  if (std::optional<int64_t> number = formula.number())
    return std::abs(double(*number));
  if (isOuterBatches(formula))
    return Bound::ofArgument(outerBatches());
  if (formula.op() == Expression::Op::push) {
    constexpr double kUnknown = 0x1p80;
    auto found = llvm::find(names, formula.name());
    return found == names.end() ? Bound(kUnknown)
                                : Bound::ofArgument(found - names.begin());
  }
  PlanFormula right = formula.right();
  Bound bound = ofFormula(right);
  return formula.op() == Expression::Op::negate
             ? bound
             : apply(formula.op(), ofFormula(formula.left()), bound,
                     right.number(), *this);
}

/// True for a sum of products of arguments and of quotients of them that are
/// rounded up.
static bool isSumOfProducts(const PlanFormula &formula, bool mayHaveMin) {
  switch (formula.op()) {
  case Expression::Op::push:
    return true;
  case Expression::Op::div:
    return isOuterBatches(formula);
  case Expression::Op::min:
    if (!mayHaveMin)
      return false;
    [[fallthrough]];
  case Expression::Op::add:
  case Expression::Op::mul:
  case Expression::Op::ceildiv:
    return isSumOfProducts(formula.left(), mayHaveMin) &&
           isSumOfProducts(formula.right(), mayHaveMin);
  default:
    return false;
  }
}

/// If a sum of products is at most `limit`, so is each of its terms.
void ArgumentLimits::limit(const PlanFormula &formula, double limit,
                           bool mayHaveMin) {
  if (!isSumOfProducts(formula, mayHaveMin))
    return;
  for (const auto &[product, coefficient] : ofFormula(formula).terms)
    if (product.size() == 1 && product.front() < names.size())
      max[product.front()] =
          std::min(max[product.front()], limit / coefficient);
    else if (!product.empty())
      products.push_back({product, limit / coefficient});
}

/// `products < number`.
void ArgumentLimits::readGuard(const PlanFormula &guard) {
  for (const PlanFormula &condition : conjuncts(guard))
    if (condition.op() == Expression::Op::lt)
      if (auto number = condition.right().number(); number.value_or(0) > 0)
        limit(condition.left(), double(*number), /*mayHaveMin=*/false);
}
