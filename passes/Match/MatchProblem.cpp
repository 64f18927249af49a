//===- MatchProblem.cpp - Problem of a contraction ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the problem that is known before there is a matmul: types,
// orders and extents.
//
//===----------------------------------------------------------------------===//

#include "passes/Match/Match.h"
#include <map>

using namespace mlir;
using namespace hone;
using namespace hone::match;

ElementType match::elementTypeOf(Value value) {
  // The analysis has accepted only these types.
  return *toFactorType(getElementTypeOrSelf(value.getType()));
}

/// The extents of a view's matrix, by letter.
static void addExtents(const View &view, std::map<char, int64_t> &extents) {
  ArrayRef<int64_t> sizes =
      view.cuts.empty() ? cast<ShapedType>(view.value.getType()).getShape()
                        : ArrayRef(view.partExtents);
  for (auto [letter, group] : llvm::zip(view.letters, view.groups)) {
    auto parts = llvm::map_to_vector(group, [&](int64_t dim) {
      return sizes[view.permutation.empty() ? dim : view.permutation[dim]];
    });
    int64_t extent = extentOfAll(parts);
    if (extents.try_emplace(letter, extent).first->second == kDynamic)
      extents[letter] = extent;
  }
}

Problem match::outlineOf(const Contraction &contraction,
                         const Epilogue &epilogue) {
  Problem problem;
  problem.a.type = elementTypeOf(contraction.a.value);
  problem.b.type = elementTypeOf(contraction.b.value);
  // For an operand that is not read transposed, kernels need its order.
  problem.a.order = orderOf(contraction.a.letters, "mk");
  if (std::optional<Image> image = imageOf(contraction.a.value))
    problem.a.access =
        imageAccess(cast<ShapedType>(image->value.getType()), image->window);
  problem.b.order = orderOf(contraction.b.letters, "kn");
  problem.products = contraction.products;
  problem.numbers = contraction.numbers;
  problem.acc = accumulatorOf(problem.a.type);
  problem.c = *toElementType(getElementTypeOrSelf(epilogue.c.value.getType()));
  // The epilogue is not written yet. One that converts could give an integer
  // sum a float C, or a float sum an integer C; use the sum's type.
  if (isInteger(problem.acc) || isInteger(problem.c))
    problem.c = problem.acc;
  std::map<char, int64_t> extents;
  for (const View *view : {&contraction.a, &contraction.b, &epilogue.c})
    addExtents(*view, extents);
  problem.m = extents['m'];
  problem.n = extents['n'];
  problem.k = extents['k'];
  auto hasBatch = [](const View &view) {
    return StringRef(view.letters).find_first_of(kBatchLetters) !=
           StringRef::npos;
  };
  if (!hasBatch(epilogue.c))
    return problem;
  SmallVector<int64_t> batches;
  for (char letter : kBatchLetters)
    if (StringRef(epilogue.c.letters).contains(letter))
      batches.push_back(extents[letter]);
  problem.batch = extentOfAll(batches);
  problem.a.shared = !hasBatch(contraction.a);
  problem.b.shared = !hasBatch(contraction.b);
  return problem;
}
