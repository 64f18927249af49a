//===- UnseenSourceTest.cpp - Tests of schedules for unmeasured problems --===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of UnseenSource.h. Neither the order of the known records nor the
// machine changes an answer. `hone-lab unseen` replays how good the rules are.
//
//===----------------------------------------------------------------------===//

#include "hone/Sources/UnseenSource.h"
#include "../Search/Fixtures.h"
#include "hone/Sources/ModelSource.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <cmath>
#include <thread>

using namespace hone;
using hone::test::h200;

namespace {

Problem problemOf(int64_t m, int64_t n, int64_t k) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

Found foundOf(const Problem &problem, llvm::StringRef schedule) {
  Found found;
  found.record.problem = problem;
  found.record.arch = "h200";
  found.record.schedule = llvm::cantFail(parseSchedule(schedule));
  return found;
}

std::optional<Answer> askRounded(std::vector<Found> known,
                                 const Problem &problem) {
  return makeRoundedSource(makeLookup(std::move(known), "list"))
      ->ask(problem, h200());
}
std::optional<Answer> askNearest(std::vector<Found> known,
                                 const Problem &problem) {
  return makeNearestSource(makeLookup(std::move(known), "list"))
      ->ask(problem, h200());
}

/// The kind of schedule with the best estimate for a problem.
std::string guessOf(const Problem &problem) {
  return toString(*guessSchedule(problem, h200()));
}

//===----------------------------------------------------------------------===//
// Rounded
//===----------------------------------------------------------------------===//

TEST(Rounded, TakesWhatServesTheMeasuredSizes) {
  // One schedule is very slow for all sizes but its own.
  std::string wide = "ws_coop, tile = 128x256x64, consumers = 2x1";
  std::string narrow = guessOf(problemOf(64, 4096, 4096));
  std::vector<Found> known = {foundOf(problemOf(16, 4096, 4096), narrow),
                              foundOf(problemOf(64, 4096, 4096), narrow),
                              foundOf(problemOf(128, 4096, 4096), wide)};
  std::optional<Answer> answer =
      askRounded(known, problemOf(kDynamic, 4096, 4096));
  ASSERT_TRUE(answer);
  EXPECT_EQ(toString(answer->schedule), narrow);
  EXPECT_EQ(answer->source, "list, rounded, 3 measured at m = 16 to 128");
  EXPECT_EQ(answer->basis, Basis::rounded);
  std::reverse(known.begin(), known.end());
  EXPECT_EQ(
      toString(askRounded(known, problemOf(kDynamic, 4096, 4096))->schedule),
      narrow);
}

TEST(Rounded, AsksOnlyThoseThatAgree) {
  std::string schedule = "small, tile = 64x64x64";
  std::vector<Found> known = {foundOf(problemOf(64, 512, 512), schedule)};
  EXPECT_TRUE(askRounded(known, problemOf(kDynamic, 512, 512)));
  EXPECT_TRUE(askRounded(known, problemOf(kDynamic, kDynamic, 512)));
  EXPECT_FALSE(askRounded(known, problemOf(kDynamic, 1024, 512)));
  EXPECT_FALSE(askRounded(known, problemOf(64, 512, 512))); // nothing to round
  Problem other = problemOf(kDynamic, 512, 512);
  other.b.order = Order::col;
  EXPECT_FALSE(askRounded(known, other));
  other = problemOf(kDynamic, 512, 512);
  other.epilogue = "addf(acc, n:f32)";
  EXPECT_FALSE(askRounded(known, other));
  other = problemOf(kDynamic, 512, 512);
  other.batch = kDynamic;
  EXPECT_FALSE(askRounded(known, other));
}

/// A line of unknown length proves no alignment, so alignment makes no
/// difference.
TEST(Rounded, UnknownLinesHaveNoAlignment) {
  std::vector<Found> known = {foundOf(problemOf(64, 512, 512), "mma_sync")};
  Problem asked = problemOf(64, 512, kDynamic);
  asked.a.align = 2;
  EXPECT_TRUE(askRounded(known, asked));
  asked = problemOf(kDynamic, 512, 512);
  asked.a.align = 2;
  EXPECT_FALSE(askRounded(known, asked));
}

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

/// A schedule that the model would not choose for 512 x 512 x 512.
constexpr const char *kOdd = "ws_coop, tile = 128x256x64, consumers = 2x1";

TEST(Nearest, CloseByAMeasurementDecides) {
  std::vector<Found> known = {foundOf(problemOf(512, 512, 512), kOdd)};
  std::optional<Answer> answer = askNearest(known, problemOf(520, 512, 512));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->schedule.kind().name, "ws");
  EXPECT_EQ(answer->source, "list, nearest, m = 512, n = 512, k = 512");
  EXPECT_EQ(answer->basis, Basis::nearest);
}

TEST(Nearest, FarAwayTheModelMayObject) {
  std::vector<Found> known = {foundOf(problemOf(4096, 4096, 4096), kOdd)};
  EXPECT_FALSE(askNearest(known, problemOf(512, 512, 512)));
}

TEST(Nearest, TheNearerComesFirst) {
  Problem asked = problemOf(1024, 1024, 1024);
  Problem near = problemOf(1024, 1024, 1040), far = problemOf(1024, 1024, 1200);
  std::vector<Found> known = {foundOf(far, guessOf(far)),
                              foundOf(near, guessOf(near))};
  EXPECT_EQ(askNearest(known, asked)->source,
            "list, nearest, m = 1024, n = 1024, k = 1040");
  // The same shape with another epilogue comes after it.
  Problem other = asked;
  other.epilogue = "addf(acc, n:f32)";
  known.push_back(foundOf(other, guessOf(asked)));
  EXPECT_EQ(askNearest(known, asked)->source,
            "list, nearest, m = 1024, n = 1024, k = 1040");
  known.erase(known.begin(), known.begin() + 2);
  EXPECT_EQ(askNearest(known, asked)->source,
            "list, nearest, m = 1024, n = 1024, k = 1024 (another epilogue)");
}

TEST(Nearest, OthersAreNotAlike) {
  std::vector<Found> known = {foundOf(problemOf(512, 512, 512), kOdd)};
  Problem asked = problemOf(520, 512, 512);
  asked.a.align = 8;
  EXPECT_FALSE(askNearest(known, asked));
  asked = problemOf(520, 512, 512);
  asked.batch = 4;
  EXPECT_FALSE(askNearest(known, asked));
  asked = problemOf(520, 512, 512);
  asked.c = ElementType::f32;
  EXPECT_FALSE(askNearest(known, asked));
  // Its own record belongs to another source.
  EXPECT_FALSE(askNearest(known, problemOf(512, 512, 512)));
  EXPECT_FALSE(askNearest(known, problemOf(kDynamic, 512, 512)));
}

TEST(Nearest, AnotherWindowIsAlike) {
  // Images of 8x56x56x64: windows of 3x3 one apart, and two apart.
  auto withAccess = [](const char *access) {
    Problem problem = problemOf(25088, 64, 576);
    problem.a.access = llvm::cantFail(OperandAccess::parse(access));
    return problem;
  };
  Problem one = withAccess("m[8*200704, 56*x, 56*y] k[3*x, 3*y, 64*1] "
                           "x[56*3584, low 1] y[56*64, low 1]");
  Problem two = withAccess("m[8*200704, 56*x, 56*y] k[3*2x, 3*2y, 64*1] "
                           "x[56*3584, low 2] y[56*64, low 2]");
  std::vector<Found> known = {foundOf(one, "ws, tile = 128x64x64")};
  std::optional<Answer> answer = askNearest(known, two);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->source, "list, nearest, m = 25088, n = 64, k = 576 "
                            "(another window)");
  // Its own record belongs to another source.
  EXPECT_FALSE(askNearest(known, one));
}

TEST(Nearest, IllegalSchedulesAreSkipped) {
  Found found = foundOf(problemOf(512, 512, 512), "host");
  EXPECT_FALSE(askNearest({found}, problemOf(520, 512, 512)));
}

TEST(Nearest, NothingIsKnown) {
  EXPECT_FALSE(askNearest({}, problemOf(512, 512, 512)));
  EXPECT_FALSE(askRounded({}, problemOf(kDynamic, 512, 512)));
}

//===----------------------------------------------------------------------===//
// The same answer everywhere
//===----------------------------------------------------------------------===//

TEST(Unseen, AnyThreadGetsTheSameAnswer) {
  std::vector<Found> known;
  for (int64_t m : {64, 256, 1024, 4096})
    known.push_back(
        foundOf(problemOf(m, 512, 512), guessOf(problemOf(m, 512, 512))));
  auto source = makeNearestSource(makeLookup(known, "list"));
  auto answers = [&] {
    std::string text;
    for (int64_t m = 80; m < 8192; m *= 3)
      if (auto answer = source->ask(problemOf(m, 512, 512), h200()))
        text += toString(answer->schedule) + answer->source + "\n";
    return text;
  };
  std::string expected = answers();
  EXPECT_FALSE(expected.empty());
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string &text : got)
    threads.emplace_back([&] { text = answers(); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &text : got)
    EXPECT_EQ(text, expected);
}

TEST(Power, IsClose) {
  for (double base : {1e-9, 0.3, 0.70710678118654757, 0.99999, 1.0, 1.5, 7e5})
    for (double exponent : {0.1, 0.2875, 1.0, 3.478, 7.0}) {
      double expected = std::pow(base, exponent);
      EXPECT_NEAR(detail::power(base, exponent), expected, 1e-13 * expected)
          << base << " to " << exponent;
    }
  EXPECT_EQ(detail::power(0, 3), 0);
  EXPECT_EQ(detail::binaryLog(1024), 10);
  EXPECT_EQ(detail::binaryLog(0.125), -3);
}

/// Equal to the bit: the number may change with the version, never with the
/// machine.
TEST(CostModel, IsTheSameOnEveryMachine) {
  Schedule schedule = llvm::cantFail(
      parseSchedule("ws_coop, tile = 128x256x64, consumers = 2x1"));
  double seconds =
      estimateSeconds(problemOf(1000, 2000, 3000), h200(), schedule);
  EXPECT_EQ(seconds, 0x1.2a1482c761068p-15)
      << llvm::formatv("{0:x}", llvm::bit_cast<uint64_t>(seconds)).str();
}

} // namespace
