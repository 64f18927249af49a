//===- GpuProduct.h - A product in f64, as one thread of a GPU --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a thread of the kernel `hone_reference`. It is a function of the
// thread's number, so a test can replace the GPU: it calls the function for
// every number.
//
//   lanes of a warp      0   1       31   0   1       31
//   columns of c       | n | n+1 ... n+31 | n+32 ...      | ... 4 of these
//   rows of c          | m ... m+3, the same for all lanes
//
// So the lanes read adjacent elements of b and one common element of a; each
// thread has 16 sums for 8 loads. The warps of a block cover successive rows,
// so that the same columns of b are in the cache. A sum runs along k, one fused
// multiplication-addition after the other: the result is the same on any
// machine.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_GPUPRODUCT_H
#define HONE_MEASURE_GPUPRODUCT_H

#include "hone/Measure/GpuKernels.h"

namespace hone::gpucheck {

/// An e4m3 is an f32 with the same fields times the difference of the
/// exponents' biases, subnormal or not; an e5m2 is the upper half of an f16.
inline double fromByte(unsigned bits, bool isE4M3) {
  constexpr unsigned kSize = 0x7F;
  unsigned size = bits & kSize;
  if (!isE4M3)
    return __builtin_bit_cast(_Float16, static_cast<unsigned short>(bits << 8));
  if (size == kSize)
    return __builtin_nanf("");
  float value = __builtin_bit_cast(float, size << 20) * 0x1p120f;
  return bits > kSize ? -value : value;
}

/// Element `index` of an array of `type`.
inline double load(const void *data, i64 index, i64 type) {
  switch (type) {
  case kF16:
    return static_cast<const _Float16 *>(data)[index];
  case kBF16:
    return static_cast<float>(static_cast<const __bf16 *>(data)[index]);
  case kF32:
    return static_cast<const float *>(data)[index];
  case kE4M3:
  case kE5M2:
    return fromByte(static_cast<const unsigned char *>(data)[index],
                    type == kE4M3);
  case kI8:
    return static_cast<const signed char *>(data)[index];
  case kI32:
    return static_cast<const int *>(data)[index];
  default:
    return static_cast<const double *>(data)[index];
  }
}

/// The elements of one thread: adjacent rows, and columns that are a warp
/// apart.
struct Piece {
  static constexpr i64 kRows = 4, kCols = 4, kWarp = 32;
  static constexpr i64 kWidth = kCols * kWarp; ///< columns of a warp

  i64 batch, row, column; ///< its first element
};

struct ProductPieces {
  ProductPieces(const Matrix &a, const Matrix &b)
      : down((a.rows + Piece::kRows - 1) / Piece::kRows),
        across((b.cols + Piece::kWidth - 1) / Piece::kWidth), batches(a.batch) {
  }

  u64 threads() const { return u64(batches * down * across) * Piece::kWarp; }
  Piece at(u64 thread) const {
    i64 warp = i64(thread / Piece::kWarp), lane = i64(thread % Piece::kWarp);
    return {warp / down / across, warp % down * Piece::kRows,
            warp / down % across * Piece::kWidth + lane};
  }

  i64 down, across, batches;
};

#define HONE_IN_REGISTERS __attribute__((always_inline)) inline

/// The sums of a piece. Everything is inlined, so that they stay in registers.
class PieceSums {
public:
  /// Beyond the last row or column, the last one is read again; the results are
  /// not stored.
  HONE_IN_REGISTERS PieceSums(const Piece &piece, i64 height, i64 width)
      : piece(piece), height(height), width(width) {
    for (i64 i = 0; i < kRows; ++i)
      rows[i] = min(piece.row + i, height - 1);
    for (i64 j = 0; j < kCols; ++j)
      cols[j] = min(piece.column + j * Piece::kWarp, width - 1);
  }

  /// Starts at zero if `init` has no data.
  HONE_IN_REGISTERS void start(const Matrix &init) {
    for (i64 i = 0; i < kRows; ++i)
      for (i64 j = 0; j < kCols; ++j)
        sums[i][j] =
            init.data
                ? load(init.data,
                       init.offset + piece.batch * init.batchStride +
                           rows[i] * init.rowStride + cols[j] * init.colStride,
                       init.type)
                : 0;
  }

  /// Adds a * b. `type` is the type of both, or -1 if they differ.
  template <i64 type>
  HONE_IN_REGISTERS void add(const Matrix &a, const Matrix &b) {
    i64 typeA = type < 0 ? a.type : type, typeB = type < 0 ? b.type : type;
    i64 atA[kRows], atB[kCols];
    for (i64 i = 0; i < kRows; ++i)
      atA[i] = a.offset + piece.batch * a.batchStride + rows[i] * a.rowStride;
    for (i64 j = 0; j < kCols; ++j)
      atB[j] = b.offset + piece.batch * b.batchStride + cols[j] * b.colStride;
    for (i64 k = 0; k < a.cols; ++k) {
      double left[kRows], right[kCols];
      for (i64 i = 0; i < kRows; ++i)
        left[i] = load(a.data, atA[i] + k * a.colStride, typeA);
      for (i64 j = 0; j < kCols; ++j)
        right[j] = load(b.data, atB[j] + k * b.rowStride, typeB);
      for (i64 i = 0; i < kRows; ++i)
        for (i64 j = 0; j < kCols; ++j)
          sums[i][j] = __builtin_fma(left[i], right[j], sums[i][j]);
    }
  }

  /// Stores to `c`, a batch of matrices without padding.
  HONE_IN_REGISTERS void store(double *c) const {
    for (i64 i = 0; i < kRows; ++i)
      for (i64 j = 0; j < kCols; ++j)
        if (piece.row + i < height && piece.column + j * Piece::kWarp < width)
          c[(piece.batch * height + rows[i]) * width + cols[j]] = sums[i][j];
  }

private:
  static constexpr i64 kRows = Piece::kRows, kCols = Piece::kCols;
  HONE_IN_REGISTERS static i64 min(i64 x, i64 y) { return x < y ? x : y; }

  Piece piece;
  i64 height, width; ///< of c
  i64 rows[kRows], cols[kCols];
  double sums[kRows][kCols];
};

/// Computes this thread's elements of c = init + a * b. `init` may be `c`.
HONE_IN_REGISTERS void multiplyPiece(const Matrix &a, const Matrix &b,
                                     const Matrix &init, double *c,
                                     const Piece &piece) {
  PieceSums sums(piece, a.rows, b.cols);
  sums.start(init);
  switch (a.type == b.type ? a.type : -1) {
  case kF16:
    sums.add<kF16>(a, b);
    break;
  case kBF16:
    sums.add<kBF16>(a, b);
    break;
  case kF32:
    sums.add<kF32>(a, b);
    break;
  case kE4M3:
    sums.add<kE4M3>(a, b);
    break;
  case kE5M2:
    sums.add<kE5M2>(a, b);
    break;
  case kI8:
    sums.add<kI8>(a, b);
    break;
  case kF64:
    sums.add<kF64>(a, b);
    break;
  default:
    sums.add<-1>(a, b);
  }
  sums.store(c);
}
#undef HONE_IN_REGISTERS

} // namespace hone::gpucheck

#endif // HONE_MEASURE_GPUPRODUCT_H
