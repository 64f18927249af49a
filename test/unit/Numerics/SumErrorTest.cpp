//===- SumErrorTest.cpp ---------------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Numerics/SumError.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;

TEST(SumErrorTest, IsAPartOfTheSizeOfAResult) {
  SumError error = sumErrorOf({3.5, 4, 5, -5, 4.5, 2.5}, {4, 4, 5, -6, 4, 3});
  double size = std::sqrt((16 + 16 + 25 + 36 + 16 + 9) / 6.0);
  EXPECT_DOUBLE_EQ(error.largest, 1 / size);
  EXPECT_DOUBLE_EQ(error.rms, std::sqrt((0.25 + 1 + 0.25 + 0.25) / 6) / size);
}

TEST(SumErrorTest, NothingIsOffWhereBothAreEqual) {
  SumError error = sumErrorOf({0, 0}, {0, 0});
  EXPECT_EQ(error.rms, 0);
  EXPECT_EQ(error.largest, 0);
}

TEST(SumErrorTest, NotANumberIsOffByAnInfinity) {
  SumError error = sumErrorOf({NAN, 1}, {1, 1});
  EXPECT_TRUE(std::isinf(error.rms));
  EXPECT_TRUE(std::isinf(error.largest));
}
