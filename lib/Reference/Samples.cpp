//===- Samples.cpp - Sampled reference of a large product -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sample `i` is in row i of the result, modulo the number of rows; its column
// advances by a fraction that covers all columns evenly.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Samples.h"
#include "hone/Numerics/ErrorBound.h"
#include "hone/Numerics/Projection.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace hone;

/// A sum with its error: exact if all of its partial sums are integers that f32
/// represents exactly.
static Inexact<double> dotProduct(const Signature &signature,
                                  const PlainProduct &product,
                                  llvm::ArrayRef<Values> data, int64_t row,
                                  int64_t col) {
  const Argument &a = signature.arguments[product.a];
  const Argument &b = signature.arguments[product.b];
  double sum = 0, sizes = 0, squares = 0;
  bool isWhole = true;
  // Factors may be rounded to fewer bits when read.
  double largest = largestExactFactor(product.products);
  auto isRead = [&](double factor) {
    return std::isinf(largest) ||
           (factor == std::nearbyint(factor) && std::abs(factor) <= largest);
  };
  for (int64_t k = 0; k < product.k; ++k) {
    int64_t atA = row * a.strides[product.colA] + k * a.strides[!product.colA];
    int64_t atB = k * b.strides[product.colB] + col * b.strides[!product.colB];
    double x = data[product.a][atA], y = data[product.b][atB], term = x * y;
    sum += term;
    sizes += std::abs(term);
    squares += term * term;
    isWhole &= term == std::nearbyint(term) && isRead(x) && isRead(y);
  }
  double k = double(product.k);
  bool isExact = isWhole && sizes <= largestExactSum(product.products);
  return roundInto<double>(
      product.type, {sum, isExact ? 0
                                  : errorOfSum(sum, std::sqrt(k * squares), k,
                                               product.products)});
}

/// Reduces `got`'s result to the sampled elements, and returns their
/// references.
static Outcome sampleProduct(const Signature &signature,
                             const PlainProduct &product,
                             llvm::ArrayRef<Values> data, Outcome &got) {
  constexpr int64_t kMin = 4096;
  constexpr double kGoldenRatio = 0.6180339887498949;
  int64_t count = std::max({kMin, product.m, product.n});
  Outcome::Array &result = got.arrays.front();
  Outcome::Array reference = {
      result.name + " (sampled)", result.element, {count}, {}, {}, {}};
  Values kept;
  for (int64_t i = 0; i < count; ++i) {
    double turn = i * kGoldenRatio;
    int64_t row = i % product.m;
    int64_t col = int64_t((turn - std::floor(turn)) * product.n);
    Inexact<double> sum = dotProduct(signature, product, data, row, col);
    reference.elements.push_back(sum.value);
    reference.errors.push_back(sum.error);
    kept.push_back(result.elements[row * product.n + col]);
  }
  got.arrays = {
      {reference.name, result.element, {count}, std::move(kept), {}, {}}};
  Outcome outcome;
  outcome.arrays.push_back(std::move(reference));
  return outcome;
}

static ProjectionFindings projectProduct(const Signature &signature,
                                         const PlainProduct &product,
                                         llvm::ArrayRef<Values> data,
                                         const Outcome &got) {
  auto view = [&](size_t number, bool isTurned, int64_t rows, int64_t cols) {
    llvm::ArrayRef<int64_t> strides = signature.arguments[number].strides;
    return MatrixView{data[number].data(), rows, cols, strides[isTurned],
                      strides[!isTurned]};
  };
  const Outcome::Array &c = got.arrays.front();
  ProjectionOptions options;
  options.products = product.products;
  return checkByProjection(
      view(product.a, product.colA, product.m, product.k),
      view(product.b, product.colB, product.k, product.n),
      {c.elements.data(), product.m, product.n, product.n, 1}, c.element.type,
      options);
}

llvm::Expected<Comparison> hone::checkLargeProduct(const Signature &signature,
                                                   const PlainProduct &product,
                                                   llvm::ArrayRef<Values> data,
                                                   Outcome &got) {
  ProjectionFindings found = projectProduct(signature, product, data, got);
  Outcome samples = sampleProduct(signature, product, data, got);
  auto comparison = compare(got, samples);
  if (!comparison || !found.wrong)
    return comparison;
  if (!comparison->wrong)
    comparison->firstWrong = llvm::formatv(
        "expected a correct product, but {0} of {1} sums over its columns "
        "are wrong, the first in row {2}, columns {3} to {4}",
        found.wrong, found.sums, found.row, found.column,
        std::min(found.column + found.width, product.n) - 1);
  comparison->wrong += found.wrong;
  comparison->worst = std::max(comparison->worst, found.worst);
  return comparison;
}
