//===- Chunks.h - Parallel work on many elements ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of a large product draws, stores, loads and compares tens of millions
// of elements, several times each. On one core this would take longer than the
// arithmetic on a GPU. Chunks are the same on every machine, and so are values
// drawn chunk by chunk.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_REFERENCE_CHUNKS_H
#define HONE_LIB_REFERENCE_CHUNKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>

namespace hone {

constexpr int64_t kChunk = 1 << 15;

inline int64_t countChunks(int64_t count) {
  return llvm::divideCeil(count, kChunk);
}

/// Calls `work(chunk, first, last)` for chunks of the indices below `count`.
template <typename Work>
void inChunks(int64_t count, Work work) {
  auto run = [&](size_t chunk) {
    int64_t first = chunk * kChunk;
    work(chunk, first, std::min(first + kChunk, count));
  };
  if (count > kChunk)
    llvm::parallelFor(0, countChunks(count), run);
  else if (count > 0)
    run(0);
}

/// Calls `visit(i, offset)` for each element of a shaped value, in the order of
/// its indices.
template <typename Visit>
void visitElements(llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides, Visit visit) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  inChunks(count, [&](size_t, int64_t first, int64_t last) {
    llvm::SmallVector<int64_t> index(sizes.size());
    int64_t offset = 0, rest = first;
    for (size_t dim = sizes.size(); dim-- > 0; rest /= sizes[dim]) {
      index[dim] = rest % sizes[dim];
      offset += index[dim] * strides[dim];
    }
    for (int64_t i = first; i < last; ++i) {
      visit(i, offset);
      for (size_t dim = sizes.size(); dim-- > 0;) {
        offset += strides[dim];
        if (++index[dim] < sizes[dim])
          break;
        offset -= sizes[dim] * strides[dim];
        index[dim] = 0;
      }
    }
  });
}

} // namespace hone

#endif // HONE_LIB_REFERENCE_CHUNKS_H
