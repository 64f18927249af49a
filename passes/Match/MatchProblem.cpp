//===- MatchProblem.cpp - Problem of a contraction ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the problem that is known before there is a matmul: types,
// orders and extents; and the time that a GPU needs for it, to choose between
// batches and copies.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "passes/Match/Match.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace hone;
using namespace hone::match;

ElementType match::elementTypeOf(Value value) {
  // The analysis has accepted only these types.
  return *toFactorType(getElementTypeOrSelf(value.getType()));
}

bool match::stateNumbers(Operation *root, const Numbers &numbers) {
  bool isChanged = false;
  if (!numbers.isDefault())
    root->walk([&](MatmulOp op) {
      if (op.getNumbersAttr())
        return;
      op.setNumbersAttr(NumbersAttr::get(op.getContext(), numbers));
      isChanged = true;
    });
  return isChanged;
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
  if (std::optional<Image> image = imageOf(contraction.a.value)) {
    auto type = cast<ShapedType>(image->value.getType());
    problem.a.access = imageAccess(type, image->window);
    problem.a.align = pixelAlignment(type);
  }
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

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static double copyCost(double elements, Type type) {
  // Microseconds of a launch, and bytes in a microsecond: reads and writes.
  constexpr double kLaunch = 3, kBytes = 1.5e6;
  return kLaunch + 2 * elements * type.getIntOrFloatBitWidth() / 8 / kBytes;
}

/// The extents of batches, outermost first, as doubles.
static SmallVector<double> batchesOf(const Contraction &contraction,
                                     std::map<char, int64_t> &extents) {
  SmallVector<double> batches;
  for (char letter : kBatchLetters)
    if (StringRef(contraction.c.letters).contains(letter))
      batches.push_back(extents[letter]);
  return batches;
}

bool match::repeatsFactors(const Contraction &contraction) {
  SmallVector<char> batches;
  for (char letter : kBatchLetters)
    if (StringRef(contraction.c.letters).contains(letter))
      batches.push_back(letter);
  return batches.size() > kKernelBatches ||
         llvm::any_of(batches, [&](char letter) {
           return !StringRef(contraction.a.letters).contains(letter) ||
                  !StringRef(contraction.b.letters).contains(letter);
         });
}

std::optional<double> match::costOf(const Contraction &contraction) {
  std::map<char, int64_t> extents;
  for (const View *view : {&contraction.a, &contraction.b, &contraction.c})
    addExtents(*view, extents);
  for (auto [letter, extent] : extents)
    if (extent == kDynamic)
      return std::nullopt;
  // An H200, by microseconds: of a launch, of a tile of one processor, products
  // and bytes.
  constexpr double kLaunch = 3, kTile = 1. / 132, kProducts = 2e8, kBytes = 3e6;
  SmallVector<double> batches = batchesOf(contraction, extents);
  double all = 1, launches = 1, copies = 0;
  for (auto [number, batch] : llvm::enumerate(batches)) {
    all *= batch;
    if (number + kKernelBatches < batches.size())
      launches *= batch;
  }
  double m = extents['m'], n = extents['n'], k = extents['k'];
  auto padded = [](double rows, double columns) {
    return 64 * std::ceil(rows / 64) * 16 * std::ceil(columns / 16);
  };
  double tile = std::min(padded(m, n), padded(n, m));
  double bytes = 0;
  Type type = getElementTypeOrSelf(contraction.a.value);
  for (double elements : {m * k, k * n, m * n})
    bytes += elements * type.getIntOrFloatBitWidth() / 8;
  double each = std::max(tile * k / kProducts, bytes / kBytes) +
                kTile * std::ceil(m / 128) * std::ceil(n / 128);
  for (const View *view : {&contraction.a, &contraction.b}) {
    auto type = cast<ShapedType>(view->value.getType());
    if (!isIdentityPermutation(view->permutation))
      copies += copyCost(type.getNumElements(), type.getElementType());
  }
  return launches * kLaunch + all * each + copies;
}

/// The best reading of `op`.
static FailureOr<Contraction> readingOf(linalg::LinalgOp op) {
  std::string why;
  return analyze(op, /*mayConvert=*/true, /*mayCopy=*/true, why);
}

std::optional<double> match::costInPlace(linalg::LinalgOp op) {
  FailureOr<Contraction> inPlace = readingOf(op);
  return succeeded(inPlace) && repeatsFactors(*inPlace) ? costOf(*inPlace)
                                                        : std::nullopt;
}

std::optional<double> match::costOf(const Regrouped &regrouped) {
  FailureOr<Contraction> contraction = readingOf(regrouped.op);
  auto type = cast<RankedTensorType>(regrouped.after.getType());
  if (failed(contraction) || !type.hasStaticShape())
    return std::nullopt;
  std::optional<double> cost = costOf(*contraction);
  if (cost)
    *cost += copyCost(type.getNumElements(), type.getElementType());
  return cost;
}
