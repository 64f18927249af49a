//===- RegionTest.cpp - Tests of elements in an operand's memory ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines, the gaps between them, and batches.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulate/Launch.h"
#include "gtest/gtest.h"

using namespace hone::simulate;

/// Two matrices of 3 lines of 5 elements of 2 bytes, 8 elements apart.
static OperandRegion makeRegion() {
  OperandRegion region;
  region.name = "a";
  region.type = hone::ElementType::f16;
  region.base = 1024;
  region.batches = 2;
  region.lines = 3;
  region.width = 5;
  region.lineStride = 8;
  region.batchStride = 32;
  return region;
}

TEST(OperandRegion, HasItsLinesAndNothingBetweenThem) {
  OperandRegion region = makeRegion();
  EXPECT_TRUE(region.hasLines(1024, 3, 5, 8));
  EXPECT_FALSE(region.hasLines(1024, 3, 6, 8));
  EXPECT_FALSE(region.hasLines(1024, 4, 5, 8));
  EXPECT_FALSE(region.hasLines(1024 + 5 * 2, 1, 1, 8));
  EXPECT_FALSE(region.hasLines(1024 - 2, 1, 1, 8));
  EXPECT_FALSE(region.hasLines(1025, 1, 1, 8));
}

TEST(OperandRegion, HasBatches) {
  OperandRegion region = makeRegion();
  EXPECT_TRUE(region.hasLines(1024 + 32 * 2, 3, 5, 8));
  EXPECT_FALSE(region.hasLines(1024 + 24 * 2, 1, 1, 8));
  EXPECT_FALSE(region.hasLines(1024 + 64 * 2, 1, 1, 8));
}

TEST(OperandRegion, HasLinesThatAreFurtherApart) {
  OperandRegion region = makeRegion();
  EXPECT_TRUE(region.hasLines(1024, 2, 5, 16));
  EXPECT_TRUE(region.hasLines(1024, 2, 5, 32));
  EXPECT_FALSE(region.hasLines(1024, 2, 5, 5));
}
