//===- Places.cpp - Guard that the elements of C do not overlap -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Places.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Places.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace hone;

namespace {
/// A dimension of C in a guard: its number of steps, and their length.
struct GuardDim {
  std::string count, step;
};
} // namespace

/// True, at run time, if one step of each of `dims` is at least as long as the
/// range that the dimensions before it cover.
static std::string nestedGuard(llvm::ArrayRef<GuardDim> dims) {
  std::string guard, reached = "n";
  for (const GuardDim &dim : dims) {
    guard += (guard.empty() ? "(" : " && (") + dim.count + " <= 1 || " +
             dim.step + " >= " + reached + ")";
    reached = "(" + dim.count + " - 1) * " + dim.step + " + " + reached;
  }
  return guard;
}

/// Lines do not overlap if they are nested in some order: matrices that follow
/// each other, or matrices with interleaved lines.
static std::string anyOrderGuard(llvm::ArrayRef<GuardDim> dims) {
  auto order = llvm::to_vector(llvm::seq(dims.size()));
  std::string guard;
  do {
    auto ordered =
        llvm::map_to_vector(order, [&](size_t dim) { return dims[dim]; });
    guard += (guard.empty() ? "(" : " || (") + nestedGuard(ordered) + ")";
  } while (std::next_permutation(order.begin(), order.end()));
  return "(" + guard + ")";
}

std::string hone::distinctPlaces(size_t batches) {
  auto step = [](const std::string &stride) {
    return "max(" + stride + ", 0 - " + stride + ")";
  };
  GuardDim row = {"m", step("ldc")};
  if (batches == 0)
    return nestedGuard(row);
  if (batches == 1)
    return anyOrderGuard({row, {"batch", step("sc")}});
  return anyOrderGuard(
      {row, {"heads", step("hc")}, {"batch / max(heads, 1)", step("sc")}});
}

std::string hone::withoutDistinctPlaces(const std::string &guard,
                                        size_t batches) {
  std::string places = distinctPlaces(batches);
  if (guard == places)
    return "1";
  llvm::StringRef rest = guard;
  return rest.consume_back(" && " + places) ? rest.str() : guard;
}
