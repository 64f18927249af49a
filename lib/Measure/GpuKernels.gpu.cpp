//===- GpuKernels.gpu.cpp - GPU kernels of a measurement ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills matrices with data, multiplies them in f64, compares. Clang compiles
// this file for NVPTX when Hone is built. It shares no code with the kernels it
// checks, and is as simple as possible: one element per thread, except for
// products (hone/Measure/GpuProduct.h).
//
// Every kernel works with any number of threads.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/GpuKernels.h"
#include "hone/Measure/GpuLines.h"
#include "hone/Measure/GpuProduct.h"

using namespace hone::gpucheck;
using u32 = unsigned;

#define HONE_KERNEL extern "C" __attribute__((device_kernel)) void

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static u64 firstIndex() {
  return u64(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
static u64 stepOfIndex() {
  return u64(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x();
}

static void atomicAdd(u64 *to, u64 value) {
  if (value)
    __scoped_atomic_fetch_add(to, value, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
}
/// Most threads have nothing to add, and stop after one load.
template <typename T>
static void atomicMax(T *to, T value) {
  if (value >
      __scoped_atomic_load_n(to, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
    __scoped_atomic_fetch_max(to, value, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool isInteger(int type) { return type == kI8 || type == kI32; }
static bool isByte(int type) {
  return type == kE4M3 || type == kE5M2 || type == kI8;
}
static bool isWord(int type) { return type == kF32 || type == kI32; }

/// The bits of an 8-bit float whose value is in range, as an integer in units
/// of the last place, so that rounding carries into the exponent.
static u32 byteOf(float value, int type) {
  int fraction = type == kE4M3 ? 3 : 2, bias = type == kE4M3 ? 7 : 15;
  u32 bits = __builtin_bit_cast(u32, value), size = bits & 0x7FFFFFFF;
  int exponent = int(size >> 23) - 127, min = 1 - bias;
  exponent = exponent < min ? min : exponent;
  // From here on all values are integers.
  constexpr float kWhole = 0x1p23f;
  float scale = __builtin_bit_cast(float, u32(127 + fraction - exponent) << 23);
  u32 places = u32(__builtin_bit_cast(float, size) * scale + kWhole - kWhole);
  return (bits >> 31 << 7) | (places + (u32(exponent + bias - 1) << fraction));
}

/// The bits of `value` rounded to nearest even.
static u32 bitsOf(float value, int type) {
  if (isInteger(type)) {
    u32 bits = u32(int(__builtin_rintf(value)));
    return type == kI8 ? bits & 0xFF : bits;
  }
  if (isByte(type))
    return byteOf(value, type);
  if (type == kF16)
    return __builtin_bit_cast(unsigned short, static_cast<_Float16>(value));
  u32 bits = __builtin_bit_cast(u32, value);
  // A NaN cannot occur here, so the addition cannot turn one into an infinity.
  if (type == kBF16)
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return bits;
}

static u32 loadBits(const void *data, i64 index, int type) {
  if (isByte(type))
    return static_cast<const unsigned char *>(data)[index];
  return isWord(type) ? static_cast<const u32 *>(data)[index]
                      : static_cast<const unsigned short *>(data)[index];
}

static void storeBits(void *data, i64 index, int type, u32 bits) {
  if (isByte(type))
    static_cast<unsigned char *>(data)[index] =
        static_cast<unsigned char>(bits);
  else if (isWord(type))
    static_cast<u32 *>(data)[index] = bits;
  else
    static_cast<unsigned short *>(data)[index] =
        static_cast<unsigned short>(bits);
}

/// The offset of element `index`, counted without gaps.
static i64 place(const Matrix &matrix, u64 index) {
  u64 column = index % matrix.cols, line = index / matrix.cols;
  u64 row = line % matrix.rows, batch = line / matrix.rows;
  return matrix.offset + i64(batch) * matrix.batchStride +
         i64(row) * matrix.rowStride + i64(column) * matrix.colStride;
}

static u64 elements(const Matrix &matrix) {
  return u64(matrix.batch) * matrix.rows * matrix.cols;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// The value of an element depends on its index alone, so a matrix has the same
/// values in any storage order.
static float valueOf(u64 index, const Data &data) {
  u64 bits = hash(index, data.seed);
  if (data.kind == kZeroOne)
    return float(bits & 1);
  // Box-Muller transform: two uniform numbers, the first not zero.
  float first = (float(u32(bits) >> 8) + 1) * 0x1p-24f;
  float second = float(u32(bits >> 32) >> 8) * 0x1p-24f;
  float squared = -1.3862943611f * __nvvm_lg2_approx_f(first); // -2 ln 2 * log2
  return __nvvm_sqrt_rn_f(squared) *
         __nvvm_cos_approx_f(6.2831853072f * second) * data.scale;
}

HONE_KERNEL hone_fill(Matrix matrix, Data data) {
  for (u64 i = firstIndex(); i < elements(matrix); i += stepOfIndex())
    storeBits(matrix.data, place(matrix, i), matrix.type,
              bitsOf(valueOf(i, data), matrix.type));
}

/// Counts the elements that differ from the values of `hone_fill`.
HONE_KERNEL hone_verify(Matrix matrix, Data data, Findings *findings) {
  u64 wrong = 0;
  for (u64 i = firstIndex(); i < elements(matrix); i += stepOfIndex())
    wrong += loadBits(matrix.data, place(matrix, i), matrix.type) !=
             bitsOf(valueOf(i, data), matrix.type);
  atomicAdd(&findings->wrong, wrong);
}

/// Copies the elements that an access reads, zeros among them, to a matrix.
HONE_KERNEL hone_unfold(Matrix from, Places places, Matrix to) {
  for (u64 i = firstIndex(); i < elements(to); i += stepOfIndex()) {
    i64 at = placeOf(places, i64(i / to.cols), i64(i % to.cols));
    storeBits(to.data, place(to, i), to.type,
              at < 0 ? 0 : loadBits(from.data, from.offset + at, from.type));
  }
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

/// c = init + a * b, without gaps.
HONE_KERNEL hone_reference(Matrix a, Matrix b, Matrix init, double *c) {
  ProductPieces pieces(a, b);
  for (u64 i = firstIndex(); i < pieces.threads(); i += stepOfIndex())
    multiplyPiece(a, b, init, c, pieces.at(i));
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// |c - r| in units of the tolerance; infinite for a NaN. Integers have no
/// tolerance.
static float unitsOf(double c, double r, const Bound &bound) {
  if (c == r)
    return 0;
  double distance = __builtin_fabs(c - r);
  double allowed = bound.relative * __builtin_fabs(r) + bound.absolute;
  double units = distance / allowed;
  return units == units ? float(units) : __builtin_inff();
}

HONE_KERNEL hone_compare(Matrix c, const double *reference, Bound bound,
                         Findings *findings) {
  u64 wrong = 0, firstWrong = 0;
  float worst = 0;
  for (u64 i = firstIndex(); i < elements(c); i += stepOfIndex()) {
    i64 at = place(c, i);
    double expected = reference[i];
    float units = unitsOf(load(c.data, at, c.type), expected, bound);
    // An integer below 2^24 is exact as a float, so this rounds once.
    bool right = bound.exact ? loadBits(c.data, at, c.type) ==
                                   bitsOf(float(expected), c.type)
                             : units <= 1;
    if (!right) {
      ++wrong;
      firstWrong = firstWrong ? firstWrong : ~i;
    }
    worst = units > worst ? units : worst;
  }
  atomicAdd(&findings->wrong, wrong);
  // The complement of the smallest index is the largest; 0 stands for none.
  atomicMax(&findings->firstWrong, firstWrong);
  // Nonnegative floats have the order of their bits.
  atomicMax(&findings->worst, __builtin_bit_cast(u32, worst));
}

/// Counts the elements of an arena that are no longer poison: bytes of ones, or
/// 0x80 for integers.
HONE_KERNEL hone_count_written(const void *arena, i64 count, int type,
                               Findings *findings) {
  u64 written = 0;
  u32 all = isInteger(type) ? 0x80808080u : ~0u;
  u32 poison = isWord(type) ? all : all & (isByte(type) ? 0xFFu : 0xFFFFu);
  for (u64 i = firstIndex(); i < u64(count); i += stepOfIndex())
    written += loadBits(arena, i, type) != poison;
  atomicAdd(&findings->written, written);
}

//===----------------------------------------------------------------------===//
// Products too large for a reference
//===----------------------------------------------------------------------===//

static constexpr u64 kWarp = 32;

/// The sum of a warp's values, in every lane.
static double sumOfWarp(double value) {
  for (int distance = kWarp / 2; distance; distance /= 2) {
    u64 bits = __builtin_bit_cast(u64, value);
    u32 low = __nvvm_shfl_sync_bfly_i32(~0u, int(bits), distance, 31);
    u32 high = __nvvm_shfl_sync_bfly_i32(~0u, int(bits >> 32), distance, 31);
    value += __builtin_bit_cast(double, u64(high) << 32 | low);
  }
  return value;
}

/// The weight of a column: 1 or -1, or that in `x`.
static double weightOf(const double *x, u64 seed, u64 column) {
  return x ? x[column] : hash(column, seed) & 1 ? 1 : -1;
}

/// y += matrix * x; each warp takes a piece of 32 by 32 or of 1 by 1024
/// elements, whichever is contiguous in memory.
HONE_KERNEL hone_project(Matrix matrix, const double *x, u64 seed, double *y) {
  bool inRows = matrix.colStride == 1;
  u64 height = inRows ? 1 : kWarp, width = inRows ? 1024 : kWarp;
  u64 lane = firstIndex() % kWarp;
  u64 across = (matrix.cols + width - 1) / width;
  u64 pieces = (matrix.rows + height - 1) / height * across;
  for (u64 i = firstIndex() / kWarp; i < pieces; i += stepOfIndex() / kWarp) {
    u64 row = i / across * height + (inRows ? 0 : lane);
    u64 first = i % across * width, last = first + width;
    last = last < u64(matrix.cols) ? last : matrix.cols;
    double sum = 0;
    if (row < u64(matrix.rows))
      for (u64 column = first + (inRows ? lane : 0); column < last;
           column += inRows ? kWarp : 1)
        sum = __builtin_fma(load(matrix.data,
                                 matrix.offset + i64(row) * matrix.rowStride +
                                     i64(column) * matrix.colStride,
                                 matrix.type),
                            weightOf(x, seed, column), sum);
    if (inRows)
      sum = sumOfWarp(sum);
    if (row < u64(matrix.rows) && (!inRows || lane == 0))
      __nvvm_atom_add_gen_d(y + row, sum);
  }
}

HONE_KERNEL hone_compare_sums(const double *sums, const double *reference,
                              i64 count, Bound bound, Findings *findings) {
  u64 wrong = 0, firstWrong = 0;
  float worst = 0;
  for (u64 i = firstIndex(); i < u64(count); i += stepOfIndex()) {
    float units = unitsOf(sums[i], reference[i], bound);
    if (!(units <= 1)) {
      ++wrong;
      firstWrong = firstWrong ? firstWrong : ~i;
    }
    worst = units > worst ? units : worst;
  }
  atomicAdd(&findings->wrong, wrong);
  atomicMax(&findings->firstWrong, firstWrong);
  atomicMax(&findings->worst, __builtin_bit_cast(u32, worst));
}

/// One element of a * b for every sample, one warp each.
HONE_KERNEL hone_reference_samples(Matrix a, Matrix b, Samples samples,
                                   double *reference) {
  u64 count = samples.rows * samples.cols, lane = firstIndex() % kWarp;
  for (u64 i = firstIndex() / kWarp; i < count; i += stepOfIndex() / kWarp) {
    i64 row, column;
    placeSample(samples, i, a.rows, b.cols, row, column);
    i64 atA = a.offset + row * a.rowStride;
    i64 atB = b.offset + column * b.colStride;
    double sum = 0;
    for (i64 k = lane; k < a.cols; k += kWarp)
      sum = __builtin_fma(load(a.data, atA + k * a.colStride, a.type),
                          load(b.data, atB + k * b.rowStride, b.type), sum);
    sum = sumOfWarp(sum);
    if (lane == 0)
      reference[i] = sum;
  }
}

HONE_KERNEL hone_compare_samples(Matrix c, const double *reference,
                                 Samples samples, Bound bound,
                                 Findings *findings) {
  u64 wrong = 0, firstWrong = 0, count = samples.rows * samples.cols;
  float worst = 0;
  for (u64 i = firstIndex(); i < count; i += stepOfIndex()) {
    i64 row, column;
    placeSample(samples, i, c.rows, c.cols, row, column);
    u64 index = u64(row) * c.cols + column;
    float units =
        unitsOf(load(c.data, place(c, index), c.type), reference[i], bound);
    if (!(units <= 1)) {
      ++wrong;
      firstWrong = ~index > firstWrong ? ~index : firstWrong;
    }
    worst = units > worst ? units : worst;
  }
  atomicAdd(&findings->wrong, wrong);
  atomicMax(&findings->firstWrong, firstWrong);
  atomicMax(&findings->worst, __builtin_bit_cast(u32, worst));
}

//===----------------------------------------------------------------------===//
// Bitwise comparison
//===----------------------------------------------------------------------===//

/// Counts the elements of `c` whose bits differ from those of `expected`; both
/// have the same layout.
HONE_KERNEL hone_count_different(Matrix c, Matrix expected,
                                 Findings *findings) {
  u64 wrong = 0, firstWrong = 0;
  for (u64 i = firstIndex(); i < elements(c); i += stepOfIndex()) {
    i64 at = place(c, i);
    if (loadBits(c.data, at, c.type) ==
        loadBits(expected.data, at, expected.type))
      continue;
    ++wrong;
    firstWrong = firstWrong ? firstWrong : ~i;
  }
  atomicAdd(&findings->wrong, wrong);
  atomicMax(&findings->firstWrong, firstWrong);
}

//===----------------------------------------------------------------------===//
// Separate epilogue kernel
//===----------------------------------------------------------------------===//

#include "GpuEpilogue.gpu.h"

HONE_KERNEL hone_epilogue(Elementwise work) {
  switch (work.type) {
  case kF16:
    return walkRows<kF16>(work);
  case kBF16:
    return walkRows<kBF16>(work);
  default:
    return walkRows<kF32>(work);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

HONE_KERNEL hone_copy_lines(Lines lines) {
  u64 total = u64(lines.rows) * u64(lines.toLead);
  for (u64 at = firstIndex() * kHalves; at < total;
       at += stepOfIndex() * kHalves)
    copyWord(lines, at);
}

//===----------------------------------------------------------------------===//
// Minimum time of a launch
//===----------------------------------------------------------------------===//

HONE_KERNEL hone_empty() {}
