//===- WorkspaceTest.cpp - Tests of workspaces of launches ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concurrent launches have different workspaces, consecutive launches share
// one, and each is freed soon after its owner ends.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

constexpr const char *kWorkspacePtx = ".target sm_80\n.entry k(";

class WorkspaceTest : public testing::Test {
protected:
  void SetUp() override {
    image = honeRegisterImage(kWorkspacePtx, strlen(kWorkspacePtx));
    fake.paramSizes["k"] = {8, 8};
  }
  void TearDown() override { honeUnregisterImage(image); }

  static std::string planOf(bool zeroed) {
    return std::string("hone-plan 2\nargs x\nalternative 1\nworkspace x") +
           (zeroed ? " zero" : "") + "\nlaunch k\nparam ptr ws\nparam i64 x\n";
  }

  int32_t tryLaunch(int64_t bytes, bool zeroed = true, size_t stream = 0) {
    honeSetStream(reinterpret_cast<void *>(stream));
    HoneKernel *slot = nullptr;
    int32_t status = honeLaunch(&slot, planOf(zeroed).c_str(), &bytes, 1);
    honeRelease(&slot);
    return status;
  }

  /// The workspace that a launch gets.
  cu::Address launch(int64_t bytes, bool zeroed = true, size_t stream = 0) {
    EXPECT_EQ(tryLaunch(bytes, zeroed, stream), HONE_OK);
    std::lock_guard<std::mutex> lock(fake.mutex);
    cu::Address address;
    memcpy(&address, fake.launches.back().params[0].data(), 8);
    return address;
  }

  /// The workspace of a launch on stream 8, captured alone.
  cu::Address capture(int64_t bytes, cu::Graph &graph, bool zeroed = true) {
    graph = fake.beginCapture(8);
    cu::Address address = launch(bytes, zeroed, 8);
    fake.endCapture(8);
    return address;
  }

  FakeDriver fake;
  void *image = nullptr;
};

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

TEST_F(WorkspaceTest, IsSharedByTheLaunchesOfAStream) {
  cu::Address first = launch(1000);
  EXPECT_EQ(launch(64 * 1024), first);
  EXPECT_EQ(fake.countCalls("cuMemAllocAsync"), 1u);
  EXPECT_EQ(fake.cleared.count(first), 1u);
  EXPECT_NE(launch(1000, true, 8), first);
  EXPECT_EQ(launch(1000, true, 0), first);
}

TEST_F(WorkspaceTest, TheDefaultStreamHasTwoNames) {
  EXPECT_EQ(launch(1000, true, 0), launch(1000, true, 1));
}

TEST_F(WorkspaceTest, GrowsAndKeepsWhatAnotherThreadMayHaveRead) {
  cu::Address first = launch(1000), second = launch(70000);
  EXPECT_NE(first, second);
  EXPECT_GE(fake.allocations[second], 2 * fake.allocations[first]);
  EXPECT_EQ(fake.cleared.count(second), 1u);
  EXPECT_EQ(fake.countCalls("cuMemFreeAsync"), 0u);
  EXPECT_EQ(launch(1000), second);
}

TEST_F(WorkspaceTest, ClearedAndUnclearedAreApart) {
  cu::Address cleared = launch(1000), any = launch(1000, false);
  EXPECT_NE(cleared, any);
  EXPECT_EQ(fake.cleared.count(any), 0u);
  EXPECT_EQ(launch(1000), cleared);
  EXPECT_EQ(launch(1000, false), any);
}

TEST_F(WorkspaceTest, OfNoBytesIsNull) {
  EXPECT_EQ(launch(0), 0u);
  EXPECT_TRUE(fake.allocations.empty());
}

TEST_F(WorkspaceTest, BelongsToAContext) {
  cu::Address first = launch(1000, true, 8);
  FakeDriver::setContext(FakeDriver::contextOf(1));
  EXPECT_NE(launch(1000, true, 8), first);
  FakeDriver::setContext(FakeDriver::contextOf(0));
  EXPECT_EQ(launch(1000, true, 8), first);
}

TEST_F(WorkspaceTest, CostsALaterLaunchOneQuestion) {
  HoneKernel *slot = nullptr;
  int64_t bytes = 1000;
  std::string plan = planOf(true);
  for (size_t stream : {8, 0}) {
    honeSetStream(reinterpret_cast<void *>(stream));
    ASSERT_EQ(honeLaunch(&slot, plan.c_str(), &bytes, 1), HONE_OK);
    fake.takeCalls();
    ASSERT_EQ(honeLaunch(&slot, plan.c_str(), &bytes, 1), HONE_OK);
    // The default stream cannot be captured.
    EXPECT_EQ(fake.takeCalls(),
              stream ? "cuCtxGetCurrent cuStreamGetCaptureInfo cuLaunchKernelEx"
                     : "cuCtxGetCurrent cuLaunchKernelEx");
  }
  honeRelease(&slot);
}

TEST_F(WorkspaceTest, ThreadsOnOneStreamShareIt) {
  std::vector<std::thread> threads;
  const std::string plan = planOf(false);
  HoneKernel *slot = nullptr;
  for (int64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      int64_t bytes = 1000 + i;
      EXPECT_EQ(honeLaunch(&slot, plan.c_str(), &bytes, 1), HONE_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake.allocations.size(), 1u);
  for (const FakeDriver::Launch &made : fake.launches)
    EXPECT_EQ(made.params[0], fake.launches[0].params[0]);
  honeRelease(&slot);
}

//===----------------------------------------------------------------------===//
// The stream of each thread
//===----------------------------------------------------------------------===//

constexpr size_t kPerThread = 2;

TEST_F(WorkspaceTest, TheStreamPerThreadIsOnePerThread) {
  cu::Address first = 0, again = 0, second = 0;
  std::thread one([&] {
    first = launch(1000, true, kPerThread);
    std::thread two([&] { second = launch(1000, true, kPerThread); });
    two.join();
    again = launch(500, true, kPerThread);
  });
  one.join();
  EXPECT_EQ(first, again);
  EXPECT_NE(first, second);
}

TEST_F(WorkspaceTest, AThreadsEndFreesIt) {
  FakeDriver::setContext(FakeDriver::contextOf(0));
  cu::Address kept = launch(1000), first = 0, grown = 0, other = 0;
  std::thread([&] {
    first = launch(1000, true, kPerThread);
    grown = launch(100000, true, kPerThread);
    FakeDriver::setContext(FakeDriver::contextOf(1));
    other = launch(1000, false, kPerThread);
    EXPECT_TRUE(fake.freed.empty());
  }).join();
  // After the thread's work, which may still run.
  EXPECT_EQ(fake.freed, (std::map<cu::Address, cu::Stream>{
                            {first, cu::streamPerThread()},
                            {grown, cu::streamPerThread()},
                            {other, cu::streamPerThread()}}));
  EXPECT_EQ(launch(1000), kept);
  // The next thread has the stack and possibly the id of the first.
  std::thread([&] {
    EXPECT_EQ(fake.freed.count(launch(1000, true, kPerThread)), 0u);
  }).join();
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(WorkspaceTest, TwoGraphsOfOneStreamShareNothing) {
  cu::Graph one, two;
  cu::Address stream = launch(1000, true, 8);
  cu::Address first = capture(1000, one), second = capture(1000, two);
  EXPECT_NE(first, stream);
  EXPECT_NE(second, stream);
  EXPECT_NE(first, second);
  EXPECT_EQ(launch(1000, true, 8), stream);
  EXPECT_EQ(fake.cleared.count(second), 1u);
}

TEST_F(WorkspaceTest, IsSharedByTheLaunchesOfACapture) {
  cu::Graph graph = fake.beginCapture(8);
  cu::Address first = launch(1000, true, 8);
  EXPECT_EQ(launch(2000, true, 8), first);
  EXPECT_NE(launch(1000, false, 8), first);
  cu::Address grown = launch(100000, true, 8);
  EXPECT_NE(grown, first);
  EXPECT_EQ(launch(1000, true, 8), grown);
  // The graph has both workspaces.
  EXPECT_EQ(fake.liveObjects(), 3u);
  EXPECT_TRUE(fake.freed.empty());
  fake.destroyGraph(graph);
}

TEST_F(WorkspaceTest, BranchesOfACaptureHaveTheirOwn) {
  fake.beginCapture(8);
  fake.forkCapture(8, 16);
  cu::Address first = launch(1000, true, 8), second = launch(1000, true, 16);
  EXPECT_NE(first, second);
  EXPECT_EQ(launch(1000, true, 8), first);
  EXPECT_EQ(launch(1000, true, 16), second);
}

TEST_F(WorkspaceTest, AllocatesOutsideOfTheCapture) {
  fake.isCapturing = true;
  fake.beginCapture(8);
  launch(1000, true, 8);
  // Allocated, cleared and waited for on a separate stream.
  EXPECT_EQ(fake.countCalls("cuStreamCreate"), 1u);
  EXPECT_EQ(fake.countCalls("cuStreamDestroy"), 1u);
  EXPECT_EQ(FakeDriver::captureMode(), cu::CAPTURE_GLOBAL);
}

TEST_F(WorkspaceTest, DiesWithTheLastGraphThatHasIt) {
  cu::Graph graph, next;
  cu::Address first = capture(1000, graph);
  cu::Graph executable = fake.copyGraph(graph);
  fake.destroyGraph(graph);
  EXPECT_EQ(fake.liveObjects(), 1u);
  cu::Address second = capture(1000, next);
  EXPECT_NE(second, first);
  fake.takeCalls();
  fake.destroyGraph(executable);
  // The destructors of user objects must not call the driver.
  EXPECT_EQ(fake.takeCalls(), "");
  EXPECT_EQ(fake.liveObjects(), 1u);
  // Its workspace serves the next capture, cleared again.
  fake.cleared.clear();
  EXPECT_EQ(capture(60000, graph), first);
  EXPECT_EQ(fake.cleared.count(first), 1u);
  fake.destroyGraph(graph);
  fake.destroyGraph(next);
  // The blocks are too small for this capture: freed at the next call that may.
  EXPECT_TRUE(fake.freed.empty());
  capture(1 << 20, graph);
  EXPECT_EQ(fake.freed.size(), 2u);
  EXPECT_EQ(fake.freed.count(first), 1u);
  EXPECT_EQ(fake.freed.count(second), 1u);
  fake.destroyGraph(graph);
}

TEST_F(WorkspaceTest, ManyCapturesNeedNoMoreThanOne) {
  for (int i = 0; i < 100; ++i) {
    cu::Graph graph;
    capture(1000 + i, graph);
    fake.destroyGraph(graph);
  }
  EXPECT_EQ(fake.allocations.size(), 1u);
}

TEST_F(WorkspaceTest, ABlockIsOnlyReusedInItsContext) {
  cu::Graph graph;
  FakeDriver::setContext(FakeDriver::contextOf(0));
  cu::Address first = capture(1000, graph);
  fake.destroyGraph(graph);
  FakeDriver::setContext(FakeDriver::contextOf(1));
  EXPECT_NE(capture(1000, graph), first);
  EXPECT_TRUE(fake.freed.empty());
  FakeDriver::setContext(FakeDriver::contextOf(0));
  cu::Graph again;
  EXPECT_EQ(capture(1000, again), first);
  fake.destroyGraph(graph);
  fake.destroyGraph(again);
}

TEST_F(WorkspaceTest, GraphsMayBeDestroyedByAnyThread) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 50; ++j) {
        size_t stream = 0x100 + i;
        cu::Graph graph = fake.beginCapture(stream);
        EXPECT_EQ(tryLaunch(1000, j % 2, stream), HONE_OK);
        fake.endCapture(stream);
        fake.destroyGraph(graph);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake.liveObjects(), 0u);
  for (auto [address, stream] : fake.freed)
    EXPECT_EQ(fake.allocations.count(address), 1u);
}

TEST_F(WorkspaceTest, AnOlderDriverHasTheStreamsForGraphsToo) {
  fake.forgetGraphs();
  cu::Graph graph;
  cu::Address stream = launch(1000, true, 8);
  EXPECT_EQ(capture(1000, graph), stream);
  EXPECT_EQ(fake.liveObjects(), 0u);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(WorkspaceTest, WhatCannotBeClearedIsFreed) {
  CapturedErrors captured;
  for (const char *call : {"cuMemsetD8Async", "cuStreamSynchronize"})
    for (size_t stream : {0, 8}) {
      fake.failures = {{call, 700}};
      cu::Graph graph = fake.beginCapture(8);
      EXPECT_EQ(tryLaunch(1000, true, stream), HONE_CUDA_ERROR);
      EXPECT_EQ(honeLastError(),
                std::string(call) + ": an illegal memory access was "
                                    "encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
      EXPECT_EQ(fake.freed.size(), fake.allocations.size());
      EXPECT_TRUE(fake.launches.empty());
      fake.endCapture(8);
      fake.destroyGraph(graph);
    }
  fake.failures.clear();
  EXPECT_EQ(fake.freed.count(launch(1000)), 0u);
}

TEST_F(WorkspaceTest, WhatAGraphDoesNotTakeServesTheNextOne) {
  CapturedErrors captured;
  for (const char *call : {"cuUserObjectCreate", "cuGraphRetainUserObject"}) {
    fake.failures = {{call, 1}};
    cu::Graph graph = fake.beginCapture(8);
    EXPECT_EQ(tryLaunch(1000, true, 8), HONE_CUDA_ERROR);
    EXPECT_EQ(honeLastError(),
              std::string(call) +
                  ": invalid argument (CUDA_ERROR_INVALID_VALUE)");
    fake.endCapture(8);
    fake.destroyGraph(graph);
    EXPECT_EQ(fake.liveObjects(), 0u);
  }
  fake.failures.clear();
  cu::Graph graph;
  capture(1000, graph);
  EXPECT_EQ(fake.allocations.size(), 1u);
  fake.destroyGraph(graph);
}

} // namespace
