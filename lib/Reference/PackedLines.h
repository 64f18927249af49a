//===- PackedLines.h - Packed operands of the reference ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_REFERENCE_PACKEDLINES_H
#define HONE_LIB_REFERENCE_PACKEDLINES_H

#include "hone/Numerics/ErrorBound.h"
#include "hone/Reference/ReferenceProducts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <memory>
#include <vector>

namespace hone::detail {

/// Lines that are multiplied at once: rows of a, columns of b.
inline constexpr int64_t kRows = 4, kCols = 8;

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

/// A row of a, or a column of b, with the data for its sums.
struct Line {
  double norm = 0;     ///< root of the sum of squares
  double relative = 0; ///< relative error, if errors have one sign
  bool isExact = true; ///< integers without errors
  bool hasErrors = false;
  bool hasNaN = false; ///< so all its sums are NaN
};

/// The layout of packed lines: in groups, step by step.
struct Packing {
  int64_t width;       ///< lines of a group
  int64_t group, step; ///< elements from one to the next

  int64_t at(int64_t line, int64_t step) const {
    return line / width * group + step * this->step + line % width;
  }
};

/// Each step has all lines: rows of b.
inline Packing inLines(int64_t lines) {
  return {kCols, kCols, int64_t(llvm::alignTo(lines, kCols))};
}

/// One matrix of a batch, packed.
class Packed {
public:
  Packed(int64_t lines, int64_t depth) : depth(depth), lines(lines) {}

  void packValues(const Pair *data, const Packing &packing,
                  llvm::ArrayRef<int64_t> lineOffsets,
                  llvm::ArrayRef<int64_t> stepOffsets);
  /// Packs the data for errors, of the same elements.
  void packErrors(const Pair *data, const Packing &packing,
                  llvm::ArrayRef<int64_t> lineOffsets,
                  llvm::ArrayRef<int64_t> stepOffsets, ErrorSum sum);

  bool hasErrors() const {
    return llvm::any_of(summaries, [](const Line &l) { return l.hasErrors; });
  }

  int64_t depth, lines;
  std::unique_ptr<double[]> values;
  /// Squared if errors are independent; null until packed.
  std::unique_ptr<float[]> sizes, errors;
  std::vector<Line> summaries;

private:
  template <typename Visit>
  void visitLines(const Packing &packing, Visit visit) const;
};

} // namespace hone::detail

#endif // HONE_LIB_REFERENCE_PACKEDLINES_H
