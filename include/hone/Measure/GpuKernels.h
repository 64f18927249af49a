//===- GpuKernels.h - What host and GPU tell each other ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of the kernels in lib/Measure/GpuKernels.gpu.cpp. Included by both
// sides, so it includes nothing, and every struct looks the same on both.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_GPUKERNELS_H
#define HONE_MEASURE_GPUKERNELS_H

namespace hone::gpu {

using i64 = long long;
using u64 = unsigned long long;

// Element types; those of hone::ElementType, in its order.
enum { kF16, kBF16, kF32 };
// Kinds of data.
enum { kNormal, kZeroOne };

/// A matrix, or a batch of them, in any storage order. Strides count elements.
struct Matrix {
  void *data;
  i64 offset, batch, rows, cols;
  i64 batchStride, rowStride, colStride;
  i64 type;
};

struct Data {
  i64 kind;
  u64 seed;
  float scale; ///< standard deviation
};

/// |c - r| may be relative * |r| + absolute; or c must be r, rounded.
struct Bound {
  double relative, absolute;
  i64 exact;
};

/// Where samples are taken: one in every cell of a grid over the matrix.
struct Samples {
  i64 rows, cols; ///< of the grid
  u64 seed;
};

/// Starts as zeros.
struct Findings {
  u64 wrong;
  u64 firstWrong; ///< complement of the index
  u64 written;
  unsigned worst; ///< bits of a float
  unsigned unused;
};

} // namespace hone::gpu

#endif // HONE_MEASURE_GPUKERNELS_H
