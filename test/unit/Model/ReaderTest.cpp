//===- ReaderTest.cpp - Tests that readings are finite numbers ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A property of random legal schedules of random problems: as many numbers as
// names, and each of them finite.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Reader.h"
#include "../Search/Fixtures.h"
#include "hone/Space/Space.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

Problem randomProblem(Dice &dice) {
  auto extent = [&] {
    int64_t value = int64_t(1) << dice.below(15);
    return dice.below(2) ? value : value + int64_t(dice.below(value));
  };
  Problem problem = problemOf(extent(), extent(), extent(),
                              dice.below(2) ? Order::col : Order::row);
  problem.a.order = dice.below(3) ? Order::row : Order::col;
  if (dice.below(2))
    problem.a.type = problem.b.type = ElementType::bf16;
  if (dice.below(2))
    problem.c = ElementType::f32;
  if (dice.below(2))
    problem.a.align = problem.b.align = problem.alignC = 2;
  if (dice.below(4) == 0)
    problem.batch = 1 + dice.below(40);
  return problem;
}

TEST(Reader, NamesAreThereOnce) {
  std::vector<std::string> names = Reader::names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(),
            names.size());
}

TEST(Reader, ReadsFiniteNumbers) {
  std::vector<std::string> names = Reader::names();
  Dice dice(1);
  int read = 0;
  for (int count = 0; count < 24; ++count) {
    Problem problem = randomProblem(dice);
    Arch arch = archOf(count % 2 ? "a100" : "h200");
    Space space(problem, arch, {}, allKinds());
    Reader reader(problem, arch);
    for (int draw = 0; draw < 12; ++draw) {
      std::optional<Schedule> schedule = space.draw(dice);
      if (!schedule)
        break;
      Reading reading = reader.read(*schedule);
      ASSERT_EQ(reading.numbers.size(), names.size());
      EXPECT_TRUE(std::isfinite(reading.logEstimate));
      for (size_t at = 0; at < names.size(); ++at)
        EXPECT_TRUE(std::isfinite(reading.numbers[at]))
            << names[at] << " of " << toString(*schedule) << " for "
            << problem.str();
      ++read;
    }
  }
  EXPECT_GT(read, 100);
}

TEST(Reader, LogarithmsAreThoseOfTheLibrary) {
  for (double value = 1e-9; value < 1e9; value *= 1.7)
    EXPECT_NEAR(logOf(value), std::log(value), 1e-9);
}

} // namespace
