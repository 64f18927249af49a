//===- ToyTest.cpp - Tests of an added decision and kind ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CONTRIBUTING.md lists the steps to add a decision or a kind. This test adds
// both to its own table, and all code that walks the rows must accept them
// unchanged: text, laws, default, cost model, search.
//
//===----------------------------------------------------------------------===//

#include "../Toy.h"
#include "Fixtures.h"
#include "hone/Search/Policy.h"
#include "hone/Space/CostModel.h"
#include "gtest/gtest.h"
#include <set>

using namespace hone;
using namespace hone::test;

namespace {

//===----------------------------------------------------------------------===//
// A decision
//===----------------------------------------------------------------------===//

TEST(ToyDecision, IsReadAndPrinted) {
  auto canonical = [](llvm::StringRef text) {
    llvm::Expected<Schedule> schedule = parseSchedule(text, kWithHint);
    return schedule ? toString(*schedule)
                    : llvm::toString(schedule.takeError());
  };
  const std::string usual = toString(Schedule(MmaSync::kind()));
  // Texts from before the decision keep their meaning.
  EXPECT_EQ(canonical(usual), usual + ", hint = none");
  EXPECT_EQ(canonical("mma_sync, hint = last"), usual + ", hint = last");
  EXPECT_EQ(canonical(canonical("mma_sync, hint = last")),
            usual + ", hint = last");
  EXPECT_EQ(canonical("mma_sync, hint = often"),
            "expected 'hint' to be one of none, first, last, but got 'often'");
}

TEST(ToyDecision, IsAnotherKernelOfTheSameLaws) {
  Schedule one(hinted()), other(hinted());
  llvm::cantFail(other.decide("hint", "first"));
  EXPECT_NE(compileTimeText(one), compileTimeText(other));
  EXPECT_EQ(MmaSync(other).tile, MmaSync(one).tile);
  EXPECT_FALSE(check(other));
  llvm::cantFail(other.decide("stages", "99"));
  EXPECT_EQ(check(other).value_or("").substr(0, 12), "schedule_c14");
  other = one;
  other.numbers().back() = 4;
  EXPECT_EQ(*check(other),
            "schedule_c3: expected 'hint' to be 1 to 3, but got 4; use 3");
}

TEST(ToyDecision, IsSearched) {
  Problem problem = problemOf(512, 512, 512);
  for (const char *name : {"random", "evolution"}) {
    auto policy =
        llvm::cantFail(makePolicy(name, problem, h200(), 1, {}, kWithHint));
    std::set<std::string> hints;
    for (int round = 0; round < 12; ++round)
      for (const Schedule &schedule : policy->propose(20)) {
        EXPECT_EQ(&schedule.kind(), &hinted());
        EXPECT_GT(estimateSeconds(problem, h200(), schedule), 0);
        hints.insert(schedule.decided().back().text());
        policy->receive(schedule, okIn(timeOf(schedule)));
      }
    // Random draws find other forms.
    if (name == llvm::StringRef("random"))
      EXPECT_EQ(hints.size(), std::size(kHints));
  }
}

//===----------------------------------------------------------------------===//
// A kind
//===----------------------------------------------------------------------===//

/// Sums on the fingers of both hands: no tile larger than ten.
const Kind &fingers() {
  static constexpr Decision decisions[] = {
      {"tile",
       When::compileTime,
       "rows and columns that are counted at once",
       {{4, 1, 10}, {4, 1, 10}}},
      {"hands", When::runTime, "hands", {{2, 1, 2}}},
  };
  static constexpr Law laws[] = {
      {99, "tile.m * tile.n has fingers",
       [](const Schedule &schedule, const KnownFacts &) -> Broken {
         llvm::ArrayRef<int64_t> tile = schedule["tile"];
         int64_t fingers = 10 * schedule["hands"].front();
         if (tile[0] * tile[1] <= fingers)
           return std::nullopt;
         return "expected at most " + std::to_string(fingers) +
                " elements, but got " + std::to_string(tile[0] * tile[1]) +
                "; use fewer";
       }},
  };
  static const Kind row = {
      "fingers",
      decisions,
      [](const Arch &) -> Broken { return std::nullopt; },
      [](const Problem &problem) -> Broken {
        if (problem.c == ElementType::f16)
          return std::nullopt;
        return "expected c to be f16; use that";
      },
      [](const Schedule &, const Problem &problem) -> Broken {
        if (problem.m != 7)
          return std::nullopt;
        return "expected no unlucky m; use mma_sync";
      },
      laws,
      [](const Problem &, const Arch &) { return Schedule(fingers()); },
      [](const Schedule &schedule, const Problem &) {
        BlockFacts facts;
        facts.tile = {schedule["tile"][0], schedule["tile"][1], 1};
        facts.threads = 1;
        return facts;
      }};
  return row;
}

const Kind *const kWithFingers[] = {&fingers(), &MmaSync::kind()};

TEST(ToyKind, IsReadCheckedAndListed) {
  Schedule schedule =
      llvm::cantFail(parseSchedule("fingers, tile = 5x2", kWithFingers));
  EXPECT_EQ(toString(schedule), "fingers, tile = 5x2, hands = 2");
  EXPECT_EQ(compileTimeText(schedule), "fingers, tile = 5x2");
  EXPECT_FALSE(check(schedule));
  llvm::cantFail(schedule.decide("tile", "5x5"));
  EXPECT_EQ(*check(schedule), "schedule_c99: expected at most 20 elements, but "
                              "got 25; use fewer");
  EXPECT_EQ(laws(kWithFingers).back().kind, "fingers");
  EXPECT_EQ(llvm::toString(parseSchedule("toes", kWithFingers).takeError()),
            "expected a kind of schedule, one of fingers, mma_sync, but got "
            "'toes'");
}

TEST(ToyKind, IsPreferredWhereItRuns) {
  auto kindFor = [](Problem problem) {
    return defaultSchedule(problem, h200(), kWithFingers).kind().name;
  };
  EXPECT_EQ(kindFor(problemOf(8, 8, 8)), "fingers");
  EXPECT_EQ(kindFor(problemOf(7, 8, 8)), "mma_sync");
  Problem wide = problemOf(8, 8, 8);
  wide.c = ElementType::f32;
  EXPECT_EQ(kindFor(wide), "mma_sync");
}

TEST(ToyKind, IsSearched) {
  Problem problem = problemOf(64, 64, 64);
  auto policy = llvm::cantFail(
      makePolicy("random", problem, h200(), 1, {}, kWithFingers));
  std::set<llvm::StringRef> kinds;
  for (const Schedule &schedule : policy->propose(400)) {
    EXPECT_FALSE(check(schedule, &problem));
    kinds.insert(schedule.kind().name);
  }
  EXPECT_TRUE(kinds.count("fingers"));
  EXPECT_TRUE(kinds.count("mma_sync"));
}

} // namespace
