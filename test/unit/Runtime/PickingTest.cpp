//===- PickingTest.cpp - Test of the cost of choosing a kernel ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host time of a launch with a plan of the maximum number of kernels, each with
// two siblings, over that with a plan of one kernel. The grids are empty, so no
// driver is called and little else is timed.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace hone;
using namespace hone::test;

namespace {

/// A kernel for the copy engine, as plans guard it, and its two siblings.
std::string rangeOf(const std::string &bound) {
  std::string text;
  for (const char *guard :
       {"a % 16 == 0 && lda % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && k > 0",
        "a % 4 == 0 && lda % 2 == 0 && b % 4 == 0 && ldb % 2 == 0", "1"})
    text += std::string("alternative ") + guard + "\n" + bound +
            "with group 8\nlaunch fast\ngrid n * group ; 1 ; 1\n"
            "block 128 ; 1 ; 1\nparam ptr a\n";
  return text;
}

std::string planOf(const std::vector<int> &bounds) {
  std::string text = "hone-plan 2\nargs a b m n k lda ldb group\n";
  for (int bound : bounds)
    text += rangeOf("upto m " + std::to_string(bound) + "\n");
  return text + rangeOf("");
}

/// One plan, launched with one M, and the minimum time of a call so far.
struct Launch {
  std::string plan;
  int64_t m;
  HoneKernel *slot = nullptr;
  double min = 1e9; // ns

  /// Times one batch of calls.
  void time() {
    using Clock = std::chrono::steady_clock;
    constexpr int kCalls = 2000;
    const int64_t args[] = {16, 16, m, 0, 4096, 4096, 4096, 8};
    auto begin = Clock::now();
    for (int call = 0; call < kCalls; ++call)
      EXPECT_EQ(honeLaunch(&slot, plan.c_str(), args, std::size(args)),
                HONE_OK);
    std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
    min = std::min(min, spent.count() / kCalls);
  }
};

TEST(Picking, CostsLessThan100Nanoseconds) {
  FakeDriver fake;
#if __has_feature(address_sanitizer)
  constexpr double kMax = 1000; // checks of every access cost more
#else
  constexpr double kMax = 100;
#endif
  constexpr int kMaxRanges = 63; // schedule_r4
  std::vector<int> bounds;
  for (int range = 1; range <= kMaxRanges; ++range)
    bounds.push_back(64 * range);
  Launch alone{planOf({}), 8192}, first{planOf(bounds), 8},
      last{planOf(bounds), 8192};
  // In turns, because the clock of a shared processor changes for seconds.
  // Other processes only add time, so a minimum over more batches is closer.
  constexpr int kMinBatches = 40, kMaxBatches = 4000;
  auto costs = [&](const Launch &launch) { return launch.min - alone.min; };
  for (int batch = 0; batch < kMaxBatches; ++batch) {
    if (batch >= kMinBatches && costs(first) < kMax && costs(last) < kMax)
      break;
    for (Launch *launch : {&alone, &first, &last})
      launch->time();
  }
  std::printf("honeLaunch of an empty grid: one kernel %.1f ns, the first of "
              "sixty-four %.1f ns, the last %.1f ns\n",
              alone.min, first.min, last.min);
  EXPECT_LT(costs(last), kMax);
  EXPECT_LT(costs(first), kMax);
  for (Launch *launch : {&alone, &first, &last})
    honeRelease(&launch->slot);
}

} // namespace
