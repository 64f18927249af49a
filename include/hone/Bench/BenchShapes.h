//===- BenchShapes.h - The shapes to time -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A benchmark's shapes come from the command line, from a file, or are a grid:
// every M, N and K of ten extents, sorted by work. A sample takes every Nth of
// them, so that it has the grid's distribution.
//
//   --shapes=512x512x512,64x4096x4096     a list
//   --shapes=@shapes.txt                  a file of them; # starts a comment
//   --shapes=conv:32x56x56x64:128x3x3     a convolution
//   --grid=1000 --sample=6:8              every eighth of the grid, from the
//                                         sixth on
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHSHAPES_H
#define HONE_BENCH_BENCHSHAPES_H

#include "hone/Schedule/Convolution.h"
#include <array>
#include <optional>
#include <vector>

namespace hone {

/// M, N, K
using Extents = std::array<int64_t, 3>;

/// Extents of one product, or of each of a batch; or a convolution, whose
/// extents are those of its product.
struct BenchShape {
  Extents extents = {};
  std::optional<int64_t> batch;
  std::optional<Convolution> convolution;

  /// The problem with the types and layout of `form`.
  Problem in(Problem form) const;
};

std::string toString(const Extents &shape);

/// A list of MxNxK, BATCH*MxNxK, or convolutions (Convolution.h); or an @ and
/// the name of a file of such lists, in which # begins a remark.
llvm::Expected<std::vector<BenchShape>> parseShapes(llvm::StringRef text);
/// The grid of `size` shapes; 1000 is the only one.
llvm::Expected<std::vector<Extents>> shapeGrid(llvm::StringRef size);
/// Which of `count` shapes "START:STEP", counted from 1, takes; empty text
/// takes all.
llvm::Expected<std::vector<size_t>> sampleOf(llvm::StringRef text,
                                             size_t count);

} // namespace hone

#endif // HONE_BENCH_BENCHSHAPES_H
