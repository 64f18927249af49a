//===- FragmentMapTest.cpp - Fragments against the hardware's tables ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second copy of the tables of ldmatrix and mma.m16n8k16, from the PTX ISA
// and not from AddressMap.h. The tests simulate a whole block with them.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/AddressMap.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <array>
#include <set>
#include <vector>

using namespace hone::kernel;

/// The four of 32 banks that hold the 16 bytes from `offset` on.
static int64_t bankGroupOf(int64_t offset) { return offset / kChunkBytes % 8; }

namespace {

/// A register that holds two 16-bit elements; small integers stand for them.
using Pair = std::array<int, 2>;

/// PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type", f16.
/// groupID = lane >> 2; threadID_in_group = lane % 4.
///   A: row = groupID for ai where 0 <= i < 2 || 4 <= i < 6, groupID + 8
///   otherwise
///      col = threadID * 2 + (i & 1)  for ai where i < 4, + 8 otherwise
///   B: row = threadID * 2 + (i & 1)  for bi where i < 2, + 8 otherwise
///      col = groupID
///   C: row = groupID for ci where i < 2, groupID + 8 otherwise
///      col = threadID * 2 + (i & 1)
struct Mma {
  static int rowA(int lane, int i) {
    return (lane >> 2) + ((i < 2 || (4 <= i && i < 6)) ? 0 : 8);
  }
  static int colA(int lane, int i) {
    return (lane % 4) * 2 + (i & 1) + (i < 4 ? 0 : 8);
  }
  static int rowB(int lane, int i) {
    return (lane % 4) * 2 + (i & 1) + (i < 2 ? 0 : 8);
  }
  static int colB(int lane, int) { return lane >> 2; }
  static int rowC(int lane, int i) { return (lane >> 2) + (i < 2 ? 0 : 8); }
  static int colC(int lane, int i) { return (lane % 4) * 2 + (i & 1); }

  /// d += a * b by one warp.
  static void run(const std::array<std::array<Pair, 4>, 32> &a,
                  const std::array<std::array<Pair, 2>, 32> &b,
                  std::array<std::array<int, 4>, 32> &d) {
    int matrixA[16][16], matrixB[16][8];
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 8; ++i)
        matrixA[rowA(lane, i)][colA(lane, i)] = a[lane][i / 2][i % 2];
      for (int i = 0; i < 4; ++i)
        matrixB[rowB(lane, i)][colB(lane, i)] = b[lane][i / 2][i % 2];
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 16; ++k)
          d[lane][i] += matrixA[rowC(lane, i)][k] * matrixB[k][colC(lane, i)];
  }
};

/// A slot of shared memory of 16-bit elements.
using Slot = std::vector<int>;

/// PTX ISA, ldmatrix.m8n8.x4.b16: addresses of matrix i's rows come from lanes
/// 8i .. 8i + 7. Each lane receives, of each matrix, the elements 2 * (lane %
/// 4) and the next of row lane / 4; with .trans, of the transposed matrix.
std::array<std::array<Pair, 4>, 32>
loadMatrix(const Slot &slot, const std::array<int64_t, 32> &at,
           bool transposed) {
  std::array<std::array<Pair, 4>, 32> result;
  for (int lane = 0; lane < 32; ++lane)
    for (int matrix = 0; matrix < 4; ++matrix)
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = 2 * (lane % 4) + i;
        if (transposed)
          std::swap(row, column);
        result[lane][matrix][i] = slot[at[matrix * 8 + row] / 2 + column];
      }
  return result;
}

/// One operand of a block's step: `rows` (of A, or columns of B) by `depth`.
struct Operand {
  int64_t rows, depth;
  bool transposed; ///< lines of the slot are numbered by k

  int64_t lines() const { return transposed ? depth : rows; }
  int64_t lineBytes() const { return (transposed ? rows : depth) * 2; }
  /// Small numbers without a pattern.
  int value(int64_t row, int64_t k) const {
    return (row * 37 + k * 11 + row * k * 5 + rows) % 13 - 6;
  }

  /// The contents of the slot after the copies of a block of `threads`.
  Slot fill(int64_t threads, int64_t bytes) const {
    int64_t pieces = lines() * lineBytes() / bytes;
    Slot slot(lines() * lineBytes() / 2, 1 << 20);
    for (int64_t index = 0; index * threads < pieces; ++index)
      for (int64_t thread = 0; thread < threads; ++thread) {
        if (index * threads + thread >= pieces)
          continue;
        auto [line, byte] = pieceOf(thread, index, threads, lineBytes(), bytes);
        for (int64_t i = 0; i < bytes / 2; ++i) {
          int64_t within = byte / 2 + i;
          slot[byteOffset(line, byte, lineBytes(), lines()) / 2 + i] =
              transposed ? value(within, line) : value(line, within);
        }
      }
    return slot;
  }

  /// A warp's ldmatrix for the 16 rows from `row` on, at a k16 step: as
  /// `kernel.read` is lowered.
  std::array<std::array<Pair, 4>, 32> read(const Slot &slot, bool isA,
                                           int64_t row, int64_t step) const {
    std::array<int64_t, 32> at;
    for (int64_t lane = 0; lane < 32; ++lane) {
      auto place = matrixRow(lane, isA, transposed);
      at[lane] = transposed
                     ? chunkOffset(place.line + step * 16,
                                   row / 8 + place.chunk, lineBytes(), lines())
                     : chunkOffset(row + place.line, place.chunk + step * 2,
                                   lineBytes(), lines());
    }
    return loadMatrix(slot, at, transposed);
  }
};

struct BlockShape {
  int64_t m, n, k, warpsM, warpsN;
};

} // namespace

static void multiplyBlock(BlockShape shape, bool transposedA, bool transposedB,
                          int64_t bytes) {
  Operand a = {shape.m, shape.k, transposedA};
  Operand b = {shape.n, shape.k, transposedB};
  int64_t threads = shape.warpsM * shape.warpsN * 32;
  Slot slotA = a.fill(threads, bytes), slotB = b.fill(threads, bytes);
  int64_t warpRows = shape.m / shape.warpsM, warpCols = shape.n / shape.warpsN;
  int64_t pieces = warpCols / 8;
  std::vector<int> result(shape.m * shape.n, 1 << 30);

  for (int64_t warp = 0; warp < shape.warpsM * shape.warpsN; ++warp) {
    auto place = placeOf(warp * 32, shape.warpsN);
    std::vector<std::array<std::array<int, 4>, 32>> sums(warpRows / 16 *
                                                         pieces);
    for (int64_t step = 0; step < shape.k / 16; ++step)
      for (int64_t band = 0; band < warpRows / 16; ++band) {
        auto fragmentA =
            a.read(slotA, true, place.warpM * warpRows + band * 16, step);
        for (int64_t piece = 0; piece < pieces; ++piece) {
          auto four = b.read(slotB, false,
                             place.warpN * warpCols + piece / 2 * 16, step);
          std::array<std::array<Pair, 2>, 32> fragmentB;
          for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 2; ++i)
              fragmentB[lane][i] = four[lane][piece % 2 * 2 + i];
          Mma::run(fragmentA, fragmentB, sums[band * pieces + piece]);
        }
      }
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t index = 0; index < warpRows * warpCols / 32; ++index) {
        auto [row, col] = elementOf(lane, index, warpCols);
        result[(place.warpM * warpRows + row) * shape.n +
               place.warpN * warpCols + col] = sums[index / 4][lane][index % 4];
      }
  }

  for (int64_t m = 0; m < shape.m; ++m)
    for (int64_t n = 0; n < shape.n; ++n) {
      int expected = 0;
      for (int64_t k = 0; k < shape.k; ++k)
        expected += a.value(m, k) * b.value(n, k);
      ASSERT_EQ(result[m * shape.n + n], expected)
          << shape.m << "x" << shape.n << "x" << shape.k << ", warps "
          << shape.warpsM << "x" << shape.warpsN << ", transposed "
          << transposedA << transposedB << ", at " << m << ", " << n;
    }
}

// Lines of 32, 64, 128 and 256 bytes for either operand and order, and blocks
// whose warps are a power of two along N or not.
TEST(Fragments, ABlockMultiplies) {
  for (BlockShape shape : {BlockShape{16, 16, 16, 1, 1},
                           {32, 16, 32, 1, 1},
                           {16, 32, 64, 1, 2},
                           {64, 64, 32, 2, 2},
                           {128, 64, 16, 4, 2},
                           {64, 128, 128, 1, 4},
                           {32, 192, 32, 2, 3},
                           {192, 64, 64, 3, 1}})
    for (bool transposedA : {false, true})
      for (bool transposedB : {false, true})
        for (int64_t bytes : {2, 16})
          multiplyBlock(shape, transposedA, transposedB, bytes);
}

// The tables themselves: elements of one 16x16 piece against the ISA's.
TEST(Fragments, ElementsAreTheIsasC) {
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t index = 0; index < 8; ++index) {
      auto [row, col] = elementOf(lane, index, int64_t(16));
      EXPECT_EQ(row, Mma::rowC(lane, index % 4));
      EXPECT_EQ(col, Mma::colC(lane, index % 4) + index / 4 * 8);
    }
}

TEST(Fragments, EveryElementHasOneOwner) {
  for (int64_t warpCols : {16, 32, 48, 64, 128})
    for (int64_t warpRows : {16, 32, 64}) {
      std::set<std::pair<int64_t, int64_t>> places;
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t index = 0; index < warpRows * warpCols / 32; ++index) {
          auto place = elementOf(lane, index, warpCols);
          EXPECT_LT(place.first, warpRows);
          EXPECT_LT(place.second, warpCols);
          places.insert(place);
          // Elements come in adjacent pairs, and one store writes a pair.
          if (index % 2) {
            EXPECT_EQ(place.second,
                      elementOf(lane, index - 1, warpCols).second + 1);
          }
        }
      EXPECT_EQ(places.size(), size_t(warpRows * warpCols));
    }
}

// A warp's reads by ldmatrix: with the swizzle, each of the four matrices meets
// every bank once, for A and B, transposed or not.
TEST(Fragments, ReadsHaveNoConflicts) {
  for (bool isA : {true, false})
    for (bool transposed : {true, false})
      for (int64_t lineBytes : {32, 64, 128, 256, 384})
        for (int64_t row = 0; row < 64; row += 16)
          for (int64_t step = 0; step < 4; ++step) {
            if ((transposed ? row + 16 : step * 16 + 16) * 2 > lineBytes)
              continue;
            constexpr int64_t kLines = 128;
            for (int64_t matrix = 0; matrix < 4; ++matrix) {
              std::set<int64_t> groups;
              for (int64_t i = 0; i < 8; ++i) {
                auto place = matrixRow(matrix * 8 + i, isA, transposed);
                groups.insert(bankGroupOf(
                    transposed
                        ? chunkOffset(place.line + step * 16,
                                      row / 8 + place.chunk, lineBytes, kLines)
                        : chunkOffset(row + place.line, place.chunk + step * 2,
                                      lineBytes, kLines)));
              }
              ASSERT_EQ(groups.size(), 8u);
            }
          }
}
