//===- GpuKernels.h - Parameters of the GPU kernels -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of the kernels in lib/Measure/GpuKernels.gpu.cpp. Both sides
// include it, so it includes nothing, and every struct has the same layout.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_GPUKERNELS_H
#define HONE_MEASURE_GPUKERNELS_H

namespace hone::gpucheck {

using i64 = long long;
using u64 = unsigned long long;

// Element types: the values of hone::ElementType, then the type of references.
enum { kF16, kBF16, kF32, kE4M3, kE5M2, kI8, kI32, kF64 };
// Kinds of data.
enum { kNormal, kZeroOne };
// Epilogues.
enum { kNoEpilogue, kBiasRelu, kBiasGeluErf, kBiasGeluTanh, kResidual };

/// A matrix, or a batch of them, in any storage order. Strides count elements.
struct Matrix {
  void *data;
  i64 offset, batch, rows, cols;
  i64 batchStride, rowStride, colStride;
  i64 type;
};

/// The places of the elements of one matrix, which a hone::OperandAccess gives:
/// digits of the line and of the sum, and the axes along which they move.
struct Places {
  static constexpr int kMaxDigits = 4, kMaxAxes = 2;
  struct Digit {
    i64 extent, step, axis; ///< axis: -1 for a step in memory
  };
  struct Axis {
    i64 extent, pitch, low;
  };
  Digit digits[2][kMaxDigits]; ///< from the outermost on
  i64 counts[2];
  Axis axes[kMaxAxes];
  i64 axisCount;
};

/// The place of an element, or -1 for one that is zero.
inline i64 placeOf(const Places &places, i64 line, i64 sum) {
  i64 place = 0, indices[2] = {line, sum};
  i64 positions[Places::kMaxAxes];
  for (int axis = 0; axis < places.axisCount; ++axis)
    positions[axis] = -places.axes[axis].low;
  for (int list = 0; list < 2; ++list)
    for (i64 i = places.counts[list]; i-- > 0;) {
      const Places::Digit &digit = places.digits[list][i];
      i64 moved = indices[list] % digit.extent * digit.step;
      indices[list] /= digit.extent;
      if (digit.axis < 0)
        place += moved;
      else
        positions[digit.axis] += moved;
    }
  for (int axis = 0; axis < places.axisCount; ++axis) {
    if (positions[axis] < 0 || positions[axis] >= places.axes[axis].extent)
      return -1;
    place += positions[axis] * places.axes[axis].pitch;
  }
  return place;
}

struct Data {
  i64 kind;
  u64 seed;
  float scale; ///< standard deviation
};

/// |c - r| may be relative * |r| + absolute; or c must equal r, rounded.
struct Bound {
  double relative, absolute;
  i64 exact;
};

/// The places of samples: one in every cell of a grid over the matrix.
struct Samples {
  i64 rows, cols; ///< of the grid
  u64 seed;
};

/// splitmix64: every index gets bits that look independent.
inline u64 hash(u64 index, u64 seed) {
  u64 z = (index + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// A random index in cell `cell` of `cells` that divide `extent`.
inline i64 withinCell(u64 cell, u64 cells, u64 extent, u64 random) {
  u64 first = cell * extent / cells, last = (cell + 1) * extent / cells;
  return i64(first + random % (last - first));
}

/// Row and column of sample `index` of a matrix.
inline void placeSample(const Samples &samples, u64 index, i64 rows, i64 cols,
                        i64 &row, i64 &column) {
  u64 random = hash(index, samples.seed);
  row = withinCell(index / samples.cols, samples.rows, rows, random >> 32);
  column =
      withinCell(index % samples.cols, samples.cols, cols, random & 0xFFFFFFFF);
}

/// C, whose rows are contiguous and whole words of 16 bytes, and the operand
/// that is added to it: a row of f32, or a matrix with the layout of C.
struct Elementwise {
  void *c;
  const void *operand;
  i64 rows, words; ///< words of 16 bytes in a row
  i64 type, epilogue;
};

/// Starts as zeros.
struct Findings {
  u64 wrong;
  u64 firstWrong; ///< complement of the index
  u64 written;
  unsigned worst; ///< bits of a float
  unsigned unused;
};

} // namespace hone::gpucheck

#endif // HONE_MEASURE_GPUKERNELS_H
