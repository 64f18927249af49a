//===- GpuLines.h - Copies of matrices, line by line ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a matrix whose lines have any alignment into one whose lines are whole
// words of 16 bytes, or back. A library needs such copies for its fast kernels.
// The copy is as fast as memory allows. A thread stores one word of 16 bytes;
// it loads that from an address that is a multiple of two bytes, in the widest
// pieces that the address permits.
//
// Like GpuKernels.h, it is compiled for both sides and includes nothing else;
// on the host, tests run it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MEASURE_GPULINES_H
#define HONE_MEASURE_GPULINES_H

#include "hone/Measure/GpuKernels.h"

namespace hone::gpucheck {

using Half = unsigned short;

/// Everything is counted in halves, units of two bytes. `to` is a multiple of
/// 16 bytes, and everything up to the end of its last line is written: zeros
/// where a line is longer than `cols`.
struct Lines {
  Half *to;
  const Half *from;
  i64 rows, cols;
  i64 toLead, fromLead; ///< from line to line
};

/// Halves in a word of 16 bytes.
constexpr int kHalves = 8;

struct alignas(16) Word16 {
  unsigned parts[4];
};

/// Eight halves from an address that is a multiple of two bytes. Reads whole
/// words of four bytes, so up to two bytes before or after; an allocation never
/// ends within such a word.
inline Word16 loadHalves(const Half *from) {
  u64 address = reinterpret_cast<u64>(from);
  if (address % 16 == 0)
    return *reinterpret_cast<const Word16 *>(from);
  Word16 word;
  const unsigned *parts = reinterpret_cast<const unsigned *>(address & ~3ull);
  if (address % 4 == 0) {
    for (int i = 0; i < 4; ++i)
      word.parts[i] = parts[i];
    return word;
  }
  unsigned low = parts[0];
  for (int i = 0; i < 4; ++i) {
    unsigned high = parts[i + 1];
    word.parts[i] = low >> 16 | high << 16;
    low = high;
  }
  return word;
}

/// Writes the 16 bytes from half `at` of the target on.
inline void copyWord(const Lines &lines, u64 at) {
  u64 total = u64(lines.rows) * u64(lines.toLead), row, col;
  // A division of 64 bits takes longer than the rest of the copy.
  if (total >> 32) {
    row = at / u64(lines.toLead);
    col = at - row * u64(lines.toLead);
  } else {
    row = unsigned(at) / unsigned(lines.toLead);
    col = unsigned(at) - unsigned(row) * unsigned(lines.toLead);
  }
  const Half *from = lines.from + row * u64(lines.fromLead);
  if (col + kHalves <= u64(lines.cols)) {
    *reinterpret_cast<Word16 *>(lines.to + at) = loadHalves(from + col);
    return;
  }
  for (u64 end = at + kHalves < total ? at + kHalves : total; at < end; ++at) {
    lines.to[at] = col < u64(lines.cols) ? from[col] : Half(0);
    if (++col < u64(lines.toLead))
      continue;
    col = 0;
    from += lines.fromLead;
  }
}

} // namespace hone::gpucheck

#endif // HONE_MEASURE_GPULINES_H
