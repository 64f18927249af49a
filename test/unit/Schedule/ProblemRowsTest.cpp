//===- ProblemRowsTest.cpp - Tests of ragged and indexed rows -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemTexts.h"
#include "hone/Schedule/Geometry.h"

using namespace hone;
using namespace hone::test;

namespace {

TEST(Problem, RaggedRows) {
  const char *text =
      "m = 512, n = 96, k = 64, rows = ragged:8, a = f16:row:16, "
      "b = f16:row:16, acc = f32, c = f16:16, init = zero";
  Problem problem = llvm::cantFail(Problem::parse(text));
  EXPECT_EQ(problem.groups, 8);
  EXPECT_EQ(problem.str(), text);
  EXPECT_EQ(*problem.flops(), 2.0 * 512 * 96 * 64);
  EXPECT_EQ(*problem.bytes(), 2.0 * (512 * 64 + 8 * 64 * 96 + 512 * 96));
  EXPECT_EQ(problem.open().groups, kDynamic);
  Problem plain = problem;
  plain.groups = std::nullopt;
  EXPECT_FALSE(problem == plain);
  // For a choice, each group has as many rows.
  Problem equal = withEqualGroups(problem);
  EXPECT_EQ(equal.batch, 8);
  EXPECT_EQ(equal.m, 64);
  EXPECT_FALSE(equal.groups);
  EXPECT_EQ(withEqualGroups(plain), plain);
}

TEST(Problem, IndexedRowsAndRaggedSums) {
  std::string rest = "a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, "
                     "init = zero";
  for (bool isRagged : {false, true}) {
    std::string rows = isRagged ? "ragged:8:indexed" : "indexed";
    std::string text = "m = 512, n = 96, k = 64, rows = " + rows + ", " + rest;
    Problem problem = llvm::cantFail(Problem::parse(text));
    EXPECT_TRUE(problem.isIndexed);
    EXPECT_EQ(problem.groups.has_value(), isRagged);
    EXPECT_EQ(problem.str(), text);
    Problem plain = problem;
    plain.isIndexed = false;
    EXPECT_FALSE(problem == plain);
  }
  const char *text =
      "batch = 8, m = 64, n = 96, k = 512, sum = ragged, a = "
      "f16:col:16:shared, "
      "b = f16:row:16:shared, acc = f32, c = f32:16, init = zero";
  Problem sum = llvm::cantFail(Problem::parse(text));
  EXPECT_EQ(sum.str(), text);
  EXPECT_EQ(*sum.flops(), 2.0 * 64 * 96 * 512);
  // For a choice, each batch sums over as much.
  Problem equal = withEqualGroups(sum);
  EXPECT_EQ(equal.k, 64);
  EXPECT_FALSE(equal.isRaggedSum || equal.a.shared || equal.b.shared);
}

TEST(Problem, RaggedRowsThatAreNone) {
  auto messageOf = [](const char *rows) {
    return llvm::toString(
        Problem::parse(std::string("m = 8, n = 8, k = 8, ") + rows +
                       ", a = f16:row:16, b = f16:row:16, acc = f32, "
                       "c = f16:16, init = zero")
            .takeError());
  };
  EXPECT_EQ(messageOf("rows = ragged:0"),
            "expected extent of 'groups' to be a positive integer or '?', but "
            "got '0'");
  EXPECT_EQ(messageOf("rows = ragged:65537"),
            "expected at most 65536 groups of ragged rows, but got 65537; use "
            "several products");
  EXPECT_EQ(messageOf("batch = 2, rows = ragged:4"),
            "expected ragged rows of a matrix without a batch, but got batch = "
            "2; use a product for each");
  EXPECT_EQ(messageOf("batch = 2, rows = indexed"),
            "expected indexed rows of a matrix without a batch, but got batch "
            "= 2; use a product for each");
  EXPECT_EQ(messageOf("sum = ragged"),
            "expected a ragged sum of a batch with shared matrices a and b, "
            "but got no batch; use batch and :shared");
  EXPECT_EQ(messageOf("sum = whole"),
            "expected 'sum' to be ragged, but got 'whole'; leave it out where "
            "each batch sums over all of k");
}

} // namespace
