//===- Places.cpp - Elements of C that are nobody else's ------------------===//
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
/// A dimension of C in a guard: how often it steps, and how far.
struct GuardDim {
  std::string count, step;
};
} // namespace

/// True, at run time, if each of `dims` steps over all that those before it
/// reach.
static std::string nestedGuard(llvm::ArrayRef<GuardDim> dims) {
  std::string guard, reached = "n";
  for (const GuardDim &dim : dims) {
    guard += (guard.empty() ? "(" : " && (") + dim.count + " <= 1 || " +
             dim.step + " >= " + reached + ")";
    reached = "(" + dim.count + " - 1) * " + dim.step + " + " + reached;
  }
  return guard;
}

/// Lines are apart if they are nested in some order: matrices that follow each
/// other, or lines of all of them that are interleaved.
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
