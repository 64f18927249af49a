//===- MemoryTest.cpp - Device memory and workspaces ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls memory goes through, on which stream, and that a workspace is
// shared, grows and is cleared as plans expect.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

//===----------------------------------------------------------------------===//
// The C functions
//===----------------------------------------------------------------------===//

TEST(Memory, ComesFromThePool) {
  FakeDriver fake;
  void *pointer = nullptr;
  ASSERT_EQ(honeAlloc(&pointer, 100), HONE_OK);
  EXPECT_EQ(fake.allocations[reinterpret_cast<cu::Address>(pointer)], 100u);
  EXPECT_EQ(fake.countCalls("cuMemAllocAsync"), 1u);
  fake.takeCalls();
  int value = 0;
  EXPECT_EQ(honeCopyToDevice(pointer, &value, 4), HONE_OK);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuMemcpyHtoDAsync");
  EXPECT_EQ(honeCopyFromDevice(&value, pointer, 4), HONE_OK);
  EXPECT_EQ(fake.takeCalls(),
            "cuCtxGetCurrent cuMemcpyDtoHAsync cuStreamSynchronize");
  EXPECT_EQ(honeSynchronize(), HONE_OK);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuStreamSynchronize");
  EXPECT_EQ(honeFree(pointer), HONE_OK);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuCtxGetDevice cuMemFreeAsync");
}

TEST(Memory, WithoutPools) {
  FakeDriver fake;
  fake.hasPools = false;
  void *pointer = nullptr;
  ASSERT_EQ(honeAlloc(&pointer, 100), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuMemAlloc"), 1u);
  EXPECT_EQ(honeFree(pointer), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuMemFree"), 1u);
  EXPECT_EQ(fake.countCalls("cuMemFreeAsync"), 0u);
}

TEST(Memory, NothingIsNull) {
  FakeDriver fake;
  void *pointer = &fake;
  EXPECT_EQ(honeAlloc(&pointer, 0), HONE_OK);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(honeFree(nullptr), HONE_OK);
  EXPECT_EQ(honeCopyToDevice(nullptr, nullptr, 0), HONE_OK);
  EXPECT_EQ(fake.countCalls("cuMemAllocAsync"), 0u);
}

TEST(Memory, RunsOut) {
  FakeDriver fake;
  CapturedErrors captured;
  fake.failures["cuMemAllocAsync"] = 2;
  void *pointer = &fake;
  EXPECT_EQ(honeAlloc(&pointer, 100), HONE_OUT_OF_MEMORY);
  EXPECT_EQ(pointer, nullptr);
  ASSERT_EQ(captured.errors.size(), 1u);
  EXPECT_EQ(captured.errors[0].second,
            "cuMemAllocAsync: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
}

TEST(Memory, StreamsBelongToThreads) {
  FakeDriver fake;
  honeSetStream(&fake);
  EXPECT_EQ(honeGetStream(), &fake);
  std::thread([] { EXPECT_EQ(honeGetStream(), nullptr); }).join();
}

TEST(Memory, DeviceInfo) {
  FakeDriver fake;
  CapturedErrors captured;
  HoneDeviceInfo info;
  ASSERT_EQ(honeDeviceInfo(1, &info), HONE_OK);
  EXPECT_STREQ(info.name, "Fake H200");
  EXPECT_EQ(info.capability, 90);
  EXPECT_EQ(info.processors, 1000 + cu::MULTIPROCESSOR_COUNT);
  EXPECT_EQ(info.memoryBytes, int64_t(1) << 37);
  EXPECT_EQ(info.sharedPerBlock, 1000 + cu::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(info.clockKHz, 1000 + cu::CLOCK_RATE);
  EXPECT_EQ(info.l2Bytes, 1000 + cu::L2_CACHE_SIZE);
  EXPECT_EQ(info.driverVersion, 13000);
  EXPECT_EQ(honeDeviceInfo(2, &info), HONE_CUDA_ERROR);
  EXPECT_STREQ(honeLastError(), "cuDeviceGet: invalid device ordinal "
                                "(CUDA_ERROR_INVALID_DEVICE)");
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

constexpr const char *kPtx = ".target sm_80\n.entry k(";

class WorkspaceTest : public testing::Test {
protected:
  void SetUp() override {
    image = honeRegisterImage(kPtx, strlen(kPtx));
    fake.paramSizes["k"] = {8, 8};
  }
  void TearDown() override { honeUnregisterImage(image); }

  /// The workspace that a launch gets.
  cu::Address launch(int64_t bytes, bool zeroed = true, size_t stream = 0) {
    honeSetStream(reinterpret_cast<void *>(stream));
    std::string plan =
        std::string("hone-plan 1\nargs x\nalternative 1\nworkspace x") +
        (zeroed ? " zero" : "") + "\nlaunch k\nparam ptr ws\nparam i64 x\n";
    HoneKernel *slot = nullptr;
    EXPECT_EQ(honeLaunch(&slot, plan.c_str(), &bytes, 1), HONE_OK);
    honeRelease(&slot);
    cu::Address address;
    memcpy(&address, fake.launches.back().params[0].data(), 8);
    return address;
  }

  FakeDriver fake;
  void *image = nullptr;
};

TEST_F(WorkspaceTest, IsSharedByTheLaunchesOfAStream) {
  cu::Address first = launch(1000);
  EXPECT_EQ(launch(64 * 1024), first);
  EXPECT_EQ(fake.countCalls("cuMemAllocAsync"), 1u);
  EXPECT_EQ(fake.cleared.count(first), 1u);
  EXPECT_NE(launch(1000, true, 8), first);
  EXPECT_EQ(launch(1000, true, 0), first);
}

TEST_F(WorkspaceTest, GrowsAndKeepsWhatGraphsMayHave) {
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

TEST_F(WorkspaceTest, ACaptureDoesNotOwnIt) {
  fake.isCapturing = true;
  launch(1000, true, 8);
  // Allocated, cleared and waited for on a stream of its own.
  EXPECT_EQ(fake.countCalls("cuStreamCreate"), 1u);
  EXPECT_EQ(fake.countCalls("cuStreamDestroy"), 1u);
  EXPECT_EQ(FakeDriver::captureMode(), cu::CAPTURE_GLOBAL);
}

TEST_F(WorkspaceTest, ThreadsOnOneStreamShareIt) {
  std::vector<std::thread> threads;
  std::vector<cu::Address> addresses(8);
  const char *plan = "hone-plan 1\nargs x\nalternative 1\nworkspace x\n"
                     "launch k\nparam ptr ws\nparam i64 x\n";
  HoneKernel *slot = nullptr;
  for (int64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      int64_t bytes = 1000 + i;
      EXPECT_EQ(honeLaunch(&slot, plan, &bytes, 1), HONE_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake.allocations.size(), 1u);
  for (const FakeDriver::Launch &made : fake.launches)
    EXPECT_EQ(made.params[0], fake.launches[0].params[0]);
  honeRelease(&slot);
}

} // namespace
