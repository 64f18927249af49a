//===- WarpSpecializedChunks.cpp - Chunks of the stores of ws -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group stores its part of C in chunks of columns, through a few slots.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace hone;

/// The width of a chunk, in units of 16 bytes, of lines of `units` units:
/// `max`, or a few more. Lines of 2, 4 or 8 units are permuted. Lines of an
/// odd number of units need not be: eight of them start in eight different
/// groups of banks. Where a unit is less than 8 columns, only an even number of
/// units makes whole pieces of a product.
static int64_t unitsOfChunk(int64_t units, int64_t max, bool mayBeOdd) {
  constexpr int64_t kPermuted[] = {8, 4, 2}, kWide = 4, kMoreOdd = 5;
  int64_t widest = 1;
  for (int64_t even : kPermuted)
    if (even <= max && units % even == 0)
      widest = std::max(widest, even);
  if (widest >= std::min(max, kWide))
    return widest;
  for (int64_t odd = 1; mayBeOdd && odd <= max + kMoreOdd; odd += 2)
    if (units % odd == 0)
      widest = std::max(widest, odd);
  // A line of a large prime number of units is one chunk.
  return widest == 1 ? units : widest;
}

/// Chunks of at most `max` lines, of equal or about equal size.
static Chunks chunksOfLines(int64_t lines, int64_t max) {
  constexpr int64_t kLines = 8;
  int64_t eights = lines / kLines;
  // Schedules that break a law have facts, too: zero lines are one empty chunk.
  int64_t count = std::max<int64_t>(llvm::divideCeil(lines, max), 1);
  for (int64_t equal = count; equal <= 2 * count; ++equal)
    if (eights % equal == 0) {
      count = equal;
      break;
    }
  Chunks chunks;
  chunks.boxLines = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t cols = (eights / count + (i < eights % count)) * kLines;
    chunks.cols.push_back(cols);
    chunks.widest = std::max(chunks.widest, cols);
    chunks.boxLines = std::gcd(chunks.boxLines, cols);
  }
  return chunks;
}

/// The columns of a chunk where all chunks are equal.
static int64_t colsOfChunk(const WarpSpecialized &knobs, int64_t bytes) {
  constexpr int64_t kUnit = 16, kPiece = 8;
  // A line is 128 bytes where `chunk` has its usual value, for all element
  // types but single bytes. Their lines are half as long, since computing 128
  // columns at once takes more registers than a thread has.
  int64_t max = bytes == 1 ? knobs.chunk / 16 : knobs.chunk / 8;
  int64_t units =
      std::max<int64_t>(unitsOfChunk(knobs.groupCols() * bytes / kUnit, max,
                                     /*mayBeOdd=*/kPiece * bytes <= kUnit),
                        1);
  return units * kUnit / bytes;
}

Chunks WarpSpecialized::chunks(int64_t bytes) const {
  if (transposes)
    return chunksOfLines(groupCols(), chunk);
  Chunks chunks;
  chunks.widest = colsOfChunk(*this, bytes);
  chunks.cols.assign(groupCols() / chunks.widest, chunks.widest);
  return chunks;
}

/// The chunks of a group in all its bands. Laws ask for them by the million.
static int64_t chunksOfGroup(const WarpSpecialized &knobs, int64_t bytes) {
  int64_t chunks =
      knobs.transposes
          ? int64_t(chunksOfLines(knobs.groupCols(), knobs.chunk).cols.size())
          : knobs.groupCols() / colsOfChunk(knobs, bytes);
  return knobs.bands() * chunks;
}

static int64_t slotsFor(int64_t chunks, bool stagesAll) {
  if (stagesAll)
    return chunks;
  for (int64_t slots : {2, 3})
    if (chunks % slots == 0)
      return slots;
  return 1;
}

int64_t WarpSpecialized::chunkSlots(int64_t bytes) const {
  return slotsFor(chunksOfGroup(*this, bytes), stagesAll);
}

int64_t WarpSpecialized::storeSlots(const Problem *problem) const {
  constexpr int64_t kRoom = 227 << 10;
  int64_t bytes = problem ? sizeOf(problem->c) : 2;
  int64_t number = chunksOfGroup(*this, bytes);
  int64_t slots = slotsFor(number, stagesAll);
  if (slots != 1 || number <= 1)
    return slots;
  int64_t more = ringBytes(problem) + 2 * slotBytes(bytes) + barrierBytes();
  return more <= kRoom ? 2 : slots;
}
