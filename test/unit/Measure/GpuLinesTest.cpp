//===- GpuLinesTest.cpp - Tests of copies of lines on a GPU ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads together write every line and its gap, and nothing else, at any
// alignment of the source's lines.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/GpuLines.h"
#include "gtest/gtest.h"
#include <vector>

using namespace hone::gpucheck;

namespace {

constexpr Half kGuard = 0xBEEF;

/// Halves at an address that is a multiple of 16 bytes, followed by a guard.
struct Halves {
  explicit Halves(size_t count, Half value = kGuard)
      : words(count / kHalves + 2) {
    for (size_t i = 0; i < words.size() * kHalves; ++i)
      data()[i] = value;
  }
  Half *data() { return reinterpret_cast<Half *>(words.data()); }
  std::vector<Word16> words;
};

Half elementOf(int64_t row, int64_t col) { return Half(row * 131 + col + 1); }

/// Copies `rows` lines of `cols` and checks all written memory.
void expectCopy(int64_t rows, int64_t cols, int64_t toLead, int64_t fromLead,
                int64_t shift) {
  Halves from(shift + rows * fromLead), to(rows * toLead);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col)
      from.data()[shift + row * fromLead + col] = elementOf(row, col);
  Lines lines = {to.data(), from.data() + shift, rows, cols, toLead, fromLead};
  for (int64_t at = 0; at < rows * toLead; at += kHalves)
    copyWord(lines, at);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < toLead; ++col)
      ASSERT_EQ(to.data()[row * toLead + col],
                col < cols ? elementOf(row, col) : Half(0))
          << rows << " x " << cols << ", " << fromLead << " to " << toLead
          << ", shifted by " << shift << ": row " << row << ", column " << col;
  EXPECT_EQ(to.data()[rows * toLead], kGuard);
}

TEST(GpuLines, OddLinesIntoPaddedOnes) {
  for (int64_t cols : {1, 7, 8, 9, 15, 16, 17, 100, 333})
    for (int64_t shift : {0, 1, 2, 3, 5})
      expectCopy(/*rows=*/13, cols, (cols + 7) / 8 * 8, cols, shift);
}

TEST(GpuLines, PaddedLinesIntoOddOnes) {
  for (int64_t cols : {1, 7, 8, 9, 15, 17, 100, 333})
    expectCopy(/*rows=*/13, cols, cols, (cols + 7) / 8 * 8, /*shift=*/0);
}

TEST(GpuLines, GapsOnBothSides) {
  expectCopy(/*rows=*/5, /*cols=*/21, /*toLead=*/40, /*fromLead=*/23, 1);
  expectCopy(/*rows=*/1, /*cols=*/3, /*toLead=*/8, /*fromLead=*/3, 1);
}

/// Indices beyond 32 bits take the other division.
TEST(GpuLines, LargeMatrices) {
  constexpr int64_t kLead = int64_t(1) << 33;
  Halves from(2 * kHalves, Half(7));
  Halves to(kHalves);
  Lines lines = {
      to.data() - kLead, from.data() - kLead, 2, kHalves, kLead, kLead};
  copyWord(lines, kLead);
  EXPECT_EQ(to.data()[0], 7);
  EXPECT_EQ(to.data()[kHalves], kGuard);
}

} // namespace
