//===- SumsTest.cpp - Tests of sums of products ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Guards/Sums.h"
#include "gtest/gtest.h"

using namespace hone::guards;

namespace {

TEST(Sums, AreOrderedByProductsThenByCoefficients) {
  Sum a = Sum::ofAtom(0), b = Sum::ofAtom(1);
  std::vector<Sum> ascending = {Sum(),      Sum(1), a + Sum(1),
                                Sum(2),     a,      a + b.times(2),
                                a.times(2), a * b,  b};
  for (size_t i = 0; i < ascending.size(); ++i)
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(ascending[i] < ascending[j], i < j) << i << " " << j;
      EXPECT_EQ(ascending[i] == ascending[j], i == j) << i << " " << j;
    }
}

TEST(Sums, DoNotDependOnTheOrderOfAdding) {
  Sum a = Sum::ofAtom(0), b = Sum::ofAtom(1);
  EXPECT_TRUE(a + b * a + Sum(3) == Sum(3) + a * b + a);
  EXPECT_TRUE(a + b - a == b);
}

} // namespace
