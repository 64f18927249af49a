//===- ReferenceProducts.cpp - Contractions of the reference --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a and panels of eight columns of b are packed: values in f64, and
// data for errors in f32, because an error needs only a digit or two. Blocks of
// rows are distributed to the processors; a block of K stays in the first-level
// cache. An engine gets whole rows of both; the sums are handled in the same
// way.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/ReferenceProducts.h"
#include "PackedLines.h"
#include "hone/Numerics/ErrorBound.h"
#include "hone/Text/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

using namespace hone;
using namespace hone::detail;

// Several versions for different instruction sets, selected at program start.
#if defined(__x86_64__) && defined(__linux__)
#define HONE_FOR_EVERY_CPU                                                     \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define HONE_FOR_EVERY_CPU
#endif

static constexpr int64_t kDepth = 512, kBlockRows = 64;

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

/// The same for the two products whose sum gives the errors.
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
    return loop.a.dim < 0   ? column
           : loop.b.dim < 0 ? row
           : loop.c.dim < 0 ? step
                            : batch;
  }
  int64_t extentOf(const ReferenceProduct::Loop &loop) const {
    return loop.a.isWhole   ? a.size(loop.a.dim)
           : loop.b.isWhole ? b.size(loop.b.dim)
                            : c.size(loop.c.dim);
  }
  /// The offsets of the elements of `view` along the loops of `kind`.
  std::vector<int64_t>
  offsets(Kind kind, const View &view,
          ReferenceProduct::Index ReferenceProduct::Loop::*operand) const;
  void pack(const Pair *fromA, const Pair *fromB, const Packing &packing);
  bool multiplyElsewhere(Pair *to);
  void multiplyHere(Pair *to, Progress &progress);
  void multiplyBlock(int64_t first, int64_t last, Pair *to);
  void multiplyRows(int64_t line, int64_t panel, double *sums, float *errors);
  void store(int64_t line, int64_t col, double sum, float error, Pair *to);

  const ReferenceProduct &product;
  View a, b, c;
  std::vector<int64_t> rowsA, stepsA, colsB, stepsB, rowsC, colsC;
  Packed left, right;
  Packing inRows, inPanels;
  bool hasErrors = false;
  ProductEngine *engine = nullptr;
};
} // namespace

std::vector<int64_t> Multiplication::offsets(
    Kind kind, const View &view,
    ReferenceProduct::Index ReferenceProduct::Loop::*operand) const {
  std::vector<int64_t> result = {0};
  for (const ReferenceProduct::Loop &loop : product.loops) {
    if (kindOf(loop) != kind)
      continue;
    int64_t extent = extentOf(loop);
    int64_t stride = view.stride((loop.*operand).dim) * (loop.*operand).step;
    std::vector<int64_t> next;
    for (int64_t offset : result)
      for (int64_t i = 0; i < extent; ++i)
        next.push_back(offset + i * stride);
    result = std::move(next);
  }
  return result;
}

Multiplication::Multiplication(const ReferenceProduct &product, View a, View b,
                               View c)
    : product(product), a(a), b(b), c(c),
      rowsA(offsets(row, a, &ReferenceProduct::Loop::a)),
      stepsA(offsets(step, a, &ReferenceProduct::Loop::a)),
      colsB(offsets(column, b, &ReferenceProduct::Loop::b)),
      stepsB(offsets(step, b, &ReferenceProduct::Loop::b)),
      rowsC(offsets(row, c, &ReferenceProduct::Loop::c)),
      colsC(offsets(column, c, &ReferenceProduct::Loop::c)),
      left(rowsC.size(), stepsA.size()), right(colsC.size(), stepsB.size()),
      inRows{1, left.depth, 1}, inPanels{kCols, kCols * right.depth, kCols} {
  double macs = double(left.lines) * left.depth * right.lines;
  if (product.engine && product.engine->takes(macs))
    engine = product.engine;
}

/// Stores the sum, with the error from the operands and from rounding.
void Multiplication::store(int64_t line, int64_t col, double sum, float error,
                           Pair *to) {
  const Line &x = left.summaries[line], &y = right.summaries[col];
  if (x.hasNaN || y.hasNaN) {
    *to = {std::numeric_limits<double>::quiet_NaN(), 0};
    return;
  }
  Pair result = {to->value + sum, 0};
  double norms = x.norm * y.norm;
  double inherited = error, shared = x.relative + y.relative;
  if (product.errors == ErrorSum::independent)
    inherited = std::sqrt(error) + (shared > 0 ? shared * std::abs(sum) : 0);
  // No partial sum exceeds the product of the norms, so all are integers that
  // f32 represents exactly.
  bool isExact =
      x.isExact && y.isExact &&
      std::max(x.norm, y.norm) <= largestExactFactor(product.products) &&
      to->error == 0 && to->value == std::nearbyint(to->value) &&
      norms + std::abs(to->value) <= largestExactSum(product.products);
  if (!isExact)
    result.error =
        to->error +
        std::hypot(inherited, errorOfSum(result.value, norms,
                                         double(left.depth), product.products));
  result = settle(result, to->error + inherited);
  *to = product.decisions == Decisions::turned
            ? overflowInto(product.type, result)
            : roundInto(product.type, result);
}

void Multiplication::multiplyRows(int64_t line, int64_t panel, double *sums,
                                  float *errors) {
  int64_t depth = left.depth;
  for (int64_t k = 0; k < depth; k += kDepth) {
    int64_t at[kRows], count = std::min(kDepth, depth - k);
    const double *values[kRows];
    for (int64_t i = 0; i < kRows; ++i) {
      at[i] = inRows.at(std::min(line + i, left.lines - 1), k);
      values[i] = &left.values[at[i]];
    }
    int64_t atRight = inPanels.at(panel, k);
    multiplyTile(values, &right.values[atRight], count, sums);
    if (!hasErrors)
      continue;
    const float *sizesOf[kRows], *errorsOf[kRows];
    for (int64_t i = 0; i < kRows; ++i) {
      sizesOf[i] = &left.sizes[at[i]];
      errorsOf[i] = &left.errors[at[i]];
    }
    multiplyErrors(sizesOf, errorsOf, &right.sizes[atRight],
                   &right.errors[atRight], count, errors);
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

/// A slab is the unit of progress reports, and large enough for many
/// processors.
static constexpr int64_t kSlabRows = 16 * kBlockRows;

void Multiplication::multiplyHere(Pair *to, Progress &progress) {
  for (int64_t slab = 0; slab < left.lines; slab += kSlabRows) {
    progress.step("reference of a product");
    int64_t end = std::min(slab + kSlabRows, left.lines);
    llvm::parallelFor(
        0, llvm::divideCeil(end - slab, kBlockRows), [&](size_t block) {
          int64_t first = slab + int64_t(block) * kBlockRows;
          multiplyBlock(first, std::min(first + kBlockRows, end), to);
        });
  }
}

/// Returns false after printing the reason if the engine failed.
bool Multiplication::multiplyElsewhere(Pair *to) {
  int64_t m = left.lines, n = right.lines, k = left.depth;
  int64_t lead = inLines(right.lines).step;
  std::unique_ptr<double[]> sums(new double[m * n]), errors;
  auto ask = [&](llvm::ArrayRef<ProductEngine::Term> terms, double *result) {
    llvm::Error error = multiplyChecked(*engine, terms, result);
    if (!error)
      return true;
    llvm::errs() << "the CPU multiplies for the reference: "
                 << llvm::toString(std::move(error)) << '\n';
    return false;
  };
  if (!ask({{hostMatrix(left.values.get(), m, k, k),
             hostMatrix(right.values.get(), k, n, lead)}},
           sums.get()))
    return false;
  if (hasErrors) {
    errors.reset(new double[m * n]);
    if (!ask({{hostMatrix(left.sizes.get(), m, k, k),
               hostMatrix(right.errors.get(), k, n, lead)},
              {hostMatrix(left.errors.get(), m, k, k),
               hostMatrix(right.sizes.get(), k, n, lead)}},
             errors.get()))
      return false;
  }
  llvm::parallelFor(0, m, [&](size_t line) {
    for (int64_t col = 0; col < n; ++col) {
      int64_t at = int64_t(line) * n + col;
      store(line, col, sums[at], hasErrors ? float(errors[at]) : 0,
            to + rowsC[line] + colsC[col]);
    }
  });
  return true;
}

void Multiplication::pack(const Pair *fromA, const Pair *fromB,
                          const Packing &packing) {
  left.packValues(fromA, inRows, rowsA, stepsA);
  right.packValues(fromB, packing, colsB, stepsB);
  hasErrors = left.hasErrors() || right.hasErrors();
  if (!hasErrors)
    return;
  left.packErrors(fromA, inRows, rowsA, stepsA, product.errors);
  right.packErrors(fromB, packing, colsB, stepsB, product.errors);
}

void Multiplication::run() {
  using Loop = ReferenceProduct::Loop;
  auto batchesA = offsets(batch, a, &Loop::a);
  auto batchesB = offsets(batch, b, &Loop::b);
  auto batchesC = offsets(batch, c, &Loop::c);
  int64_t slabs = llvm::divideCeil(left.lines, kSlabRows);
  Progress progress(slabs * batchesC.size());
  for (auto [atA, atB, atC] : llvm::zip_equal(batchesA, batchesB, batchesC)) {
    if (engine) {
      pack(a.data + atA, b.data + atB, inLines(right.lines));
      if (multiplyElsewhere(c.data + atC))
        continue;
      engine = nullptr;
    }
    pack(a.data + atA, b.data + atB, inPanels);
    multiplyHere(c.data + atC, progress);
  }
}

extern "C" void hone::multiplyForReference(int64_t product, UnrankedPairs *a,
                                           UnrankedPairs *b, UnrankedPairs *c) {
  const auto &which = *reinterpret_cast<const ReferenceProduct *>(product);
  Multiplication(which, View(*a), View(*b), View(*c)).run();
}
