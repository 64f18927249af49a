//===- PackedLines.cpp - Packed operands of the reference -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PackedLines.h.
//
//===----------------------------------------------------------------------===//

#include "PackedLines.h"
#include "llvm/Support/Parallel.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;

/// The lines of a group share written memory. Lines past the end of the last
/// group do not exist, and have no offset.
template <typename Visit>
void Packed::visitLines(const Packing &packing, Visit visit) const {
  llvm::parallelFor(0, llvm::divideCeil(lines, packing.width),
                    [&](size_t group) {
                      for (int64_t i = 0; i < packing.width; ++i)
                        visit(int64_t(group) * packing.width + i);
                    });
}

void Packed::packValues(const Pair *data, const Packing &packing,
                        llvm::ArrayRef<int64_t> lineOffsets,
                        llvm::ArrayRef<int64_t> stepOffsets) {
  int64_t padded = llvm::alignTo(lines, packing.width);
  values.reset(new double[padded * depth]);
  summaries.assign(padded, Line());
  visitLines(packing, [&](int64_t line) {
    Line &summary = summaries[line];
    double squares = 0, errorSquares = 0;
    for (auto [step, offset] : llvm::enumerate(stepOffsets)) {
      auto [value, error] =
          line < lines ? data[lineOffsets[line] + offset] : Pair{0, 0};
      values[packing.at(line, step)] = value;
      squares += value * value;
      errorSquares += error * error;
      summary.isExact &= error == 0 && value == std::nearbyint(value);
      summary.hasErrors |= error != 0;
      summary.hasNaN |= std::isnan(value) && error == 0;
    }
    summary.norm = std::sqrt(squares);
    summary.relative = squares > 0 ? std::sqrt(errorSquares / squares) : 0;
  });
}

void Packed::packErrors(const Pair *data, const Packing &packing,
                        llvm::ArrayRef<int64_t> lineOffsets,
                        llvm::ArrayRef<int64_t> stepOffsets, ErrorSum sum) {
  int64_t padded = llvm::alignTo(lines, packing.width);
  sizes.reset(new float[padded * depth]);
  errors.reset(new float[padded * depth]);
  visitLines(packing, [&](int64_t line) {
    for (auto [step, offset] : llvm::enumerate(stepOffsets)) {
      auto [value, error] =
          line < lines ? data[lineOffsets[line] + offset] : Pair{0, 0};
      int64_t index = packing.at(line, step);
      double size = std::abs(value);
      bool isIndependent = sum == ErrorSum::independent;
      sizes[index] = isIndependent ? size * size : size + error;
      errors[index] = isIndependent ? error * error : error;
    }
  });
}
