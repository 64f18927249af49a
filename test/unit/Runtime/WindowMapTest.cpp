//===- WindowMapTest.cpp - Tensor maps of windows -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a map that reads windows, the numbers that the driver gets, and
// those that no engine takes.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "hone/Runtime/LaunchPlan.h"
#include "hone/Runtime/PlanArguments.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

namespace {

constexpr const char *kWindowPtx = ".target sm_90a\n.entry windows(";
constexpr const char *kWindowPlan = R"(hone-plan 2
args a c h pad
alternative 1
launch windows
grid 1 ; 1 ; 1
block 32 ; 1 ; 1
param tensormap a : f16 dims (c, 14, h, 8) strides (c * 2, c * 28, h * c * 28) window (-1, 0 - pad) to (-1, pad - 2) step (2, 1) box (64, 128) swizzle 128
)";

std::string errorWith(const std::string &from, const std::string &to) {
  std::string text = kWindowPlan;
  LaunchPlan plan;
  return LaunchPlan::parse(
      text.replace(text.find(from), from.size(), to).c_str(), plan);
}

TEST(WindowMapTest, PrintsAsItIsRead) {
  LaunchPlan plan;
  ASSERT_EQ(LaunchPlan::parse(kWindowPlan, plan), "");
  EXPECT_EQ(plan.str(), kWindowPlan);
  const TensorMap &map = plan.alternatives[0].launches[0].params[0].map;
  EXPECT_TRUE(map.isWindow());
  EXPECT_EQ(map.upper, (std::vector<PlanFormula>{"-1", "pad - 2"}));
}

TEST(WindowMapTest, RefusesWhatNoEngineReads) {
  const char *table[][3] = {
      {"(-1, 0 - pad)", "(-129, 0)",
       "line 7: expected a number from -128 to 127, but got '-129'"},
      {"(-1, pad - 2)", "(128, 0)",
       "line 7: expected a number from -128 to 127, but got '128'"},
      {"step (2, 1)", "step (2, 9)",
       "line 7: expected a number from 1 to 8, but got '9'"},
      {"step (2, 1)", "step (2)",
       "line 7: expected a number for each of 2 dimensions of pixels, but got "
       "'1'"},
      {"dims (c, 14, h, 8)", "dims (c, 14)",
       "line 7: expected 3 to 5 dims of a window, but got '2'"},
      {"box (64, 128)", "box (64, 128, 1, 1)",
       "line 7: expected a box of channels and pixels, but got '4'"},
      {" to (", " (",
       "line 7: expected 'to', but got '(-1, pad - 2) step (2, "
       "1) box (64, 128) swizzle 128'"},
  };
  for (auto [from, to, expected] : table)
    EXPECT_EQ(errorWith(from, to), expected) << from << " -> " << to;
}

class WindowLaunchTest : public testing::Test {
protected:
  void SetUp() override {
    image = honeRegisterImage(kWindowPtx, strlen(kWindowPtx));
    fake.paramSizes["windows"] = {128};
  }
  void TearDown() override {
    honeRelease(&slot);
    honeUnregisterImage(image);
  }

  int32_t launch(int64_t c, int64_t h, int64_t pad) {
    int64_t args[] = {0x10000, c, h, pad};
    return honeLaunch(&slot, kWindowPlan, args, 4);
  }

  FakeDriver fake;
  CapturedErrors captured;
  HoneKernel *slot = nullptr;
  void *image = nullptr;
};

TEST_F(WindowLaunchTest, EncodesWhatThePlanSays) {
  ASSERT_EQ(launch(64, 10, 1), HONE_OK);
  std::vector<uint64_t> words(16);
  memcpy(words.data(), fake.launches.back().params[0].data(), 128);
  auto corners = [](int lower, int upper) -> uint64_t {
    return uint32_t(lower) << 16 | uint16_t(upper);
  };
  EXPECT_EQ(words,
            (std::vector<uint64_t>{6 * 10000 + 400 + 3, 0x10000, 64, 14, 10, 8,
                                   128, 1792, 17920, 64, 128, corners(-1, -1),
                                   2, corners(-1, -1), 1, 2}));
  // Corners are a part of the cache's key.
  ASSERT_EQ(launch(64, 10, 1), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuTensorMapEncodeIm2col"), 1u);
  ASSERT_EQ(launch(64, 10, 2), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuTensorMapEncodeIm2col"), 2u);
}

TEST_F(WindowLaunchTest, NamesANumberBeyondTheLimits) {
  EXPECT_EQ(launch(64, 10, 129), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a tensor map with corners from -128 "
                                "to 127, but got -129");
  // A filter of 3 on an image of 1 without padding.
  EXPECT_EQ(launch(64, 1, 0), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a tensor map with a lower corner of "
                                "at most -2, but got 0");
}

TEST(WindowMapTest, ArgumentsByName) {
  LaunchPlan plan;
  plan.args = {"images",  "channels", "taps", "k",    "inw", "outw",
               "filterw", "stepw",    "dilw", "padw", "inh"};
  WindowArguments window;
  window.images = 2, window.channels = 8;
  window.h.in = 9, window.h.filter = 3;
  window.w = {10, 5, 3, 2, 1, 1};
  PlanArguments arguments;
  arguments.setWindow(window);
  std::vector<int64_t> ordered;
  EXPECT_EQ(arguments.order(plan, ordered), "");
  EXPECT_EQ(ordered, (std::vector<int64_t>{2, 8, 9, 72, 10, 5, 3, 2, 1, 1, 9}));
}

} // namespace
