//===- Places.cpp - Guard that the elements of C do not overlap -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Places.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Guards/Places.h"
#include <algorithm>
#include <numeric>

using namespace hone;

namespace {
/// A dimension of C in a guard: its number of steps, and their length.
struct GuardDim {
  PlanFormula count, step;
};
} // namespace

static PlanFormula argument(const char *name) {
  return PlanFormula::argument(name);
}

/// True, at run time, if one step of each of `dims` is at least as long as the
/// range that the dimensions before it cover. Conditions are in brackets, which
/// texts have had since the first version.
static PlanFormula nestedGuard(const std::vector<GuardDim> &dims) {
  PlanFormula guard, reached = argument("n");
  for (const auto &[count, step] : dims) {
    guard = both(guard, either(count <= 1, step >= reached).inBrackets());
    reached = (count - 1) * step + reached;
  }
  return guard;
}

/// Lines do not overlap if they are nested in some order: matrices that follow
/// each other, or matrices with interleaved lines.
static PlanFormula anyOrderGuard(const std::vector<GuardDim> &dims) {
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  PlanFormula guard;
  do {
    std::vector<GuardDim> ordered;
    for (size_t dim : order)
      ordered.push_back(dims[dim]);
    PlanFormula nested = nestedGuard(ordered).inBrackets();
    guard = guard.empty() ? nested : either(guard, nested);
  } while (std::next_permutation(order.begin(), order.end()));
  return guard.inBrackets();
}

PlanFormula hone::outerBatches() {
  return argument("batch") / max(argument("heads"), 1);
}

PlanFormula hone::distinctPlaces(size_t batches) {
  auto step = [](const char *name) {
    PlanFormula stride = argument(name);
    return max(stride, 0 - stride);
  };
  GuardDim row = {argument("m"), step("ldc")};
  if (batches == 0)
    return nestedGuard({row});
  if (batches == 1)
    return anyOrderGuard({row, {argument("batch"), step("sc")}});
  return anyOrderGuard(
      {row, {argument("heads"), step("hc")}, {outerBatches(), step("sc")}});
}

PlanFormula hone::withoutDistinctPlaces(const PlanFormula &guard,
                                        size_t batches) {
  std::vector<PlanFormula> conditions = conjuncts(guard);
  if (conditions.back() != distinctPlaces(batches))
    return guard;
  return conditions.size() > 1 ? guard.left() : PlanFormula::one();
}
