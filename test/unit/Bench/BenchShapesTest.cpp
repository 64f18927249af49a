//===- BenchShapesTest.cpp - Tests of the shapes to time ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The spelling of shapes, and the batch of a row.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchPlan.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

TEST(BenchShapes, OneProductAndBatches) {
  auto shapes = parseShapes("512x256x128, 16*1x2048x64");
  ASSERT_TRUE(bool(shapes)) << llvm::toString(shapes.takeError());
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_FALSE((*shapes)[0].batch);
  EXPECT_EQ((*shapes)[1].batch, 16);
  EXPECT_EQ((*shapes)[1].extents, (Extents{1, 2048, 64}));
}

TEST(BenchShapes, Convolutions) {
  auto shapes = parseShapes("1x2x3, conv:8x28x28x64:96x3x3:1:1");
  ASSERT_TRUE(bool(shapes)) << llvm::toString(shapes.takeError());
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_EQ((*shapes)[1].extents, (Extents{6272, 96, 576}));
  EXPECT_FALSE((*shapes)[1].in(Problem()).hasMatrices());
  EXPECT_TRUE((*shapes)[0].in(Problem()).hasMatrices());
}

TEST(BenchShapes, RefusesMalformedShapes) {
  for (const char *text :
       {"", "512x512", "0x1x1", "*1x1x1", "0*1x1x1", "2*3*4x5x6", "2x3x4x5",
        "-1*2x3x4", "a*2x3x4", "9999999999x1x1", "conv:8x28x28x64"}) {
    auto shapes = parseShapes(text);
    EXPECT_FALSE(bool(shapes)) << text;
    llvm::consumeError(shapes.takeError());
  }
}

TEST(BenchShapes, SamplesCountFromOne) {
  auto sample = sampleOf("2:3", 9);
  ASSERT_TRUE(bool(sample));
  EXPECT_EQ(*sample, (std::vector<size_t>{1, 4, 7}));
  auto all = sampleOf("", 3);
  ASSERT_TRUE(bool(all));
  EXPECT_EQ(*all, (std::vector<size_t>{0, 1, 2}));
}

TEST(BenchRow, ABatchCountsAsWork) {
  BenchRow row;
  row.shape = {10, 10, 10};
  row.types = "f16:f16";
  EXPECT_EQ(row.flops(), 2000);
  row.types = "f16:f16 batch=16 residual";
  EXPECT_EQ(row.batch(), 16);
  EXPECT_EQ(row.flops(), 32000);
  row.types = "f16:f16 batch=no";
  EXPECT_EQ(row.batch(), 1);
}

/// For odd line lengths the rival may copy its operands: the better time
/// counts.
TEST(BenchPlan, RivalsOfOddLines) {
  Problem aligned, odd;
  odd.alignC = 2;
  using Rivals = std::vector<Rival>;
  EXPECT_EQ(rivalsOf(Baseline::cublasLtAuto, aligned),
            Rivals{Rival::cublasLtAuto});
  EXPECT_EQ(rivalsOf(Baseline::cublasLtAuto, odd),
            (Rivals{Rival::cublasLtAuto, Rival::cublasLtPadded}));
  EXPECT_EQ(rivalsOf(Baseline::cublasLtDirect, odd),
            Rivals{Rival::cublasLtAuto});
  EXPECT_EQ(rivalsOf(Baseline::plain, odd), Rivals{});
  // Libraries multiply no windows.
  aligned.a.access = OperandAccess(Order::row);
  EXPECT_EQ(rivalsOf(Baseline::cublasLtAuto, aligned), Rivals{});
}

} // namespace
