//===- AddressMapTest.cpp - Address maps against the hardware's tables ----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maps are evaluated with int64_t, which gives the same results as the
// lowered arithmetic, and compared with the PTX ISA on slots, copies and banks.
// FragmentMapTest.cpp tests the reads and writes of tensor cores.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <array>
#include <set>
#include <vector>

using namespace hone::kernel;

/// Line sizes that the verifier of `!kernel.ring` takes, up to 4 KiB.
static std::vector<int64_t> lineSizes() {
  std::vector<int64_t> sizes = {32, 64};
  for (int64_t bytes = 128; bytes <= 4096; bytes += 128)
    sizes.push_back(bytes);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

TEST(Swizzle, IsABijectionWithinASlot) {
  for (int64_t lineBytes : lineSizes())
    for (int64_t lines : {1, 3, 8, 16, 31}) {
      std::vector<int> hits(lines * lineBytes);
      for (int64_t line = 0; line < lines; ++line)
        for (int64_t byte = 0; byte < lineBytes; ++byte) {
          int64_t offset = byteOffset(line, byte, lineBytes, lines);
          ASSERT_GE(offset, 0);
          ASSERT_LT(offset, lines * lineBytes);
          ++hits[offset];
        }
      EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), lines * lineBytes)
          << lines << " lines of " << lineBytes << " bytes";
    }
}

// Lines of more than 128 bytes are cut into panels, one after the other.
TEST(Swizzle, StaysInItsLineOfItsPanel) {
  constexpr int64_t kLines = 16;
  for (int64_t lineBytes : lineSizes())
    for (int64_t line = 0; line < kLines; ++line)
      for (int64_t byte = 0; byte < lineBytes; ++byte) {
        int64_t width = std::min(lineBytes, kPanelBytes);
        int64_t number = byteOffset(line, byte, lineBytes, kLines) / width;
        ASSERT_EQ(number, byte / width * kLines + line);
      }
}

/// The four of 32 banks that hold the 16 bytes from `offset` on.
static int64_t bankGroup(int64_t offset) { return offset / kChunkBytes % 8; }

// ldmatrix reads eight rows of 16 bytes at a time: lines l .. l + 7 at one
// chunk, whether it transposes or not. Without conflicts they meet every bank
// once.
TEST(Swizzle, EightLinesMeetEveryBankOnce) {
  for (int64_t lineBytes : lineSizes())
    for (int64_t first = 0; first < 64; first += 8)
      for (int64_t chunk = 0; chunk < lineBytes / kChunkBytes; ++chunk) {
        std::set<int64_t> groups;
        for (int64_t line = first; line < first + 8; ++line)
          groups.insert(
              bankGroup(chunkOffset(line, chunk, lineBytes, int64_t(72))));
        ASSERT_EQ(groups.size(), 8u)
            << "lines of " << lineBytes << " bytes from " << first << ", chunk "
            << chunk;
      }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

// Every byte of a slot is copied once, by rounds of the block of which the last
// may be incomplete.
TEST(Copy, PiecesCoverASlotOnce) {
  for (int64_t lineBytes : {32, 64, 128, 256, 384, 512})
    for (int64_t bytes : {2, 4, 8, 16})
      for (int64_t threads : {32, 64, 96, 128, 160, 192, 256, 352, 512})
        for (int64_t lines : {16, 32, 48, 128}) {
          int64_t size = lines * lineBytes, pieces = size / bytes;
          std::vector<int> hits(size);
          for (int64_t index = 0; index * threads < pieces; ++index)
            for (int64_t thread = 0; thread < threads; ++thread) {
              if (index * threads + thread >= pieces)
                continue;
              auto [line, byte] =
                  pieceOf(thread, index, threads, lineBytes, bytes);
              ASSERT_LT(line, lines);
              ASSERT_LE(byte + bytes, lineBytes);
              for (int64_t i = 0; i < bytes; ++i)
                ++hits[byteOffset(line, byte + i, lineBytes, lines)];
            }
          ASSERT_EQ(std::count(hits.begin(), hits.end(), 1), size)
              << threads << " threads, " << lines << " lines of " << lineBytes
              << " bytes, " << bytes << " at a time";
        }
}

// A piece is contiguous in the slot: it lies in one chunk.
TEST(Copy, PiecesAreContiguous) {
  for (int64_t lineBytes : lineSizes())
    for (int64_t bytes : {2, 4, 8, 16})
      for (int64_t line = 0; line < 8; ++line)
        for (int64_t byte = 0; byte < lineBytes; byte += bytes)
          ASSERT_EQ(byteOffset(line, byte + bytes - 1, lineBytes, 8),
                    byteOffset(line, byte, lineBytes, 8) + bytes - 1);
}

// Shared memory takes 128 bytes at a time: from 8 threads that store 16 bytes
// each, from 16 or from 32. Neighbours then meet every bank once.
TEST(Copy, StoresOfAWarpHaveNoConflicts) {
  for (int64_t lineBytes : lineSizes())
    for (int64_t bytes : {4, 8, 16})
      for (int64_t threads : {32, 96, 128, 256})
        for (int64_t index = 0; index < 8; ++index)
          for (int64_t first = 0; first < threads; first += 128 / bytes) {
            std::set<int64_t> banks;
            for (int64_t i = 0; i < 128 / bytes; ++i) {
              auto [line, byte] =
                  pieceOf(first + i, index, threads, lineBytes, bytes);
              int64_t offset = byteOffset(line, byte, lineBytes, 4096);
              for (int64_t word = 0; word < bytes / 4; ++word)
                banks.insert((offset / 4 + word) % 32);
            }
            ASSERT_EQ(banks.size(), 32u)
                << threads << " threads, lines of " << lineBytes << " bytes, "
                << bytes << " at a time";
          }
}

// Data that passes through registers is copied in whole chunks.
TEST(Copy, PiecesAreWhatTheHardwareCopiesOrChunks) {
  for (auto [align, bytes] : {std::pair<int64_t, int64_t>{1, 16},
                              {2, 16},
                              {4, 4},
                              {8, 8},
                              {16, 16},
                              {32, 16}})
    EXPECT_EQ(copiedBytes(align), bytes) << "aligned to " << align;
}

// Neighbouring threads read neighbouring pieces of global memory.
TEST(Copy, NeighboursTakeNeighbouringPieces) {
  for (int64_t lineBytes : lineSizes())
    for (int64_t bytes : {2, 4, 8, 16})
      for (int64_t threads : {32, 96, 256})
        for (int64_t index = 0; index < 4; ++index)
          for (int64_t thread = 0; thread < threads; ++thread) {
            auto [line, byte] =
                pieceOf(thread, index, threads, lineBytes, bytes);
            ASSERT_EQ(line * lineBytes + byte,
                      (index * threads + thread) * bytes);
          }
}

// A later round is the first one of threads with higher numbers, which is how a
// loop of rounds is lowered.
TEST(Copy, LaterRoundsAreHigherThreads) {
  for (int64_t lineBytes : {32, 64, 128, 384})
    for (int64_t bytes : {2, 16})
      for (int64_t threads : {32, 96, 128, 352})
        for (int64_t round : {0, 8, 16, 24})
          for (int64_t index = 0; index < 8; ++index)
            for (int64_t thread = 0; thread < threads; ++thread)
              ASSERT_EQ(
                  pieceOf(thread + round * threads, index, threads, lineBytes,
                          bytes),
                  pieceOf(thread, round + index, threads, lineBytes, bytes));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static TileCoordinates<int64_t> tileAt(int64_t block, int64_t tilesM,
                                       int64_t tilesN, int64_t group) {
  return tileOf<int64_t>(block, tilesM, tilesN, group,
                         [](int64_t a, int64_t b) { return std::min(a, b); });
}

// Block numbers go through batches, bands of `group` tile rows, columns and
// rows of a band, in this order. So the map is a bijection.
TEST(Tile, BlocksWalkBands) {
  for (int64_t batch : {1, 2, 5})
    for (int64_t tilesM : {1, 2, 3, 7, 8, 9, 16, 33})
      for (int64_t tilesN : {1, 2, 5, 8, 13})
        for (int64_t group : {1, 2, 3, 8, 16, 65535}) {
          int64_t block = 0;
          for (int64_t b = 0; b < batch; ++b)
            for (int64_t band = 0; band < tilesM; band += group)
              for (int64_t n = 0; n < tilesN; ++n)
                for (int64_t m = band; m < std::min(band + group, tilesM);
                     ++m) {
                  auto tile = tileAt(block++, tilesM, tilesN, group);
                  ASSERT_EQ(tile.batch, b);
                  ASSERT_EQ(tile.tileM, m);
                  ASSERT_EQ(tile.tileN, n);
                }
          ASSERT_EQ(block, batch * tilesM * tilesN);
        }
}

TEST(Tile, IsABijection) {
  constexpr int64_t tilesM = 11, tilesN = 6, group = 4, batch = 3;
  std::set<std::array<int64_t, 3>> tiles;
  for (int64_t block = 0; block < tilesM * tilesN * batch; ++block) {
    auto tile = tileAt(block, tilesM, tilesN, group);
    EXPECT_LT(tile.tileM, tilesM);
    EXPECT_LT(tile.tileN, tilesN);
    EXPECT_LT(tile.batch, batch);
    tiles.insert({tile.tileM, tile.tileN, tile.batch});
  }
  EXPECT_EQ(tiles.size(), size_t(tilesM * tilesN * batch));
}

//===----------------------------------------------------------------------===//
// Threads that multiply
//===----------------------------------------------------------------------===//

// A lane has the rows and columns of its elements of C, and no others.
TEST(Threads, OwnTheRowsOfTheirElements) {
  for (int64_t warpRows : {16, 32, 64, 96})
    for (int64_t warpCols : {16, 32, 48, 64})
      for (int64_t lane = 0; lane < 32; ++lane) {
        std::set<int64_t> rows, cols;
        for (int64_t index = 0; index < warpRows * warpCols / 32; ++index) {
          auto [row, col] = elementOf(lane, index, warpCols);
          OwnProduct own = ownProduct(index, warpCols);
          ASSERT_EQ(row, ownRow(lane, own.row, /*isA=*/true));
          ASSERT_EQ(col, ownRow(lane, own.col, /*isA=*/false));
          rows.insert(own.row);
          cols.insert(own.col);
        }
        ASSERT_EQ(int64_t(rows.size()), ownRows(warpRows, /*isA=*/true));
        ASSERT_EQ(int64_t(cols.size()), ownRows(warpCols, /*isA=*/false));
      }
}

// A read takes the chunk where the swizzle has put that of the row. Lanes that
// share a row read one address; other lanes of an access read different banks.
TEST(Threads, ReadTheirRowsWithoutConflicts) {
  constexpr int64_t kLines = 128;
  for (bool isA : {true, false})
    for (int64_t lineBytes : {64, 128, 256, 512})
      for (int64_t first = 0; first < 64; first += 16)
        for (int64_t chunk = 0; chunk < lineBytes / kChunkBytes; ++chunk)
          for (int64_t index = 0; index < ownRows(64, isA); ++index) {
            std::set<int64_t> offsets, groups;
            for (int64_t lane = 0; lane < 32; ++lane) {
              int64_t offset =
                  ownChunk(lane, first, index, chunk, isA, lineBytes, kLines);
              ASSERT_EQ(offset, chunkOffset(first + ownRow(lane, index, isA),
                                            chunk, lineBytes, kLines));
              offsets.insert(offset);
              groups.insert(bankGroup(offset));
            }
            ASSERT_EQ(offsets.size(), isA ? 8u : 4u);
            ASSERT_EQ(groups.size(), offsets.size());
          }
}

// An operand transposed on load fills a slot exactly once, with any number of
// warps.
TEST(Threads, WordsCoverASlotOnce) {
  for (int64_t warps : {1, 2, 3, 4, 6, 8, 16})
    for (int64_t lines : {16, 32, 48, 64, 128, 256})
      for (int64_t width : {16, 32, 64, 128}) {
        int64_t threads = warps * kWarpSize;
        std::set<std::pair<int64_t, int64_t>> words;
        for (int64_t index = 0; index * threads < lines * width; ++index)
          for (int64_t thread = 0;
               thread < std::min(threads, lines * width - index * threads);
               ++thread) {
            auto word = wordOfCopy(thread, index, threads, lines);
            ASSERT_LT(word.row, lines);
            ASSERT_LT(word.k, width);
            words.insert({word.row, word.k});
          }
        ASSERT_EQ(int64_t(words.size()), lines * width);
      }
}

// A warp's words are whole sectors of 32 bytes in memory, and one in each bank.
TEST(Threads, WordsOfAWarpMeetEveryBankOnce) {
  constexpr int64_t kLines = 64, kThreads = 128, kWordBytes = 4;
  for (int64_t lineBytes : {64, 128, 256, 512})
    for (int64_t index = 0; index < 4; ++index) {
      std::set<int64_t> banks;
      std::set<std::pair<int64_t, int64_t>> sectors;
      for (int64_t lane = 0; lane < 32; ++lane) {
        auto word = wordOfCopy(lane, index, kThreads, kLines);
        banks.insert(
            byteOffset(word.row, word.k * kWordBytes, lineBytes, kLines) /
            kWordBytes % 32);
        sectors.insert({word.k, word.row / 8});
      }
      EXPECT_EQ(banks.size(), 32u);
      EXPECT_EQ(sectors.size(), 4u);
    }
}
