//===- SuggestTest.cpp - Tests of "did you mean" --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Suggest.h"
#include "gtest/gtest.h"

using namespace hone;

TEST(Suggest, NamesTheClosestWhateverItsCase) {
  EXPECT_EQ(didYouMean("H20", {"h100", "h200"}), "; did you mean 'h200'?");
  EXPECT_EQ(didYouMean("expain", {"run", "explain", "compile"}),
            "; did you mean 'explain'?");
  EXPECT_EQ(didYouMean("stges", {"tile", "stages"}),
            "; did you mean 'stages'?");
}

TEST(Suggest, IsSilentWithoutACloseName) {
  EXPECT_EQ(didYouMean("mips", {"h100", "h200"}), "");
  EXPECT_EQ(didYouMean("sm_999", {"sm_89", "sm_90"}), "");
  EXPECT_EQ(didYouMean("", {"h100"}), "");
  EXPECT_EQ(didYouMean(std::string(10000, 'h'), {"h100"}), "");
  EXPECT_EQ(didYouMean("h100", {}), "");
}
