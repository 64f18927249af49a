//===- PartialMapTest.cpp - Tests of the places of partial sums -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every sum has its own place, pieces of 16 bytes stay together, and no access
// of a warp meets a bank twice. 8-byte writes are issued in halves of a warp,
// 16-byte reads in quarters.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/PartialMap.h"
#include "gtest/gtest.h"
#include <set>
#include <vector>

using namespace hone::kernel;

static const int64_t kWidths[] = {16, 32, 48, 64, 96, 128, 192, 256};

TEST(Partial, HasAPlaceForEverySum) {
  for (int64_t cols : kWidths) {
    std::set<int64_t> places;
    for (int64_t line = 0; line < 64; ++line)
      for (int64_t col = 0; col < cols; ++col) {
        int64_t offset = partialOffset(line, col, cols);
        ASSERT_GE(offset, 0);
        ASSERT_LT(offset, partialBytes(64, cols));
        ASSERT_EQ(offset % 4, 0);
        places.insert(offset);
        // A run of four starts at a multiple of 16 bytes and stays together.
        ASSERT_EQ(offset, partialOffset(line, col / 4 * 4, cols) + col % 4 * 4);
      }
    EXPECT_EQ(int64_t(places.size()), 64 * cols) << cols << " columns";
  }
}

/// Counts the accesses of `bytes` bytes at these offsets that meet a bank of
/// another access.
static int64_t conflicts(const std::vector<int64_t> &offsets, int64_t bytes) {
  std::vector<int64_t> uses(32);
  int64_t max = 0;
  for (int64_t offset : offsets)
    for (int64_t word = 0; word < bytes / 4; ++word)
      max = std::max(max, ++uses[(offset / 4 + word) % 32]);
  return max - 1;
}

TEST(Partial, IsWrittenWithoutConflicts) {
  for (int64_t cols : kWidths)
    for (int64_t index = 0; index < 2 * cols; index += 2)
      for (int64_t half = 0; half < 2; ++half) {
        std::vector<int64_t> offsets;
        for (int64_t lane = 16 * half; lane < 16 * half + 16; ++lane) {
          auto [line, col] = elementOf(lane, index, cols);
          offsets.push_back(partialOffset(line, col, cols));
        }
        EXPECT_EQ(conflicts(offsets, 8), 0) << cols << " columns, " << index;
      }
}

TEST(Partial, IsReadWithoutConflicts) {
  // Widths whose lines are whole numbers of reads.
  for (int64_t cols : {16, 32, 64, 128, 256})
    for (int64_t run : {4, 8})
      for (int64_t first = 0; first < 512; first += 8)
        for (int64_t part = 0; part < run; part += 4) {
          std::vector<int64_t> offsets;
          for (int64_t thread = first; thread < first + 8; ++thread) {
            auto [line, col] = runElementOf(thread, part, 512, cols, run);
            offsets.push_back(partialOffset(line, col, cols));
          }
          EXPECT_EQ(conflicts(offsets, 16), 0)
              << cols << " columns, runs of " << run << ", thread " << first;
        }
}

TEST(Partial, RunsCoverATile) {
  for (auto [rows, cols, threads, run] :
       {std::array<int64_t, 4>{8, 128, 128, 8},
        {4, 16, 16, 4},
        {16, 48, 96, 8},
        {64, 64, 256, 4}}) {
    std::set<std::pair<int64_t, int64_t>> places;
    int64_t each = rows * cols / threads;
    for (int64_t thread = 0; thread < threads; ++thread)
      for (int64_t index = 0; index < each; ++index) {
        auto [line, col] = runElementOf(thread, index, threads, cols, run);
        EXPECT_LT(line, rows);
        EXPECT_LT(col, cols);
        places.insert({line, col});
      }
    EXPECT_EQ(int64_t(places.size()), rows * cols);
  }
}
