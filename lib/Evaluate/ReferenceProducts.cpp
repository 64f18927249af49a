//===- ReferenceProducts.cpp - Contractions of the reference --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a and panels of eight columns of b are packed, values in f64 and what
// errors need in f32: an error is wanted to a digit or two. Blocks of rows go
// to the processors; a block of K stays in the first-level cache.
//
//===----------------------------------------------------------------------===//

#include "hone/Evaluate/ReferenceProducts.h"
#include "hone/Measure/ErrorBound.h"
#include "hone/Text/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>
#include <cmath>

using namespace hone;

// The same code for several instruction sets, chosen when the program starts.
#if defined(__x86_64__) && defined(__linux__)
#define HONE_FOR_EVERY_CPU                                                     \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define HONE_FOR_EVERY_CPU
#endif

static constexpr int64_t kRows = 4, kCols = 8, kDepth = 512, kBlockRows = 64;

//===----------------------------------------------------------------------===//
// The innermost loops
//===----------------------------------------------------------------------===//

/// sums += a * b for four rows of a and eight columns of b.
HONE_FOR_EVERY_CPU static void multiplyTile(const double *const *a,
                                            const double *b, int64_t depth,
                                            double *sums) {
  double c[kRows][kCols] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t j = 0; j < kCols; ++j)
        c[i][j] += a[i][k] * b[k * kCols + j];
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kCols; ++j)
      sums[i * kCols + j] += c[i][j];
}

/// The same for the two products whose sum is what errors make.
HONE_FOR_EVERY_CPU static void multiplyErrors(const float *const *size,
                                              const float *const *error,
                                              const float *sizeB,
                                              const float *errorB,
                                              int64_t depth, float *sums) {
  float c[kRows][kCols] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t j = 0; j < kCols; ++j)
        c[i][j] += size[i][k] * errorB[k * kCols + j] +
                   error[i][k] * sizeB[k * kCols + j];
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kCols; ++j)
      sums[i * kCols + j] += c[i][j];
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
using Pair = Inexact<double>;

/// A memref: its first element, and a stride for each dimension.
struct View {
  explicit View(const UnrankedPairs &memref) {
    const int64_t *words = static_cast<const int64_t *>(memref.descriptor);
    data = reinterpret_cast<Pair *>(words[1]) + words[2];
    sizes = {words + 3, size_t(memref.rank)};
    strides = {words + 3 + memref.rank, size_t(memref.rank)};
  }
  int64_t size(int dim) const { return sizes[dim]; }
  int64_t stride(int dim) const { return dim < 0 ? 0 : strides[dim]; }

  Pair *data;
  llvm::ArrayRef<int64_t> sizes, strides;
};

/// A row of a, or a column of b: what its sums need to know.
struct Line {
  double norm = 0;     ///< root of the sum of squares
  double relative = 0; ///< error of the whole, if all of it has the same sign
  bool isExact = true; ///< whole numbers without errors
};

/// One matrix of a batch, packed in groups of `width` lines, element by
/// element of each group.
class Packed {
public:
  Packed(int64_t lines, int64_t depth, int64_t width)
      : width(width), depth(depth), lines(lines) {
    int64_t padded = (lines + width - 1) / width * width;
    values.assign(padded * depth, 0);
    sizes.assign(padded * depth, 0);
    errors.assign(padded * depth, 0);
    summaries.resize(padded);
  }
  void pack(const Pair *data, llvm::ArrayRef<int64_t> lineOffsets,
            llvm::ArrayRef<int64_t> stepOffsets, ErrorSum sum);

  int64_t at(int64_t line, int64_t step) const {
    return line / width * width * depth + step * width + line % width;
  }

  int64_t width, depth, lines;
  std::vector<double> values;
  std::vector<float> sizes, errors; ///< squared where errors are independent
  std::vector<Line> summaries;
  bool hasErrors = false;

private:
  void packLine(int64_t line, const Pair *data,
                llvm::ArrayRef<int64_t> stepOffsets, ErrorSum sum);
};
} // namespace

void Packed::packLine(int64_t line, const Pair *data,
                      llvm::ArrayRef<int64_t> stepOffsets, ErrorSum sum) {
  Line &summary = summaries[line];
  double squares = 0, errorSquares = 0;
  for (auto [step, offset] : llvm::enumerate(stepOffsets)) {
    auto [value, error] = data[offset];
    int64_t index = at(line, step);
    double size = std::abs(value);
    values[index] = value;
    squares += value * value;
    errorSquares += error * error;
    summary.isExact &= error == 0 && value == std::nearbyint(value);
    if (sum == ErrorSum::independent) {
      sizes[index] = size * size;
      errors[index] = error * error;
    } else {
      sizes[index] = size + error;
      errors[index] = error;
    }
  }
  summary.norm = std::sqrt(squares);
  summary.relative = squares > 0 ? std::sqrt(errorSquares / squares) : 0;
}

void Packed::pack(const Pair *data, llvm::ArrayRef<int64_t> lineOffsets,
                  llvm::ArrayRef<int64_t> stepOffsets, ErrorSum sum) {
  llvm::parallelFor(0, lines, [&](size_t line) {
    packLine(line, data + lineOffsets[line], stepOffsets, sum);
  });
  hasErrors = llvm::any_of(errors, [](float error) { return error != 0; });
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

namespace {
class Multiplication {
public:
  Multiplication(const ReferenceProduct &product, View a, View b, View c);
  void run();

private:
  enum Kind { batch, row, column, step };
  static Kind kindOf(const ReferenceProduct::Loop &loop) {
    return loop.a < 0 ? column : loop.b < 0 ? row : loop.c < 0 ? step : batch;
  }
  /// Where the elements of `view` lie along the loops of `kind`.
  std::vector<int64_t> offsets(Kind kind, const View &view,
                               int ReferenceProduct::Loop::*dim) const;
  void multiplyBlock(int64_t first, int64_t last, Pair *to);
  void multiplyRows(int64_t line, int64_t panel, double *sums, float *errors);
  void store(int64_t line, int64_t col, double sum, float error, Pair *to);

  const ReferenceProduct &product;
  View a, b, c;
  std::vector<int64_t> rowsC, colsC;
  Packed left, right;
};
} // namespace

std::vector<int64_t>
Multiplication::offsets(Kind kind, const View &view,
                        int ReferenceProduct::Loop::*dim) const {
  std::vector<int64_t> result = {0};
  for (const ReferenceProduct::Loop &loop : product.loops) {
    if (kindOf(loop) != kind)
      continue;
    int64_t extent = loop.a >= 0 ? a.size(loop.a) : b.size(loop.b);
    std::vector<int64_t> next;
    for (int64_t offset : result)
      for (int64_t i = 0; i < extent; ++i)
        next.push_back(offset + i * view.stride(loop.*dim));
    result = std::move(next);
  }
  return result;
}

Multiplication::Multiplication(const ReferenceProduct &product, View a, View b,
                               View c)
    : product(product), a(a), b(b), c(c),
      rowsC(offsets(row, c, &ReferenceProduct::Loop::c)),
      colsC(offsets(column, c, &ReferenceProduct::Loop::c)),
      left(rowsC.size(), offsets(step, a, &ReferenceProduct::Loop::a).size(),
           1),
      right(colsC.size(), left.depth, kCols) {}

/// The sum, the error that operands and roundings leave, and the store.
void Multiplication::store(int64_t line, int64_t col, double sum, float error,
                           Pair *to) {
  const Line &x = left.summaries[line], &y = right.summaries[col];
  Pair result = {to->value + sum, 0};
  double norms = x.norm * y.norm;
  double inherited = error, shared = x.relative + y.relative;
  if (product.errors == ErrorSum::independent)
    inherited = std::sqrt(error) + (shared > 0 ? shared * std::abs(sum) : 0);
  // No partial sum exceeds the product of the norms, so all are whole numbers
  // that f32 holds.
  bool isExact =
      x.isExact && y.isExact && to->error == 0 &&
      to->value == std::nearbyint(to->value) &&
      norms + std::abs(to->value) <= largestExactInteger(ElementType::f32);
  if (!isExact)
    result.error =
        to->error + std::hypot(inherited, errorOfSum(result.value, norms,
                                                     double(left.depth)));
  *to = roundInto(product.type, settle(result, to->error + inherited));
}

void Multiplication::multiplyRows(int64_t line, int64_t panel, double *sums,
                                  float *errors) {
  int64_t depth = left.depth;
  bool hasErrors = left.hasErrors || right.hasErrors;
  for (int64_t k = 0; k < depth; k += kDepth) {
    const double *values[kRows];
    const float *sizesOf[kRows], *errorsOf[kRows];
    for (int64_t i = 0; i < kRows; ++i) {
      int64_t at = left.at(std::min(line + i, left.lines - 1), k);
      values[i] = &left.values[at];
      sizesOf[i] = &left.sizes[at];
      errorsOf[i] = &left.errors[at];
    }
    int64_t count = std::min(kDepth, depth - k);
    int64_t at = right.at(panel, k);
    multiplyTile(values, &right.values[at], count, sums);
    if (hasErrors)
      multiplyErrors(sizesOf, errorsOf, &right.sizes[at], &right.errors[at],
                     count, errors);
  }
}

void Multiplication::multiplyBlock(int64_t first, int64_t last, Pair *to) {
  for (int64_t panel = 0; panel < right.lines; panel += kCols)
    for (int64_t line = first; line < last; line += kRows) {
      double sums[kRows * kCols] = {};
      float errors[kRows * kCols] = {};
      multiplyRows(line, panel, sums, errors);
      for (int64_t i = 0; i < std::min(kRows, last - line); ++i)
        for (int64_t j = 0; j < std::min(kCols, right.lines - panel); ++j)
          store(line + i, panel + j, sums[i * kCols + j], errors[i * kCols + j],
                to + rowsC[line + i] + colsC[panel + j]);
    }
}

void Multiplication::run() {
  using Loop = ReferenceProduct::Loop;
  auto rowsA = offsets(row, a, &Loop::a), stepsA = offsets(step, a, &Loop::a);
  auto colsB = offsets(column, b, &Loop::b),
       stepsB = offsets(step, b, &Loop::b);
  auto batchesA = offsets(batch, a, &Loop::a);
  auto batchesB = offsets(batch, b, &Loop::b);
  auto batchesC = offsets(batch, c, &Loop::c);
  // A slab is what progress is told by, and enough for many processors.
  constexpr int64_t kSlabBlocks = 16;
  int64_t blocks = (left.lines + kBlockRows - 1) / kBlockRows;
  int64_t slabs = (blocks + kSlabBlocks - 1) / kSlabBlocks;
  Progress progress(slabs * batchesC.size());
  for (auto [atA, atB, atC] : llvm::zip_equal(batchesA, batchesB, batchesC)) {
    left = Packed(left.lines, left.depth, 1);
    right = Packed(right.lines, right.depth, kCols);
    left.pack(a.data + atA, rowsA, stepsA, product.errors);
    right.pack(b.data + atB, colsB, stepsB, product.errors);
    Pair *to = c.data + atC;
    for (int64_t slab = 0; slab < slabs; ++slab) {
      progress.step("reference of a product");
      llvm::parallelFor(
          slab * kSlabBlocks, std::min((slab + 1) * kSlabBlocks, blocks),
          [&](size_t block) {
            int64_t first = block * kBlockRows;
            multiplyBlock(first, std::min(first + kBlockRows, left.lines), to);
          });
    }
  }
}

extern "C" void hone::multiplyForReference(int64_t product, UnrankedPairs *a,
                                           UnrankedPairs *b, UnrankedPairs *c) {
  const auto &which = *reinterpret_cast<const ReferenceProduct *>(product);
  Multiplication(which, View(*a), View(*b), View(*c)).run();
}
