//===- PatienceTest.cpp - Tests of the end of trials without a gain -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Search/Patience.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using hone::detail::Patience;

namespace {

TEST(PatienceTest, AsksForNoMoreThanWouldBeAskedWithAllRepliesThere) {
  Patience patience;
  patience.restart(2, 0);
  int64_t first = patience.ask(false), second = patience.ask(false);
  EXPECT_FALSE(patience.mayAsk()); // neither may be a gain
  patience.receive(second, 1.0);   // nothing counts before the first does
  EXPECT_FALSE(patience.mayAsk());
  patience.receive(first, 2.0);
  EXPECT_TRUE(patience.mayAsk());
}

TEST(PatienceTest, LessThanAPercentCountsOnceItAddsUp) {
  Patience patience;
  patience.restart(2, 1.0);
  patience.receive(patience.ask(false), 0.995);
  EXPECT_TRUE(patience.mayAsk());
  patience.receive(patience.ask(false), 0.989);
  patience.receive(patience.ask(false), 0); // failed
  EXPECT_TRUE(patience.mayAsk());
  patience.receive(patience.ask(false), 0.985);
  EXPECT_FALSE(patience.mayAsk());
}

TEST(PatienceTest, WhatIsMadeAnywayUsesNothingUp) {
  Patience patience;
  patience.restart(1, 1.0);
  for (int i = 0; i < 5; ++i)
    patience.receive(patience.ask(true), 2.0);
  EXPECT_TRUE(patience.mayAsk());
  patience.receive(patience.ask(false), 2.0);
  EXPECT_FALSE(patience.mayAsk());
}

TEST(PatienceTest, NothingIsEverEnoughUnlessAsked) {
  Patience patience;
  patience.restart(0, 1.0);
  for (int i = 0; i < 100; ++i)
    patience.receive(patience.ask(false), 2.0);
  EXPECT_TRUE(patience.mayAsk());
}

/// Trials of these times, `abreast` in flight at a time, with replies in a
/// random order: the number of trials.
int64_t countTrials(const std::vector<double> &times, size_t abreast,
                    std::mt19937 &random) {
  Patience patience;
  patience.restart(4, 0);
  std::vector<int64_t> underWay;
  size_t asked = 0;
  for (;;) {
    while (underWay.size() < abreast && asked < times.size() &&
           patience.mayAsk()) {
      underWay.push_back(patience.ask(false));
      ++asked;
    }
    if (underWay.empty())
      return asked;
    std::swap(underWay[random() % underWay.size()], underWay.back());
    int64_t trial = underWay.back();
    underWay.pop_back();
    patience.receive(trial, times[trial - 1]);
  }
}

TEST(PatienceTest, TheSameTrialsAreMadeHoweverManyAreUnderWay) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> times(40);
    for (double &time : times)
      time = random() % 5 ? 1.0 + (random() % 100) / 100.0 : 0;
    int64_t one = countTrials(times, 1, random);
    for (size_t abreast : {2, 3, 8, 16})
      ASSERT_EQ(countTrials(times, abreast, random), one);
  }
}

} // namespace
