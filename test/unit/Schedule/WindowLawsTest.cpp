//===- WindowLawsTest.cpp - Law 6 of ws -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows that the copy engine reads, and those that it does not, with a cure.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Schedule.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

constexpr const char *kPadded =
    "m[8*50176, 28*x, 28*y] k[3*x, 3*y, 64*1] x[28*1792, low 1] y[28*64, low "
    "1]";

/// The law that a schedule breaks for an f16 convolution, or an empty string.
std::string brokenBy(const std::string &schedule, const std::string &access,
                     int64_t m, int64_t k, const std::string &b = "f16:row:16",
                     const std::string &types = "f16", int64_t align = 16) {
  std::string text = "m = " + std::to_string(m) +
                     ", n = 96, k = " + std::to_string(k) + ", a = " + types +
                     ":" + access + ":" + std::to_string(align) + ", b = " + b +
                     ", acc = f32, c = f16:16, init = zero";
  Problem problem = llvm::cantFail(Problem::parse(text));
  Arch arch = llvm::cantFail(Arch::lookup("h100"));
  auto broken = check(llvm::cantFail(parseSchedule(schedule)), &problem, &arch);
  return broken.value_or("");
}

constexpr const char *kWs = "ws, tile = 128x128x64";

TEST(WindowLaws, TakeAConvolution) {
  EXPECT_EQ(brokenBy(kWs, kPadded, 6272, 576), "");
  EXPECT_EQ(brokenBy("ws, side = b, tile = 64x128x64, consumers = 1x1, "
                     "persistent = no, stages = 4, splits = 2",
                     kPadded, 6272, 576, "f16:col:16"),
            "");
}

TEST(WindowLaws, RefuseDecisionsForMatrices) {
  EXPECT_EQ(brokenBy("ws, tile = 128x128x64, store = threads, pack = b",
                     kPadded, 6272, 576),
            "schedule_c6: expected no operand to be packed where a has "
            "windows, but got pack = b; leave it out");
  EXPECT_EQ(brokenBy("ws, tile = 128x128x64, rewrites = [prefetch(2)]", kPadded,
                     6272, 576),
            "schedule_c6: expected no prefetch where a has windows, but got "
            "one; leave it out");
  EXPECT_EQ(brokenBy("ws, tile = 512x64x64, consumers = 2x1, stages = 2",
                     kPadded, 6272, 576),
            "schedule_c6: expected a block to load at most 256 windows of a "
            "tile, but got 512; use tile.m = 256");
}

TEST(WindowLaws, RefuseWhatTheEngineDoesNotRead) {
  // Channels that are not whole pieces of 16 bytes.
  EXPECT_EQ(brokenBy(kWs,
                     "m[8*9408, 28*x, 28*y] k[3*x, 3*y, 12*1] x[28*336, low 1] "
                     "y[28*12, low 1]",
                     6272, 108),
            "schedule_c6: expected the channels of windows to be a multiple of "
            "8, 16 bytes, but got 12; use a copy of a that is a matrix");
  // Windows 9 apart.
  EXPECT_EQ(brokenBy(kWs,
                     "m[8*50176, 4*9x, 28*y] k[3*x, 3*y, 64*1] x[28*1792, low "
                     "1] y[28*64, low 1]",
                     896, 576),
            "schedule_c6: expected the step of windows to be 1 to 8 for the "
            "copy engine, but got 9; use a copy of a that is a matrix");
  EXPECT_EQ(brokenBy(kWs, kPadded, 6272, 576, "f16:row:8"),
            "schedule_c6: expected the lines of b to start at multiples of 16 "
            "bytes where a has windows, but got 8; use a copy of it that does");
}

} // namespace
