//===- InvarianceTest.cpp - Tests of the products to compare --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The spelling of rows and products, and the problems of a run.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/Invariance.h"
#include "gtest/gtest.h"

using namespace hone;

TEST(Invariance, RowsAreNumbersAndRanges) {
  auto rows = parseRowCounts("1-3,8");
  ASSERT_TRUE(bool(rows)) << llvm::toString(rows.takeError());
  EXPECT_EQ(*rows, (std::vector<int64_t>{1, 2, 3, 8}));
  for (const char *text : {"", "0", "1-", "a"}) {
    auto wrong = parseRowCounts(text);
    EXPECT_EQ(bool(wrong), llvm::StringRef(text) == "1-") << text;
    llvm::consumeError(wrong.takeError());
  }
}

TEST(Invariance, ProductsTimesTypesTimesNumbers) {
  InvarianceOptions options;
  options.products = "64x32,16x16";
  options.types = "f16:f16,bf16:f32";
  options.numbers = "invariant,invariant:4";
  auto problems = problemsOf(options);
  ASSERT_TRUE(bool(problems)) << llvm::toString(problems.takeError());
  ASSERT_EQ(problems->size(), 8u);
  EXPECT_EQ(problems->front().m, kDynamic);
  EXPECT_EQ(problems->front().n, 64);
  options.sample = "1:4";
  problems = problemsOf(options);
  ASSERT_TRUE(bool(problems)) << llvm::toString(problems.takeError());
  EXPECT_EQ(problems->size(), 2u);
  options.products = "64";
  problems = problemsOf(options);
  EXPECT_FALSE(bool(problems));
  llvm::consumeError(problems.takeError());
}
