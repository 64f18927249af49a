//===- ScheduleTest.cpp - Tests of the text of a schedule -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule's text comes from databases, command lines and models. It has one
// spelling and reads back as the same schedule. The parser refuses any other
// text without worse effects.
//
//===----------------------------------------------------------------------===//

#include "RandomValues.h"
#include "hone/Schedule/Host.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

std::string errorOfSchedule(llvm::StringRef text) {
  return messageOf(parseSchedule(text));
}

TEST(Schedule, PrintsEveryDecision) {
  EXPECT_EQ(toString(Schedule(MmaSync())),
            "mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, slices = 1, "
            "splits = 1, run = 2, group = 8");
  EXPECT_EQ(toString(Schedule(Host())),
            "host, tile = 192x4096x256, micro = 8x32, unroll = 4");
  WarpSpecialized knobs;
  EXPECT_EQ(toString(Schedule(knobs)),
            "ws, side = a, tile = 128x256x64, consumers = 2x1, teams = 1, "
            "persistent = yes, cluster = 1x1, splits = 1, streams = no, "
            "stages = 4, group = 8");
  knobs.streams = true;
  EXPECT_EQ(toString(Schedule(knobs)),
            "ws, side = a, tile = 128x256x64, consumers = 2x1, teams = 1, "
            "persistent = yes, cluster = 1x1, splits = 1, streams = yes, "
            "parts = 4, stages = 4, group = 8");
}

TEST(Schedule, ReadsDecisionsAndKeepsTheOthers) {
  Schedule schedule =
      llvm::cantFail(parseSchedule(" mma_sync ,stages=3,\n tile = 64x32x16 "));
  ASSERT_TRUE(MmaSync::are(schedule));
  MmaSync knobs(schedule);
  EXPECT_EQ(knobs.tile, (std::array<int64_t, 3>{64, 32, 16}));
  EXPECT_EQ(knobs.stages, 3);
  EXPECT_EQ(knobs.warps, MmaSync().warps);
  EXPECT_EQ(knobs.group, MmaSync().group);
}

/// A struct of names for a row's numbers has them in the row's order.
template <typename KnobsT>
void expectNames() {
  Random random;
  for (int i = 0; i < 100; ++i) {
    Schedule schedule = random.schedule();
    if (KnobsT::are(schedule))
      EXPECT_EQ(Schedule(KnobsT(schedule)).numbers(), schedule.numbers());
  }
  EXPECT_EQ(toString(Schedule(KnobsT())), toString(Schedule(KnobsT::kind())));
}

TEST(Schedule, StructsNameTheNumbersOfARow) {
  expectNames<WarpSpecialized>();
  expectNames<MmaSync>();
  expectNames<Host>();
  Schedule schedule = llvm::cantFail(
      parseSchedule("ws, side = b, tile = 1x2x3, consumers = 4x5, teams = 6, "
                    "persistent = no, cluster = 7x8, splits = 9, "
                    "streams = yes, parts = 10, stages = 11, group = 12"));
  WarpSpecialized knobs(schedule);
  EXPECT_TRUE(knobs.transposes && !knobs.persistent && knobs.streams);
  EXPECT_EQ(knobs.tile, (std::array<int64_t, 3>{1, 2, 3}));
  EXPECT_EQ(knobs.consumers, (std::array<int64_t, 2>{4, 5}));
  EXPECT_EQ(knobs.cluster, (std::array<int64_t, 2>{7, 8}));
  EXPECT_EQ((std::array{knobs.teams, knobs.splits, knobs.parts, knobs.stages,
                        knobs.group}),
            (std::array<int64_t, 5>{6, 9, 10, 11, 12}));
}

TEST(Schedule, EveryKindIsARow) {
  for (const Kind *kind : allKinds()) {
    Schedule schedule = llvm::cantFail(makeSchedule(kind->name));
    EXPECT_EQ(&schedule.kind(), kind);
    EXPECT_FALSE(check(schedule)) << *check(schedule);
    for (const Decision &decision : kind->decisions) {
      EXPECT_FALSE(decision.help.empty()) << decision.name.str();
      llvm::ArrayRef<int64_t> numbers = schedule[decision.name];
      ASSERT_EQ(numbers.size(), decision.size());
      for (size_t i = 0; i < numbers.size(); ++i) {
        const Choice &choice = decision.choices[i];
        EXPECT_TRUE(choice.has(numbers[i])) << decision.name.str();
        EXPECT_TRUE(choice.has(choice.at(choice.count() - 1)));
        EXPECT_EQ(choice.at(choice.count() - 1), choice.max)
            << decision.name.str();
      }
    }
  }
}

TEST(Schedule, KnowsItsDecisionsByName) {
  const Schedule schedule(MmaSync::kind());
  EXPECT_EQ(schedule["stages"], llvm::ArrayRef<int64_t>({4}));
  EXPECT_EQ(schedule["warps"], llvm::ArrayRef<int64_t>({2, 4}));
  EXPECT_TRUE(schedule["side"].empty());
  auto decided = schedule.decided();
  ASSERT_EQ(decided.size(), 7u);
  EXPECT_EQ(decided[0].decision->name, "tile");
  EXPECT_EQ(decided[0].text(), "128x128x32");
  EXPECT_EQ(decided[0].decision->when, When::compileTime);
  EXPECT_EQ(decided[6].decision->name, "group");
  EXPECT_EQ(decided[6].decision->when, When::runTime);
}

/// A decision that breaks a law is printed; one without effect is not.
TEST(Schedule, PrintsWhatMatters) {
  auto canonical = [](llvm::StringRef text) {
    return toString(llvm::cantFail(parseSchedule(text)));
  };
  EXPECT_EQ(canonical("ws, parts = 4").find("parts"), std::string::npos);
  EXPECT_NE(canonical("ws, parts = 5").find("parts = 5"), std::string::npos);
  EXPECT_NE(canonical("ws, streams = yes").find("parts = 4"),
            std::string::npos);
}

/// Rewrites are printed in the order of application, whatever their order in
/// the text.
TEST(Schedule, ListsItsRewritesLast) {
  auto canonical = [](llvm::StringRef text) {
    return toString(llvm::cantFail(parseSchedule(text)));
  };
  EXPECT_EQ(
      canonical("ws, rewrites = [begin(together),flight( 0 )], stages = 3"),
      canonical("ws, stages = 3") +
          ", rewrites = [flight(0), begin(together)]");
  EXPECT_EQ(canonical("ws, rewrites = []"), canonical("ws"));
  EXPECT_EQ(canonical("ws, rewrites = [flight(1)]"), canonical("ws"));

  Schedule schedule =
      llvm::cantFail(parseSchedule("ws, rewrites = [prefetch(4)]"));
  ASSERT_EQ(schedule.rewrites().size(), 1u);
  EXPECT_EQ(schedule.rewrites()[0].decision->name, "prefetch");
  EXPECT_EQ(schedule.rewrites()[0].text(), "4");
  EXPECT_NE(compileTimeText(schedule).find("prefetch(4)"), std::string::npos);
  // A list replaces all rewrites.
  llvm::cantFail(schedule.decide("rewrites", "[next(stored)]"));
  EXPECT_EQ(toString(schedule),
            canonical("ws") + ", rewrites = [next(stored)]");
}

TEST(Schedule, RefusesBadRewrites) {
  EXPECT_EQ(errorOfSchedule("ws, rewrites = flight(0)"),
            "expected rewrites as [name(value), ...], but got 'flight(0)'");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [flight(0), next(stored)"),
            "expected rewrites as [name(value), ...], but got '[flight(0), "
            "next(stored)'");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [flight]"),
            "expected a rewrite as name(value), but got 'flight'");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [flight(0),]"),
            "expected a rewrite as name(value), but got ''");
  EXPECT_EQ(
      errorOfSchedule("ws, rewrites = [fly(0)]"),
      "expected a rewrite of ws, one of loads, prefetch, flight, products, "
      "handover, skew, unroll, stores, staging, next, begin, whole, but got "
      "'fly'");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [stages(2)]").substr(0, 29),
            "expected a rewrite of ws, one");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [flight(3)]"),
            "expected 'flight' to be one of 1, 0, 2, but got '3'");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [flight(0), flight(0)]"),
            "expected 'flight' once, but got it twice");
  EXPECT_EQ(errorOfSchedule("ws, rewrites = [flight(0)], rewrites = []"),
            "expected 'rewrites' once, but got it twice");
  EXPECT_EQ(
      errorOfSchedule("ws, flight = 0"),
      "expected 'flight' among the rewrites, but got it as a decision; use "
      "rewrites = [flight(0)]");
  EXPECT_EQ(errorOfSchedule("mma_sync, rewrites = [flight(0)]"),
            "expected no rewrites of mma_sync, but got '[flight(0)]'");
}

/// Databases and tuning files have these spellings.
TEST(Schedule, ReadsFormerNames) {
  struct {
    const char *before, *now;
  } spellings[] = {
      {"ws_coop, tile = 256x128x64, consumers = 2x1, stages = 4, cluster = "
       "1x2, group = 2",
       "ws, side = a, tile = 256x128x64, consumers = 2x1, teams = 1, "
       "persistent = yes, cluster = 1x2, splits = 1, streams = no, stages = 4, "
       "group = 2"},
      {"ws_pingpong", "ws, side = a, tile = 64x256x64, consumers = 1x1, "
                      "teams = 2, persistent = yes, cluster = 1x1, splits = 1, "
                      "streams = no, stages = 4, group = 8"},
      {"small, tile = 128x64x64", "ws, side = a, tile = 128x64x64, consumers = "
                                  "1x1, teams = 1, persistent = no, cluster = "
                                  "1x1, splits = 1, streams = no, stages = 8, "
                                  "group = 8"},
      {"cluster_splitk", "ws, side = a, tile = 64x64x64, consumers = 1x1, "
                         "teams = 1, persistent = no, cluster = 1x1, splits = "
                         "4, streams = no, stages = 8, group = 8"},
      {"streamk, parts = 7", "ws, side = a, tile = 128x256x64, consumers = "
                             "2x1, teams = 1, persistent = yes, cluster = 1x1, "
                             "splits = 1, streams = yes, parts = 7, stages = "
                             "4, group = 8"},
      {"swap_ab, splits = 2", "ws, side = b, tile = 16x64x128, consumers = "
                              "1x1, teams = 1, persistent = no, cluster = 1x1, "
                              "splits = 2, streams = no, stages = 8, group = "
                              "8"},
  };
  for (auto [before, now] : spellings)
    EXPECT_EQ(toString(llvm::cantFail(parseSchedule(before))), now) << before;
  for (const Kind *kind : allKinds())
    for (const Spelling &spelling : kind->spellings)
      EXPECT_FALSE(check(llvm::cantFail(parseSchedule(spelling.name))))
          << spelling.name.str();
}

TEST(Schedule, RunTimeDecisionsAreNotPartOfTheKernel) {
  MmaSync knobs;
  EXPECT_EQ(compileTimeText(knobs),
            "mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, slices = 1, "
            "splits = 1, run = 2");
  knobs.group = 1;
  EXPECT_EQ(compileTimeText(knobs), compileTimeText(MmaSync()));
  EXPECT_EQ(compileTimeText(Host()), toString(Schedule(Host())));
}

TEST(Schedule, RefusesBadKinds) {
  EXPECT_EQ(errorOfSchedule(""),
            "expected a kind of schedule, one of ws, mma_sync, "
            "host, but got ''");
  EXPECT_EQ(errorOfSchedule("wgmma, tile = 1x1x1"),
            "expected a kind of schedule, one of ws, mma_sync, host, but got "
            "'wgmma'");
  EXPECT_EQ(
      errorOfSchedule("tile = 1x1x1"),
      "expected a schedule to start with its kind, but got decision 'tile'");
}

TEST(Schedule, RefusesBadDecisions) {
  EXPECT_EQ(
      errorOfSchedule("mma_sync, tiles = 1"),
      "expected a decision of mma_sync, one of tile, warps, stages, "
      "slices, splits, run, group, but got 'tiles'; did you mean 'tile'?");
  EXPECT_EQ(errorOfSchedule("host,"),
            "expected a decision of host, one of tile, "
            "micro, unroll, but got ''");
  EXPECT_EQ(errorOfSchedule("mma_sync, stages = 3, stages = 3"),
            "expected 'stages' once, but got it twice");
}

TEST(Schedule, RefusesBadValues) {
  for (const char *bad : {"128x128", "1x2x3x4", "axbxc", "1x0x1", "1x-1x1",
                          "1xx1", "", "1 x 2 x 3", "1X2X3"})
    EXPECT_EQ(errorOfSchedule(std::string("mma_sync, tile = ") + bad),
              std::string("expected 'tile' to be 3 positive integers joined by "
                          "'x', but got '") +
                  bad + "'");
  for (const char *bad : {"0", "-1", "3x3", "many", ""})
    EXPECT_EQ(
        errorOfSchedule(std::string("mma_sync, stages = ") + bad),
        std::string("expected 'stages' to be a positive integer, but got '") +
            bad + "'");
  EXPECT_EQ(errorOfSchedule("mma_sync, stages"),
            "expected 'stages' to be a positive integer, but got ''");
  EXPECT_EQ(errorOfSchedule("mma_sync, group = 1048577"),
            "expected 'group' to be at most 1048576, but got '1048577'");
  EXPECT_EQ(errorOfSchedule("host, micro = 1x99999999999999999999"),
            "expected 'micro' to be at most 1048576, but got "
            "'99999999999999999999'");
  EXPECT_EQ(errorOfSchedule("mma_sync, group = 1048576"), "");
  EXPECT_EQ(errorOfSchedule("ws, side = c"),
            "expected 'side' to be one of a, b, but got 'c'");
  EXPECT_EQ(errorOfSchedule("ws, persistent = 2"),
            "expected 'persistent' to be one of no, yes, but got '2'");
}

TEST(Schedule, ABadValueChangesNothing) {
  Schedule schedule = MmaSync();
  EXPECT_EQ(llvm::toString(schedule.decide("tile", "64x64")),
            "expected 'tile' to be 3 positive integers joined by 'x', but got "
            "'64x64'");
  EXPECT_EQ(llvm::toString(schedule.decide("tile", "64x64xx")),
            "expected 'tile' to be 3 positive integers joined by 'x', but got "
            "'64x64xx'");
  EXPECT_EQ(llvm::toString(schedule.decide("tile", "64x64x1048577")),
            "expected 'tile' to be at most 1048576, but got '1048577'");
  EXPECT_EQ(toString(schedule), toString(Schedule(MmaSync())));
  llvm::cantFail(schedule.decide("tile", "64x64x64"));
  EXPECT_EQ(schedule.decided()[0].text(), "64x64x64");
}

TEST(Schedule, RandomSchedulesReadBack) {
  Random random;
  for (int i = 0; i < 5000; ++i) {
    Schedule schedule = random.schedule();
    llvm::Expected<Schedule> again = parseSchedule(toString(schedule));
    ASSERT_TRUE(bool(again)) << toString(schedule);
    EXPECT_EQ(toString(*again), toString(schedule));
    Schedule rebuilt(schedule.kind());
    for (const Schedule::Decided &one : schedule.decided())
      llvm::cantFail(rebuilt.decide(one.decision->name, one.text()));
    EXPECT_EQ(toString(rebuilt), toString(schedule));
  }
}

// Maps of schedules rely on it.
TEST(Schedule, IsEqualIfItsTextIs) {
  Random random;
  std::vector<std::pair<Schedule, std::string>> some;
  for (int i = 0; i < 300; ++i) {
    Schedule schedule = random.schedule();
    std::string text = toString(schedule);
    some.emplace_back(llvm::cantFail(parseSchedule(text)), text);
    some.emplace_back(std::move(schedule), std::move(text));
  }
  for (const auto &[one, text] : some)
    for (const auto &[other, otherText] : some) {
      EXPECT_EQ(one == other, text == otherText) << text << "\n" << otherText;
      if (one == other)
        EXPECT_EQ(hash_value(one), hash_value(other)) << text;
    }
}

TEST(Schedule, MutatedTextIsRefusedOrCanonical) {
  Random random;
  Arch arch = llvm::cantFail(Arch::lookup("a100"));
  int parsed = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text = random.mutate(toString(random.schedule()));
    llvm::Expected<Schedule> schedule = parseSchedule(text);
    if (!schedule) {
      std::string message = llvm::toString(schedule.takeError());
      EXPECT_TRUE(llvm::StringRef(message).starts_with("expected ")) << text;
      EXPECT_TRUE(llvm::all_of(message, llvm::isPrint)) << message;
      continue;
    }
    ++parsed;
    std::string canonical = toString(*schedule);
    EXPECT_EQ(toString(llvm::cantFail(parseSchedule(canonical))), canonical);
    // Any schedule that parses can be checked.
    Problem problem = random.problem();
    (void)check(*schedule);
    (void)check(*schedule, &problem, &arch);
  }
  EXPECT_GT(parsed, 1000);
}

} // namespace
