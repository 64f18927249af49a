//===- ProductEngine.cpp - Engine for reference products ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bound of the check: each of the n additions in C * x and A * (B * x)
// rounds a partial sum, which is at most the sum of all magnitudes. The
// roundings form a random walk: together they are about the root of n of them,
// and chance does not reach eight times that.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/ProductEngine.h"
#include "hone/Measure/GpuProduct.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Parallel.h"
#include <cmath>
#include <vector>

using namespace hone;
using Term = ProductEngine::Term;

static gpucheck::Matrix ofHost(const void *data, int64_t rows, int64_t cols,
                               int64_t lead, gpucheck::i64 type) {
  return {const_cast<void *>(data), 0, 1, rows, cols, 0, lead, 1, type};
}

gpucheck::Matrix hone::hostMatrix(const double *data, int64_t rows,
                                  int64_t cols, int64_t lead) {
  return ofHost(data, rows, cols, lead, gpucheck::kF64);
}

gpucheck::Matrix hone::hostMatrix(const float *data, int64_t rows, int64_t cols,
                                  int64_t lead) {
  return ofHost(data, rows, cols, lead, gpucheck::kF32);
}

namespace {
/// One number per vector: its sum, and its sum of magnitudes.
struct Projected {
  static constexpr int kVectors = 2;
  double signedSums[kVectors] = {}, size = 0;

  void add(double factor, const Projected &other) {
    for (int i = 0; i < kVectors; ++i)
      signedSums[i] += factor * other.signedSums[i];
    size += std::fabs(factor) * other.size;
  }
};
using Projection = std::vector<Projected>;
} // namespace

/// Draws the vectors, by element.
static Projection drawVectors(int64_t count) {
  constexpr uint64_t kSeed = 20;
  Projection x(count);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = gpucheck::hash(i, kSeed);
    for (double &sign : x[i].signedSums) {
      sign = bits & 1 ? 1 : -1;
      bits >>= 1;
    }
    x[i].size = 1;
  }
  return x;
}

template <typename Real>
static Projected projectRow(const gpucheck::Matrix &matrix, int64_t row,
                            const Projection &x) {
  const Real *line =
      static_cast<const Real *>(matrix.data) + row * matrix.rowStride;
  Projected sum;
  for (int64_t col = 0; col < matrix.cols; ++col)
    sum.add(line[col], x[col]);
  return sum;
}

/// Adds matrix * x.
static void project(const gpucheck::Matrix &matrix, const Projection &x,
                    Projection &to) {
  llvm::parallelFor(0, matrix.rows, [&](size_t row) {
    to[row].add(1, matrix.type == gpucheck::kF64
                       ? projectRow<double>(matrix, row, x)
                       : projectRow<float>(matrix, row, x));
  });
}

llvm::Error hone::multiplyChecked(ProductEngine &engine,
                                  llvm::ArrayRef<Term> terms, double *c) {
  if (llvm::Error error = engine.multiply(terms, c))
    return error;
  int64_t rows = terms.front().a.rows, cols = terms.front().b.cols;
  Projection x = drawVectors(cols), expected(rows), got(rows);
  int64_t additions = cols;
  for (const Term &term : terms) {
    Projection right(term.b.rows);
    project(term.b, x, right);
    project(term.a, right, expected);
    additions += cols + 2 * term.b.rows;
  }
  project(hostMatrix(c, rows, cols, cols), x, got);
  int64_t wrong = 0;
  constexpr double kDeviations = 8;
  double bound = kDeviations * std::sqrt(double(additions)) * 0x1p-53;
  for (int64_t row = 0; row < rows; ++row)
    for (int i = 0; i < Projected::kVectors; ++i) {
      double off =
          std::fabs(got[row].signedSums[i] - expected[row].signedSums[i]);
      wrong += !(off <= bound * expected[row].size);
    }
  if (wrong == 0)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("{0} of {1} sums over its rows differ from those of its "
                    "operands' product",
                    wrong, rows * Projected::kVectors));
}
