//===- ReferenceSums.cpp - Sums of the reference in f64 -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceSums.h"
#include "WideVectors.h"
#include <algorithm>
#include <cmath>

using namespace hone;
using namespace hone::simulate;

/// Sums of products, and of their squares, of `kCols` columns: in registers.
template <int64_t kCols>
LLVM_ATTRIBUTE_ALWAYS_INLINE static void
sumColumns(const double *a, const double *b, int64_t depth, int64_t cols,
           double *sums, double *squares) {
  double sum[kCols] = {}, square[kCols] = {};
  for (int64_t k = 0; k < depth; ++k, b += cols)
    for (int64_t i = 0; i < kCols; ++i) {
      double term = a[k] * b[i];
      sum[i] += term;
      square[i] += term * term;
    }
  std::copy_n(sum, kCols, sums);
  std::copy_n(square, kCols, squares);
}

HONE_WIDE_VECTORS static void sumAllColumns(const double *a, const double *b,
                                            int64_t depth, int64_t cols,
                                            double *sums, double *squares) {
  constexpr int64_t kWide = 16, kNarrow = 4;
  int64_t col = 0;
  for (; col + kWide <= cols; col += kWide)
    sumColumns<kWide>(a, b + col, depth, cols, sums + col, squares + col);
  for (; col + kNarrow <= cols; col += kNarrow)
    sumColumns<kNarrow>(a, b + col, depth, cols, sums + col, squares + col);
  for (; col < cols; ++col)
    sumColumns<1>(a, b + col, depth, cols, sums + col, squares + col);
}

std::vector<Inexact<double>>
simulate::sumsOfRow(const Problem &problem, const double *a,
                    llvm::ArrayRef<double> b, int64_t depth, int64_t cols,
                    llvm::function_ref<double(int64_t)> before) {
  std::vector<double> sums(cols), squares(cols);
  sumAllColumns(a, b.data(), depth, cols, sums.data(), squares.data());
  std::vector<Inexact<double>> inexact(cols);
  for (int64_t i = 0; i < cols; ++i) {
    double sum = sums[i], terms = double(depth);
    if (problem.init == Init::read)
      sum += before(i);
    if (isInteger(problem.acc)) // Sums of integers wrap around.
      inexact[i] = {double(int32_t(int64_t(sum))), 0};
    else
      inexact[i] = {sum, errorOfSum(sum, std::sqrt(terms * squares[i]), terms,
                                    problem.products)};
  }
  return inexact;
}

void simulate::keepSegment(llvm::ArrayRef<int32_t> ends, int64_t segment,
                           int64_t cols, std::vector<double> &b) {
  int64_t depth = int64_t(b.size()) / cols, first = 0, end = 0;
  for (int32_t each : ends.take_front(segment + 1)) {
    first = end;
    end = std::min(std::max<int64_t>(each, first), depth);
  }
  std::fill(b.begin(), b.begin() + first * cols, 0);
  std::fill(b.begin() + end * cols, b.end(), 0);
}
