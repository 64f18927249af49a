//===- RangesTest.cpp - Tests of several kernels for an unknown extent ----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of ranges reads back, and each of their laws is broken once.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Ranges.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

const char *const kSmall = "mma_sync, tile = 16x64x64, warps = 1x4";
const char *const kLarge = "ws, tile = 128x128x64, consumers = 2x1";

std::string textOf(const std::string &first, const std::string &second) {
  return first + ": " + kSmall + " | " + second + ": " + kSmall + " | " +
         kLarge;
}

RangedSchedule parsedRanges(const std::string &text) {
  return llvm::cantFail(parseRangedSchedule(text));
}

std::string errorOfRanges(const std::string &text) {
  auto schedules = parseRangedSchedule(text);
  return schedules ? "" : llvm::toString(schedules.takeError());
}

/// The law that two ranges of these bounds break.
std::string lawOf(const std::string &first, const std::string &second,
                  const Problem *problem = nullptr,
                  const Arch *arch = nullptr) {
  return check(parsedRanges(textOf(first, second)).ranges, problem, arch)
      .value_or("");
}

TEST(Ranges, ReadBack) {
  RangedSchedule schedules = parsedRanges(textOf("m  to  16", " m to 512 "));
  ASSERT_EQ(schedules.ranges.size(), 2u);
  EXPECT_EQ(schedules.ranges[1].extent, 'm');
  EXPECT_EQ(schedules.ranges[1].max, 512);
  std::string text = toString(schedules);
  EXPECT_EQ(toString(parsedRanges(text)), text);
  EXPECT_EQ(text.find("m to 16: mma_sync, tile = 16x64x64"), 0u);
  EXPECT_NE(text.find(" | ws, side = a, tile = 128x128x64"), text.npos);
}

TEST(Ranges, AScheduleIsATextWithoutBars) {
  RangedSchedule schedules = parsedRanges(kLarge);
  EXPECT_TRUE(schedules.ranges.empty());
  EXPECT_EQ(toString(schedules), toString(schedules.last));
}

TEST(Ranges, PickByTheirBounds) {
  RangedSchedule schedules = parsedRanges(textOf("m to 16", "m to 512"));
  EXPECT_EQ(&schedules.at(1), &schedules.ranges[0].schedule);
  EXPECT_EQ(&schedules.at(16), &schedules.ranges[0].schedule);
  EXPECT_EQ(&schedules.at(17), &schedules.ranges[1].schedule);
  EXPECT_EQ(&schedules.at(512), &schedules.ranges[1].schedule);
  EXPECT_EQ(&schedules.at(513), &schedules.last);
}

TEST(Ranges, RefuseOtherText) {
  EXPECT_EQ(errorOfRanges(textOf("m < 16", "m to 512")),
            "expected a bound such as 'm to 64', but got 'm < 16'");
  EXPECT_EQ(errorOfRanges(textOf("m to x", "m to 512")),
            "expected a bound such as 'm to 64', but got 'm to x'");
  EXPECT_EQ(errorOfRanges(std::string("m to 16: ") + kSmall),
            "expected a last schedule without a bound, but got 'm to 16: " +
                std::string(kSmall) + "'");
  EXPECT_NE(errorOfRanges("m to 16: nonsense | ws"), "");
}

TEST(Ranges, KeepTheirLaws) {
  Problem problem;
  problem.n = problem.k = 4096;
  Arch h200 = llvm::cantFail(Arch::lookup("h200"));
  Arch host = llvm::cantFail(Arch::lookup("host"));
  EXPECT_EQ(lawOf("m to 16", "m to 512", &problem, &h200), "");
  EXPECT_EQ(lawOf("m to 16", "n to 512"),
            "schedule_r1: expected ranges of one extent, m, n or k, but got m "
            "and n");
  EXPECT_EQ(lawOf("n to 16", "n to 512", &problem),
            "schedule_r2: expected ranges of an extent that is not known, but "
            "got n = 4096; use one schedule");
  EXPECT_EQ(lawOf("m to 16", "m to 16"),
            "schedule_r3: expected a bound above 16, but got 16");
  EXPECT_EQ(lawOf("m to 0", "m to 16"),
            "schedule_r3: expected a bound above 0, but got 0");
  EXPECT_EQ(lawOf("m to 16", "m to 512", &problem, &host),
            "schedule_r5: expected an arch of a GPU, but got 'host'; use one "
            "schedule");
  RangedSchedule many = parsedRanges(textOf("m to 16", "m to 512"));
  while (many.ranges.size() <= ScheduleRanges::maxRanges)
    many.ranges.push_back(
        {'m', many.ranges.back().max + 1, many.ranges.back().schedule});
  EXPECT_EQ(check(many.ranges),
            "schedule_r4: expected at most 63 ranges, but got 64");
}

TEST(Ranges, KeepTheLawsOfTheirSchedules) {
  std::string text = std::string("m to 16: mma_sync, stages = 99 | ") + kLarge;
  EXPECT_EQ(check(parsedRanges(text).ranges),
            "m to 16: schedule_c14: expected stages to be 2 to 12, but got 99; "
            "use 12");
}

} // namespace
