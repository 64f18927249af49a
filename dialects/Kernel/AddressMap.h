//===- AddressMap.h - Threads and addresses of tiles ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel IR names tiles, slots and fragments; this header maps them to threads
// and bytes, with pure functions. They are templates over the integer type: the
// lowering instantiates them with a wrapper around mlir::Value, which emits the
// arithmetic as IR, the simulator and the tests with int64_t. One formula
// serves both, so the kernel that runs is the kernel that was simulated.
//
// Threads. Warps of a block are numbered along N first:
//
//   warps = 2 x 2:   | 0 1 |   warp w covers rows  (w / 2) * warpRows ...
//                    | 2 3 |                 cols  (w % 2) * warpCols ...
//
// Slots. Lines of a multiple of 128 bytes are cut into panels of 128 bytes; the
// lines of a panel are contiguous. A line of a panel is cut into 16-byte
// chunks. Chunk c of line l is at position c ^ swizzle(l), so that eight lines
// read at one column (ldmatrix) come from eight different groups of four banks:
//
//   line bytes | swizzle(l)      | because a line covers
//   -----------|-----------------|--------------------------------------
//   128        | l % 8           | all 32 banks: every line needs another
//   64         | (l / 2) % 4     | half: two lines share one
//   32         | (l / 4) % 2     | a quarter: four lines share one
//   odd * 16   | 0               | eight of them start in different groups
//
// Steps. Tensor cores take 32 bytes of k at once: a *step* of 16 elements of 16
// bits, or of 8 f32, of which they read the upper 19 bits (a tf32).
//
// Fragments (PTX ISA, mma.m16n8k16 for 16-bit types). With g = lane / 4 and
// t = lane % 4:
//
//   A 16x16, pairs a0..a3:    rows g, g+8, g, g+8; k 2t, 2t, 2t+8, 2t+8
//   B 16x8,  pairs b0, b1:    column g; k 2t, 2t+8
//   C 16x8,  elements c0..c3: rows g, g, g+8, g+8; columns 2t, 2t+1, 2t, 2t+1
//
// In mma.m16n8k8 for tf32 one f32 is where a pair is: k t, t, t+4, t+4 of A,
// and t, t+4 of B.
//
// ldmatrix.x4 fills four such registers from four matrices of 8 x 16 bytes;
// lane l gives the address of row l % 8 of matrix l / 8. `MatrixRow` has that
// row. It transposes elements of 16 bits only: an f32 whose line runs along the
// rows is read alone (`wordOf`).
//
// Threads that multiply without tensor cores (kernel.fma) have the elements of
// C that tensor cores would leave them. They read 16 bytes of k of every row of
// A and column of B with such an element: g, g+8, ..., and 2t, 2t+1, 2t+8,
// 2t+9, .... Lanes with the same bytes share one access. The slots' lines run
// along k; other operands are transposed by the copy (`wordOfCopy`).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_ADDRESSMAP_H
#define HONE_DIALECTS_KERNEL_ADDRESSMAP_H

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hone::kernel {

constexpr int64_t kWarpSize = 32;
/// Bytes of one lane's row of an ldmatrix, the unit of the swizzle.
constexpr int64_t kChunkBytes = 16;
/// The longest line that is permuted as one.
constexpr int64_t kPanelBytes = 128;

/// Elements of k, of f32, that a multiplying thread reads at once: 16 bytes.
constexpr int64_t kThreadStep = 4;

/// Elements of k that tensor cores take at once.
constexpr int64_t stepOf(int64_t elementBytes) {
  constexpr int64_t kStepBytes = 32;
  return kStepBytes / elementBytes;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// A thread's place in the block.
template <typename Int>
struct ThreadPlace {
  Int lane, warpM, warpN;
};

template <typename Int>
ThreadPlace<Int> placeOf(Int thread, int64_t warpsN) {
  Int warp = thread / kWarpSize;
  return {thread % kWarpSize, warp / warpsN, warp % warpsN};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The tile of a block: bands of `group` rows of tiles, walked column by
/// column. The last band may have fewer. `min` is passed in because Int may be
/// symbolic.
template <typename Int>
struct TileCoordinates {
  Int tileM, tileN, batch;
};

template <typename Int, typename Min>
TileCoordinates<Int> tileOf(Int block, Int tilesM, Int tilesN, Int group,
                            Min min) {
  Int perBatch = tilesM * tilesN;
  Int inBatch = block % perBatch;
  Int perBand = group * tilesN;
  Int band = inBatch / perBand;
  Int first = band * group;
  Int height = min(group, tilesM - first);
  Int inBand = inBatch % perBand;
  return {first + inBand % height, inBand / height, block / perBatch};
}

/// The results of `kernel.segment`.
struct SegmentOfTile {
  int64_t segment, first, end, depth, number, rowsOfTiles;
};

/// The start of a search for a tile's segment.
struct SegmentSearch {
  int64_t segment = 0, first = 0;
  int64_t before = 0; ///< tiles
};

/// By its definition; the lowering writes loops. `endOf` reads an end.
template <typename Read>
SegmentOfTile segmentOf(int64_t tile, Read endOf, int64_t groups, int64_t rows,
                        int64_t depth, int64_t height, int64_t columns,
                        SegmentSearch from = {}) {
  int64_t start = from.first, before = from.before;
  for (int64_t segment = from.segment; segment <= groups; ++segment) {
    bool isRest = segment == groups;
    int64_t end = isRest ? rows
                         : std::min(std::max<int64_t>(endOf(segment), start),
                                    std::max<int64_t>(rows, 0));
    int64_t tiles = (end - start + height - 1) / height;
    if (tile >= before && tile < before + tiles * columns)
      return {segment, start, end, isRest ? 0 : depth, tile - before, tiles};
    before += tiles * columns;
    start = end;
  }
  return {groups, rows, rows, 0, tile - before, 1};
}

/// The results of `kernel.segment.bounds`.
template <typename Read>
std::pair<int64_t, int64_t> boundsOf(int64_t segment, Read endOf,
                                     int64_t groups, int64_t rows) {
  int64_t start = 0, end = 0;
  for (int64_t other = 0; other < groups && other <= segment; ++other) {
    start = end;
    end = std::min(std::max<int64_t>(endOf(other), start),
                   std::max<int64_t>(rows, 0));
  }
  return {segment < groups ? start : end, end};
}

/// The line that `kernel.copy` reads for line `row` through an index of `count`
/// numbers, of a matrix of `lines`; -1 if it reads zeros. `indexAt` reads one.
template <typename Read>
int64_t lineThrough(int64_t row, Read indexAt, int64_t count, int64_t lines) {
  int64_t line = row >= 0 && row < count ? indexAt(row) : -1;
  return line < lines ? std::max<int64_t>(line, -1) : -1;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The span in bytes within which the copy engine permutes the chunks of a
/// line; 0 for no permutation.
constexpr int64_t swizzleBytes(int64_t lineBytes) {
  if (lineBytes / kChunkBytes % 2)
    return 0;
  return lineBytes < kPanelBytes ? lineBytes : kPanelBytes;
}

/// The number of contiguous bytes of a line.
constexpr int64_t panelBytes(int64_t lineBytes) {
  return swizzleBytes(lineBytes) ? swizzleBytes(lineBytes) : lineBytes;
}

/// The number that is XORed with the chunk numbers of `line`.
template <typename Int>
Int swizzle(Int line, int64_t lineBytes) {
  if (lineBytes == 32)
    return (line / 4) % 2;
  if (lineBytes == 64)
    return (line / 2) % 4;
  return line % 8;
}

/// Byte offset of chunk `chunk` of `line` in a slot of `lines` lines.
template <typename Int>
Int chunkOffset(Int line, Int chunk, int64_t lineBytes, int64_t lines) {
  if (!swizzleBytes(lineBytes))
    return line * lineBytes + chunk * kChunkBytes;
  if (lineBytes <= kPanelBytes)
    return line * lineBytes + (chunk ^ swizzle(line, lineBytes)) * kChunkBytes;
  constexpr int64_t kChunks = kPanelBytes / kChunkBytes;
  return (chunk / kChunks) * (lines * kPanelBytes) +
         chunkOffset(line, chunk % kChunks, kPanelBytes, lines);
}

/// Byte offset of byte `byte` of `line` in a slot of `lines` lines.
template <typename Int>
Int byteOffset(Int line, Int byte, int64_t lineBytes, int64_t lines) {
  return chunkOffset(line, byte / kChunkBytes, lineBytes, lines) +
         byte % kChunkBytes;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The minimum alignment of lines that can be copied without going through
/// registers.
constexpr int64_t kMinAsync = 4;

/// Bytes of the pieces in which lines of this alignment are copied: the
/// hardware's size, or whole chunks through registers.
constexpr int64_t copiedBytes(int64_t align) {
  return align < kMinAsync || align > kChunkBytes ? kChunkBytes : align;
}

/// The `index`-th piece of `bytes` bytes that a thread copies: its line, and
/// its first byte in that line. Adjacent threads take adjacent pieces.
template <typename Int>
std::pair<Int, Int> pieceOf(Int thread, int64_t index, int64_t threads,
                            int64_t lineBytes, int64_t bytes) {
  int64_t perLine = lineBytes / bytes;
  // If one round of the block covers whole lines, only the line number depends
  // on the index. Written this way, the compiler keeps one column per thread.
  if (threads % perLine == 0)
    return {thread / perLine + index * (threads / perLine),
            (thread % perLine) * bytes};
  Int piece = thread + index * threads;
  return {piece / perLine, (piece % perLine) * bytes};
}

/// A word in a slot: its row (of A, or column of B) and its k.
template <typename Int>
struct Word {
  Int row, k;
};

/// The `index`-th word of a thread in a copy that transposes into a slot of
/// `lines` lines along k. 32 threads take 8 lines by 4 words: they read whole
/// sectors of memory, and write each bank of shared memory once, because the
/// swizzle spreads the chunks of 8 lines.
template <typename Int>
Word<Int> wordOfCopy(Int thread, int64_t index, int64_t threads,
                     int64_t lines) {
  constexpr int64_t kLines = 8, kWords = 4;
  Int lane = thread % kWarpSize, warp = thread / kWarpSize;
  int64_t warps = threads / kWarpSize, blocks = lines / kLines;
  auto wordIn = [&](Int block, Int chunk) {
    return Word<Int>{block * kLines + lane % kLines,
                     chunk * kWords + lane / kLines};
  };
  // As above: a thread computes terms without the index once.
  if (warps % blocks == 0)
    return wordIn(warp % blocks, warp / blocks + index * (warps / blocks));
  if (blocks % warps == 0) {
    int64_t perChunk = blocks / warps;
    return wordIn(warp + index % perChunk * warps, warp * 0 + index / perChunk);
  }
  Int unit = warp + index * warps;
  return wordIn(unit % blocks, unit / blocks);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// The 8-element row whose address a lane gives to ldmatrix.x4, relative to the
/// 16 (rows of A, columns of B) x 16 (k) piece that is read.
template <typename Int>
struct MatrixRow {
  Int line;  ///< which line of the slot
  Int chunk; ///< which of the two chunks of that line
};

/// `transposed`: lines of the slot are numbered by k, and ldmatrix transposes.
///
/// | matrix      | 0           | 1            | 2            | 3             |
/// |-------------|-------------|--------------|--------------|---------------|
/// | A registers | m 0-7 k 0-7 | m 8-15 k 0-7 | m 0-7 k 8-15 | m 8-15 k 8-15 |
/// | B registers | n 0-7 k 0-7 | n 0-7 k 8-15 | n 8-15 k 0-7 | n 8-15 k 8-15 |
template <typename Int>
MatrixRow<Int> matrixRow(Int lane, bool isA, bool transposed) {
  Int row = lane % 8, low = (lane / 8) % 2, high = lane / 16;
  // In A the second matrix steps along m, in B along k.
  Int rowHalf = isA ? low : high, kHalf = isA ? high : low;
  if (transposed)
    return {kHalf * 8 + row, rowHalf};
  return {rowHalf * 8 + row, kHalf};
}

/// The place of the word for register `index` of four, which ldmatrix would
/// fill, in the 16 (rows of A, columns of B) x 8 (k) piece that is read.
template <typename Int>
Word<Int> wordOf(Int lane, int64_t index, bool isA) {
  int64_t low = index % 2, high = index / 2;
  int64_t rowHalf = isA ? low : high, kHalf = isA ? high : low;
  return {lane / 4 + rowHalf * 8, lane % 4 + kHalf * 4};
}

/// The rows of A, or columns of B, with a lane's elements of C: their number
/// among `warpRows`, and the one with number `index`.
constexpr int64_t ownRows(int64_t warpRows, bool isA) {
  return isA ? warpRows / 8 : warpRows / 4;
}
template <typename Int>
Int ownRow(Int lane, int64_t index, bool isA) {
  return isA ? lane / 4 + index * 8
             : (lane % 4) * 2 + (index % 2 + index / 2 * 8);
}

/// Byte offset in a slot of `lines` lines along k of chunk `chunk` of that row,
/// if the warp's first row is `first`, a multiple of 8. The swizzle repeats
/// after 8 lines, so all but the first rows are at a constant distance from
/// these.
template <typename Int>
Int ownChunk(Int lane, Int first, int64_t index, Int chunk, bool isA,
             int64_t lineBytes, int64_t lines) {
  int64_t near = isA ? 0 : index % 2, band = isA ? index : index / 2;
  return chunkOffset(first + ownRow(lane, near, isA), chunk, lineBytes, lines) +
         band * 8 * panelBytes(lineBytes);
}

/// The numbers of the row and the column, among those of the lane, whose
/// product element `index` of an accumulator is.
struct OwnProduct {
  int64_t row, col;
};
constexpr OwnProduct ownProduct(int64_t index, int64_t warpCols) {
  int64_t piece = index / 4, perBand = warpCols / 8;
  return {piece / perBand * 2 + index % 4 / 2, piece % perBand * 2 + index % 2};
}

/// Row and column, within the warp's tile, of a lane's element `index` of an
/// accumulator whose warp tile is `warpCols` wide. Elements are numbered by
/// 16-row band, then 8-column piece, then c0..c3.
template <typename Int>
std::pair<Int, Int> elementOf(Int lane, int64_t index, int64_t warpCols) {
  int64_t piece = index / 4, perBand = warpCols / 8;
  int64_t row = piece / perBand * 16 + (index % 4) / 2 * 8;
  int64_t col = piece % perBand * 8 + index % 2;
  return {lane / 4 + row, (lane % 4) * 2 + col};
}

//===----------------------------------------------------------------------===//
// Tensor cores that read slots directly (wgmma)
//===----------------------------------------------------------------------===//

/// Byte offset in a slot of `lines` lines of the operand of one product: the
/// rows (of A) or columns (of B) from `first` on, at step `step` along k.
/// `transposed`: k numbers the lines, and a panel has 64 rows of 16 bits;
/// tensor cores read such slots for no other elements.
template <typename Int>
Int operandOffset(Int first, int64_t step, bool transposed, int64_t lines) {
  constexpr int64_t kSteps = 4, kStepBytes = 32, kStepLines = 16, kRows = 64;
  if (transposed)
    return first / kRows * (lines * kPanelBytes) +
           step * kStepLines * kPanelBytes;
  return first * kPanelBytes + step / kSteps * lines * kPanelBytes +
         step % kSteps * kStepBytes;
}

/// A matrix descriptor's address, in units of 16 bytes. In a cluster the higher
/// bits of a shared address select the block whose memory it refers to; here
/// they would spill into the next field.
template <typename Int>
Int descriptorAddress(Int address) {
  return address % (int64_t(1) << 18) / 16;
}

/// The fields of a matrix descriptor, apart from its address:
///
/// | bits   | field               | value here                               |
/// |--------|---------------------|------------------------------------------|
/// | 0..13  | address             | `descriptorAddress`                      |
/// | 16..29 | leading byte offset | transposed: from panel to panel; else 1, |
/// |        |                     | which is not read                        |
/// | 32..45 | stride byte offset  | 1024, from eight lines to the next eight |
/// | 62..63 | swizzle             | 1, chunks of 128-byte lines              |
constexpr int64_t descriptorFields(bool transposed, int64_t lines) {
  uint64_t leading = transposed ? uint64_t(lines * kPanelBytes / 16) : 1;
  uint64_t stride = 8 * kPanelBytes / 16;
  return int64_t(uint64_t(1) << 62 | stride << 32 | leading << 16);
}

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_ADDRESSMAP_H
