//===- LaunchTest.cpp - honeLaunch without a GPU --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that reach the driver: the kernel, its grid, attributes and
// parameter bytes, and the number of calls.
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"
#include <atomic>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

//===----------------------------------------------------------------------===//
// Launched kernels
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, PacksGridAndParameters) {
  honeSetStream(reinterpret_cast<void *>(0x55));
  ASSERT_EQ(launch({0x7f0000000010, 300, 65}), HONE_OK);
  ASSERT_EQ(fake.launches.size(), 1u);
  const FakeDriver::Launch &made = fake.launches[0];
  EXPECT_EQ(made.entry, "fast");
  EXPECT_EQ(made.config.stream, reinterpret_cast<cu::Stream>(0x55));
  EXPECT_EQ(made.config.grid[0], 3u);
  EXPECT_EQ(made.config.grid[1], 2u);
  EXPECT_EQ(made.config.grid[2], 1u);
  EXPECT_EQ(made.config.block[0], 128u);
  EXPECT_EQ(made.config.block[1], 2u);
  EXPECT_EQ(made.config.sharedMemBytes, 0u);
  EXPECT_TRUE(made.attributes.empty());
  EXPECT_EQ(made.params,
            (std::vector<std::string>{
                bytesOf(int64_t(0x7f0000000010)), bytesOf(int32_t(300)),
                bytesOf(int64_t(300 * 65)), bytesOf(1.0f)}));
  EXPECT_TRUE(captured.errors.empty());
}

constexpr const char *kLaunchRanges = R"(hone-plan 2
args a m group
alternative a % 16 == 0
upto m 64
with group 4
launch fast
grid ceildiv(m, 16) ; group ; 1
block 32 ; 1 ; 1
param ptr a
param i32 m
param i64 group
param f32 0
alternative 1
upto m 64
launch slow
grid m ; 1 ; 1
block 32 ; 1 ; 1
param ptr a
alternative a % 16 == 0
with group 2
launch fast
grid ceildiv(m, 128) ; group ; 1
block 64 ; 1 ; 1
param ptr a
param i32 m
param i64 group
param f32 0
alternative 1
launch slow2
grid m ; 1 ; 1
block 32 ; 1 ; 1
param ptr a
)";

TEST_F(LaunchTest, PicksTheRangeByAnExtent) {
  fake.paramSizes["slow2"] = {8};
  struct Case {
    int64_t a, m;
    const char *entry;
    unsigned blocks, group;
  };
  // At the bounds, on both sides, aligned and not.
  const Case cases[] = {{32, 1, "fast", 1, 4},    {32, 64, "fast", 4, 4},
                        {32, 65, "fast", 1, 2},   {32, 100000, "fast", 782, 2},
                        {33, 1, "slow", 1, 1},    {33, 64, "slow", 64, 1},
                        {33, 65, "slow2", 65, 1}, {33, 8192, "slow2", 8192, 1}};
  for (const Case &one : cases) {
    fake.launches.clear();
    // The caller's value of a decision does not count.
    ASSERT_EQ(launch({one.a, one.m, 77}, kLaunchRanges), HONE_OK);
    ASSERT_EQ(fake.launches.size(), 1u);
    const FakeDriver::Launch &made = fake.launches[0];
    EXPECT_EQ(made.entry, one.entry) << one.m;
    EXPECT_EQ(made.config.grid[0], one.blocks) << one.m;
    EXPECT_EQ(made.config.grid[1], one.group) << one.m;
    if (made.entry == "fast")
      EXPECT_EQ(made.params[2], bytesOf(int64_t(one.group)));
  }
}

TEST_F(LaunchTest, AnEmptyExtentIsSkippedInItsRange) {
  ASSERT_EQ(launch({32, 0, 1}, kLaunchRanges), HONE_OK);
  EXPECT_TRUE(fake.launches.empty());
}

TEST_F(LaunchTest, TheFirstGuardThatHoldsDecides) {
  ASSERT_EQ(launch({32, 300, 65}), HONE_OK);
  ASSERT_EQ(launch({33, 300, 65}), HONE_OK);
  ASSERT_EQ(launch({33, 999, 65}), HONE_OK);
  ASSERT_EQ(launch({48, 1000, 65}), HONE_OK);
  ASSERT_EQ(fake.launches.size(), 4u);
  EXPECT_EQ(fake.launches[0].entry, "fast");
  EXPECT_EQ(fake.launches[1].entry, "slow");
  EXPECT_EQ(fake.launches[2].config.grid[0], 999u);
  EXPECT_EQ(fake.launches[3].entry, "fast");
  EXPECT_EQ(launch({33, 1000, 65}), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(),
               "expected an alternative whose guard holds, but got none of 2 "
               "for a = 33, m = 1000, n = 65");
}

TEST_F(LaunchTest, AnOlderProgramWithoutAnAlternativeIsToBeBuiltAgain) {
  EXPECT_EQ(launch({7}, "hone-plan 1\nargs x\nalternative x % 4 == 0\n"
                        "launch fast\n"),
            HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(),
               "expected an alternative whose guard holds, but got none of 1 "
               "for x = 7; an older hone built this program, whose plans lack "
               "an alternative for some products of one row: build it again");
}

TEST_F(LaunchTest, AnEmptyMatrixLaunchesNothing) {
  EXPECT_EQ(launch({16, 0, 65}), HONE_OK);
  EXPECT_EQ(launch({16, 65, 0}), HONE_OK);
  EXPECT_TRUE(fake.launches.empty());
  EXPECT_EQ(fake.librariesLoaded, 0u);
}

TEST_F(LaunchTest, ClusterAndProgrammaticAttributes) {
  fake.paramSizes.clear();
  std::string plan = planOf("cluster 2 ; x ; 1\nattribute programmatic\n");
  ASSERT_EQ(launch({4}, plan), HONE_OK);
  const FakeDriver::Launch &made = fake.launches[0];
  ASSERT_EQ(made.attributes.size(), 2u);
  EXPECT_EQ(made.attributes[0].id, cu::CLUSTER_DIMENSION);
  EXPECT_EQ(made.attributes[0].clusterDim[0], 2u);
  EXPECT_EQ(made.attributes[0].clusterDim[1], 4u);
  EXPECT_EQ(made.attributes[0].clusterDim[2], 1u);
  EXPECT_EQ(made.attributes[1].id, cu::PROGRAMMATIC_STREAM_SERIALIZATION);
  EXPECT_EQ(made.attributes[1].programmaticStreamSerializationAllowed, 1);
  // The cluster may be larger than the portable size, so permission is needed.
  EXPECT_EQ(fake.nonPortable.count("fast"), 1u);
  EXPECT_EQ(launch({16}, plan), HONE_BAD_PLAN);
  EXPECT_STREQ(honeLastError(), "expected a cluster of 1 to 16 blocks for "
                                "'fast', but got 2 x 16 x 1");
}

TEST_F(LaunchTest, SmallClustersNeedNoPermission) {
  fake.paramSizes.clear();
  ASSERT_EQ(launch({1}, planOf("cluster 2 ; 4 ; 1\n")), HONE_OK);
  EXPECT_EQ(fake.nonPortable.count("fast"), 0u);
  EXPECT_EQ(fake.countCalls("cuKernelSetAttribute"), 0u);
}

TEST_F(LaunchTest, AsksOnceHowManyClustersFit) {
  fake.paramSizes.clear();
  fake.clusteredBlocks = 112;
  fake.isCapturing = true;
  std::string plan = planOf("grid min(resident(15, 16), x) * 8 ; 1 ; 1\n"
                            "cluster 8 ; 1 ; 1\n");
  for (int64_t x : {1000, 3, 1000})
    ASSERT_EQ(launch({x}, plan), HONE_OK);
  EXPECT_EQ(fake.launches[0].config.grid[0], 14u * 8);
  EXPECT_EQ(fake.launches[1].config.grid[0], 3u * 8);
  EXPECT_EQ(fake.launches[2].config.grid[0], 14u * 8);
  EXPECT_EQ(fake.countCalls("cuOccupancyMaxActiveClusters"), 1u);
}

TEST_F(LaunchTest, NoMoreClustersThanThePlanHasRoomFor) {
  fake.paramSizes.clear();
  std::string plan = planOf("grid resident(7, 8) * 16 ; 1 ; 1\n"
                            "cluster 16 ; 1 ; 1\n");
  fake.clusteredBlocks = 999;
  ASSERT_EQ(launch({1}, plan), HONE_OK);
  EXPECT_EQ(fake.launches[0].config.grid[0], 8u * 16);
}

TEST_F(LaunchTest, WithoutClustersBlocksFitByProcessor) {
  fake.paramSizes.clear();
  fake.processors = 16;
  std::string plan = planOf("grid resident(132, 132) ; 1 ; 1\n");
  ASSERT_EQ(launch({1}, plan), HONE_OK);
  EXPECT_EQ(fake.launches[0].config.grid[0], 16u);
  EXPECT_EQ(fake.countCalls("cuOccupancyMaxActiveClusters"), 0u);
}

TEST_F(LaunchTest, AGreenContextHasRoomForItsShare) {
  fake.paramSizes.clear();
  fake.contextProcessors = 64;
  std::string alone = planOf("grid resident(132, 132) ; 1 ; 1\n");
  ASSERT_EQ(launch({1}, alone), HONE_OK);
  EXPECT_EQ(fake.launches[0].config.grid[0], 64u);
}

TEST_F(LaunchTest, ClustersOfAGreenContextTakeItsProcessors) {
  fake.paramSizes.clear();
  fake.contextProcessors = 64;
  std::string plan = planOf("grid resident(15, 16) * 8 ; 1 ; 1\n"
                            "cluster 8 ; 1 ; 1\n");
  ASSERT_EQ(launch({1}, plan), HONE_OK);
  EXPECT_EQ(fake.launches[0].config.grid[0], 64u);
}

TEST_F(LaunchTest, BlocksThatWaitForEachOtherAreNotGuessed) {
  fake.paramSizes.clear();
  std::string plan = planOf("grid resident(15, 16) * 8 ; 1 ; 1\n"
                            "cluster 8 ; 1 ; 1\n");
  for (const char *call :
       {"cuOccupancyMaxActiveClusters", "cuCtxGetDevResource",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor"}) {
    fake.failures[call] = cu::ERROR_INVALID_VALUE;
    EXPECT_EQ(launch({1}, plan), HONE_CUDA_ERROR);
    EXPECT_EQ(honeLastError(), std::string(call) +
                                   ": invalid argument "
                                   "(CUDA_ERROR_INVALID_VALUE)");
    fake.failures.clear();
  }
  EXPECT_TRUE(fake.launches.empty());
  EXPECT_EQ(launch({1}, plan), HONE_OK);
}

TEST_F(LaunchTest, ThePlanKnowsWhatDependsOnTheCall) {
  fake.paramSizes.clear();
  std::string plan = planOf("grid resident(15, 16) * 8 ; 1 ; 1\n"
                            "block x ; 1 ; 1\ncluster 8 ; 1 ; 1\n");
  ASSERT_EQ(launch({32}, plan), HONE_OK);
  EXPECT_EQ(fake.launches[0].config.grid[0], 15u * 8);
}

TEST_F(LaunchTest, OnlyAGridAsksTheDevice) {
  for (const char *line :
       {"block resident(1, 2) ; 1 ; 1\n", "param i32 resident(1, 2)\n"}) {
    EXPECT_EQ(launch({1}, planOf(line)), HONE_BAD_PLAN);
    EXPECT_STREQ(honeLastError(),
                 "launch plan, line 5: expected an expression without "
                 "'resident', which is for grids, but got 'resident(1, 2)'");
  }
}

TEST_F(LaunchTest, SharedMemoryIsRaisedOnceAndNeverLowered) {
  fake.paramSizes.clear();
  std::string large = planOf("shared 200000\n"),
              small = planOf("shared 100000\n");
  ASSERT_EQ(launch({1}, large), HONE_OK);
  ASSERT_EQ(launch({1}, large), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuKernelSetAttribute"), 1u);
  EXPECT_EQ(fake.launches[1].config.sharedMemBytes, 200000u);
  HoneKernel *other = nullptr;
  int64_t x = 1;
  ASSERT_EQ(honeLaunch(&other, small.c_str(), &x, 1), HONE_OK);
  EXPECT_EQ(fake.sharedLimits["fast"], 200000);
  honeRelease(&other);
}

TEST_F(LaunchTest, SeveralLaunchesRunInOrder) {
  std::string plan = planOf("grid 1 ; 1 ; 1\nlaunch slow\ngrid 2 ; 1 ; 1\n"
                            "param ptr x\nlaunch fast\ngrid 3 ; 1 ; 1\n");
  fake.paramSizes.erase("fast");
  ASSERT_EQ(launch({7}, plan), HONE_OK);
  ASSERT_EQ(fake.launches.size(), 3u);
  EXPECT_EQ(fake.launches[0].config.grid[0], 1u);
  EXPECT_EQ(fake.launches[1].entry, "slow");
  EXPECT_EQ(fake.launches[1].params[0], bytesOf(int64_t(7)));
  EXPECT_EQ(fake.launches[2].config.grid[0], 3u);
}

//===----------------------------------------------------------------------===//
// Driver calls
//===----------------------------------------------------------------------===//

TEST_F(LaunchTest, TheSecondLaunchMakesTwoCalls) {
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  EXPECT_EQ(fake.librariesLoaded, 1u);
  fake.takeCalls();
  ASSERT_EQ(launch({32, 500, 65}), HONE_OK);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuLaunchKernelEx");
}

TEST_F(LaunchTest, AThreadWithoutContextGetsThePrimaryOne) {
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  EXPECT_EQ(fake.launches[0].context, FakeDriver::contextOf(0));
  EXPECT_EQ(fake.countCalls("cuDevicePrimaryCtxRetain"), 1u);
  std::thread([&] { EXPECT_EQ(launch({16, 300, 65}), HONE_OK); }).join();
  EXPECT_EQ(fake.launches[1].context, FakeDriver::contextOf(0));
  EXPECT_EQ(fake.countCalls("cuDevicePrimaryCtxRetain"), 1u);
  EXPECT_EQ(fake.countCalls("cuCtxSetCurrent"), 2u);
}

TEST_F(LaunchTest, EveryContextHasItsFunctions) {
  FakeDriver::setContext(FakeDriver::contextOf(0));
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  ASSERT_EQ(honeSetDevice(1), HONE_OK);
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  EXPECT_EQ(fake.launches[1].context, FakeDriver::contextOf(1));
  EXPECT_EQ(fake.librariesLoaded, 1u);
  EXPECT_EQ(fake.countCalls("cuKernelGetFunction"), 2u);
  fake.takeCalls();
  for (cu::Device device : {0, 1, 0}) {
    FakeDriver::setContext(FakeDriver::contextOf(device));
    ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
    EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuLaunchKernelEx");
  }
}

TEST_F(LaunchTest, ThreadsRaceForTheFirstLaunch) {
  constexpr int kThreads = 8, kLaunches = 200;
  std::atomic<int> waiting{0}, failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      FakeDriver::setContext(FakeDriver::contextOf(i % 2));
      for (++waiting; waiting < kThreads;)
        ;
      for (int j = 0; j < kLaunches; ++j)
        failures += launch({16 + 17 * (j % 2), 1 + i, 65}) != HONE_OK;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(fake.launches.size(), size_t(kThreads * kLaunches));
  EXPECT_EQ(fake.librariesLoaded, 1u);
  EXPECT_EQ(fake.countCalls("cuKernelGetFunction"),
            4u); // 2 kernels, 2 contexts
  for (const FakeDriver::Launch &made : fake.launches) {
    int32_t m;
    if (made.entry == "fast") {
      memcpy(&m, made.params[1].data(), 4);
      EXPECT_EQ(made.context, FakeDriver::contextOf((m - 1) % 2));
    }
  }
}

TEST_F(LaunchTest, AFirstLaunchInsideACaptureLoads) {
  fake.isCapturing = true;
  ASSERT_EQ(launch({16, 300, 65}), HONE_OK);
  EXPECT_EQ(FakeDriver::captureMode(), cu::CAPTURE_GLOBAL);
  EXPECT_GE(fake.countCalls("cuThreadExchangeStreamCaptureMode"), 2u);
}

} // namespace
