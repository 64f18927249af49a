//===- ScheduleTest.cpp - The text of a schedule --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule's text comes from databases, command lines and models. It has one
// spelling, reads back as what it was, and nothing worse than an error follows
// from any text.
//
//===----------------------------------------------------------------------===//

#include "RandomValues.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace hone;
using namespace hone::test;

namespace {

std::string errorOf(llvm::StringRef text) {
  return messageOf(parseSchedule(text));
}

TEST(Schedule, PrintsEveryKnob) {
  EXPECT_EQ(toString(Schedule(MmaSync())),
            "mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, slices = 1, "
            "splits = 1, run = 2, group = 8");
  EXPECT_EQ(toString(Schedule(Host())),
            "host, tile = 192x4096x256, micro = 8x32, unroll = 4");
}

TEST(Schedule, ReadsKnobsAndKeepsDefaults) {
  Schedule schedule =
      llvm::cantFail(parseSchedule(" mma_sync ,stages=3,\n tile = 64x32x16 "));
  const MmaSync *knobs = std::get_if<MmaSync>(&schedule);
  ASSERT_TRUE(knobs);
  EXPECT_EQ(knobs->tile, (std::array<int64_t, 3>{64, 32, 16}));
  EXPECT_EQ(knobs->stages, 3);
  EXPECT_EQ(knobs->warps, MmaSync().warps);
  EXPECT_EQ(knobs->group, MmaSync().group);
}

TEST(Schedule, FamiliesAreInTheOrderOfTheVariant) {
  ASSERT_EQ(familyNames().size(), std::variant_size_v<Schedule>);
  for (auto [index, name] : llvm::enumerate(familyNames())) {
    Schedule schedule = llvm::cantFail(makeSchedule(name));
    EXPECT_EQ(schedule.index(), index);
    EXPECT_EQ(familyOf(schedule), name);
  }
}

TEST(Schedule, DescribesItsKnobs) {
  llvm::SmallVector<KnobInfo> knobs = knobsOf(MmaSync());
  ASSERT_EQ(knobs.size(), 7u);
  EXPECT_EQ(knobs[0].name, "tile");
  EXPECT_EQ(knobs[0].value, "128x128x32");
  EXPECT_EQ(knobs[0].when, When::compileTime);
  EXPECT_EQ(knobs[6].name, "group");
  EXPECT_EQ(knobs[6].value, "8");
  EXPECT_EQ(knobs[6].when, When::runTime);
  for (const KnobInfo &knob : knobs)
    EXPECT_FALSE(knob.help.empty());
}

TEST(Schedule, RunTimeKnobsAreNotPartOfTheKernel) {
  MmaSync knobs;
  EXPECT_EQ(compileTimeText(knobs),
            "mma_sync, tile = 128x128x32, warps = 2x4, stages = 4, slices = 1, "
            "splits = 1, run = 2");
  knobs.group = 1;
  EXPECT_EQ(compileTimeText(knobs), compileTimeText(MmaSync()));
  EXPECT_EQ(compileTimeText(Host()), toString(Schedule(Host())));
}

TEST(Schedule, RefusesBadFamilies) {
  EXPECT_EQ(errorOf(""), "expected schedule family to be one of mma_sync, "
                         "ws_coop, ws_pingpong, small, cluster_splitk, "
                         "streamk, swap_ab, host, but got ''");
  EXPECT_EQ(errorOf("wgmma, tile = 1x1x1"),
            "expected schedule family to be one of mma_sync, ws_coop, "
            "ws_pingpong, small, cluster_splitk, streamk, swap_ab, host, but "
            "got 'wgmma'");
  EXPECT_EQ(
      errorOf("tile = 1x1x1"),
      "expected a schedule to start with its family, but got knob 'tile'");
}

TEST(Schedule, RefusesBadKnobs) {
  EXPECT_EQ(errorOf("mma_sync, tiles = 1"),
            "expected knob of mma_sync to be one of tile, warps, stages, "
            "slices, splits, run, group, but got 'tiles'");
  EXPECT_EQ(errorOf("host,"), "expected knob of host to be one of tile, micro, "
                              "unroll, but got ''");
  EXPECT_EQ(errorOf("mma_sync, stages = 3, stages = 3"),
            "expected knob 'stages' once, but got it twice");
}

TEST(Schedule, RefusesBadValues) {
  for (const char *bad : {"128x128", "1x2x3x4", "axbxc", "1x0x1", "1x-1x1",
                          "1xx1", "", "1 x 2 x 3", "1X2X3"})
    EXPECT_EQ(errorOf(std::string("mma_sync, tile = ") + bad),
              std::string("expected 'tile' to be 3 positive integers joined by "
                          "'x', but got '") +
                  bad + "'");
  for (const char *bad : {"0", "-1", "3x3", "many", ""})
    EXPECT_EQ(
        errorOf(std::string("mma_sync, stages = ") + bad),
        std::string("expected 'stages' to be a positive integer, but got '") +
            bad + "'");
  EXPECT_EQ(errorOf("mma_sync, stages"),
            "expected 'stages' to be a positive integer, but got ''");
  EXPECT_EQ(errorOf("mma_sync, group = 1048577"),
            "expected 'group' to be at most 1048576, but got '1048577'");
  EXPECT_EQ(errorOf("host, micro = 1x99999999999999999999"),
            "expected 'micro' to be at most 1048576, but got "
            "'99999999999999999999'");
  EXPECT_EQ(errorOf("mma_sync, group = 1048576"), "");
}

TEST(Schedule, ABadValueChangesNothing) {
  Schedule schedule = MmaSync();
  EXPECT_EQ(llvm::toString(setKnob(schedule, "tile", "64x64")),
            "expected 'tile' to be 3 positive integers joined by 'x', but got "
            "'64x64'");
  EXPECT_EQ(llvm::toString(setKnob(schedule, "tile", "64x64xx")),
            "expected 'tile' to be 3 positive integers joined by 'x', but got "
            "'64x64xx'");
  EXPECT_EQ(llvm::toString(setKnob(schedule, "tile", "64x64x1048577")),
            "expected 'tile' to be at most 1048576, but got '1048577'");
  EXPECT_EQ(toString(schedule), toString(Schedule(MmaSync())));
  llvm::cantFail(setKnob(schedule, "tile", "64x64x64"));
  EXPECT_EQ(knobsOf(schedule)[0].value, "64x64x64");
}

TEST(Schedule, RandomSchedulesReadBack) {
  Random random;
  for (int i = 0; i < 5000; ++i) {
    Schedule schedule = random.schedule();
    llvm::Expected<Schedule> again = parseSchedule(toString(schedule));
    ASSERT_TRUE(bool(again)) << toString(schedule);
    EXPECT_EQ(toString(*again), toString(schedule));
    Schedule rebuilt = llvm::cantFail(makeSchedule(familyOf(schedule)));
    for (const KnobInfo &knob : knobsOf(schedule))
      llvm::cantFail(setKnob(rebuilt, knob.name, knob.value));
    EXPECT_EQ(toString(rebuilt), toString(schedule));
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
    // Whatever parses can be checked.
    Problem problem = random.problem();
    (void)check(*schedule);
    (void)check(*schedule, &problem, &arch);
  }
  EXPECT_GT(parsed, 1000);
}

} // namespace
