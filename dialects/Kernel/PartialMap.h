//===- PartialMap.h - Layout of partial sums --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of f32 sums that moves through shared memory from the registers of the
// threads that multiplied to the threads that finish it. It is written in the
// layout of mma.m16n8k16 (8 bytes a lane, four lanes a line) and read along its
// lines (16 bytes a lane). As in AddressMap.h the maps are templates over the
// integer type.
//
// Lines are contiguous, padded to a multiple of 128 bytes (a line of 16 columns
// has 64). Their 16-byte chunks are permuted so that no access has a bank
// conflict:
//
//   access               | must differ in banks      | by
//   ---------------------|---------------------------|-------------------------
//   write, 16 lanes      | one pair of chunks of     | the pair's number XOR
//                        | four lines                | the line's
//   read, run of 4       | eight chunks in a row     | (they do)
//   read, run of 8       | every other chunk of 16   | the low bit XOR the
//                        |                           | number of the 128 bytes
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_PARTIALMAP_H
#define HONE_DIALECTS_KERNEL_PARTIALMAP_H

#include "dialects/Kernel/AddressMap.h"

namespace hone::kernel {

/// Columns per chunk.
constexpr int64_t kChunkSums = kChunkBytes / 4;

/// Chunks of a line of `cols` sums (a multiple of 16), with padding.
constexpr int64_t partialChunks(int64_t cols) {
  constexpr int64_t kWhole = kPanelBytes / kChunkBytes;
  int64_t chunks = cols / kChunkSums;
  return chunks == kWhole / 2 ? chunks
                              : (chunks + kWhole - 1) / kWhole * kWhole;
}

/// Bytes of a tile of `rows` x `cols` sums.
constexpr int64_t partialBytes(int64_t rows, int64_t cols) {
  return rows * partialChunks(cols) * kChunkBytes;
}

/// Byte offset in the tile of the sum at (`line`, `col`).
template <typename Int>
Int partialOffset(Int line, Int col, int64_t cols) {
  int64_t chunks = partialChunks(cols);
  Int chunk = col / kChunkSums;
  bool half = chunks == 4; // two lines in 128 bytes
  Int pair = half ? (line / 2) % 2 : line % 4;
  Int low = half ? (line / 2) % 2 : (line * (chunks / 8) + chunk / 8) % 2;
  return line * (chunks * kChunkBytes) +
         ((chunk ^ (pair * 2)) ^ low) * kChunkBytes + (col % kChunkSums) * 4;
}

/// Line and column of the `index`-th sum of one of `threads` threads, for a
/// tile that is distributed in runs: adjacent threads hold adjacent runs of
/// `run` sums of a line.
template <typename Int>
std::pair<Int, Int> runElementOf(Int thread, int64_t index, int64_t threads,
                                 int64_t cols, int64_t run) {
  auto [line, first] = pieceOf(thread, index / run, threads, cols, run);
  return {line, first + index % run};
}

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_PARTIALMAP_H
