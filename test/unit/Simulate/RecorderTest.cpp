//===- RecorderTest.cpp - Tests of waits in virtual time ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Simulate/Machine/Recorder.h"
#include "gtest/gtest.h"

using namespace hone::simulate;

namespace {

constexpr Line kFullBarrier = 10;

TEST(Recorder, AddsUpTheWaitsOfLeaders) {
  Timeline timeline;
  Timeline::Recorder &recorder = timeline.recorder();
  recorder.addAgent(0, 0, "producer 0");
  recorder.addAgent(1, 0, "consumer 0");
  recorder.addAgent(2, 0, "consumer 0, followers");
  recorder.begin(0, 1);
  recorder.load(0, {kFullBarrier, 1}, 0, "slot 0");
  recorder.done(0, "kernel.load", "", {}, Clock());
  // The load is issued at 1, and has landed 28 ticks later.
  Clock past;
  past.learn({kFullBarrier, 1});
  for (int agent : {1, 2}) {
    recorder.begin(agent, 1);
    recorder.done(agent, "kernel.await", " barriers at 8", {}, past);
  }
  recorder.begin(1, 2);
  recorder.done(1, "kernel.mma.fence", "", {}, past);
  auto waits = timeline.waits();
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].role, "consumer");
  EXPECT_EQ(waits[0].what, "kernel.await barriers at 8");
  EXPECT_EQ(waits[0].times, 1);
  EXPECT_EQ(waits[0].ticks, 29);
  EXPECT_EQ(waits[0].ofTicks, 31);
  EXPECT_EQ(timeline.length(), 31);
}

TEST(Recorder, PutsTheLongestWaitFirst) {
  Timeline timeline;
  Timeline::Recorder &recorder = timeline.recorder();
  recorder.addAgent(0, 0, "threads");
  uint32_t now = 0;
  for (const char *at : {" barriers at 0", " barriers at 8"}) {
    recorder.begin(0, ++now);
    for (uint32_t loads = 0; loads < now; ++loads)
      recorder.load(0, {kFullBarrier, now}, 0, "slot");
    Clock past;
    past.learn({kFullBarrier, now});
    recorder.done(0, "kernel.await", at, {}, past);
  }
  auto waits = timeline.waits();
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].what, "kernel.await barriers at 8");
  EXPECT_GT(waits[0].ticks, waits[1].ticks);
  EXPECT_EQ(waits[0].role, "threads");
}

} // namespace
