//===- MemoryTest.cpp - Tests of device memory ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver calls for memory, and their streams.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

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
  fake.takeCalls();
  // Queued work may still use the memory.
  EXPECT_EQ(honeFree(pointer), HONE_OK);
  EXPECT_EQ(fake.takeCalls(),
            "cuCtxGetCurrent cuCtxGetDevice cuStreamSynchronize cuMemFree");
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
  EXPECT_EQ(info.processors, fake.processors);
  EXPECT_EQ(info.memoryBytes, int64_t(1) << 37);
  EXPECT_EQ(info.sharedPerBlock, 1000 + cu::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(info.clockKHz, 1000 + cu::CLOCK_RATE);
  EXPECT_EQ(info.l2Bytes, 1000 + cu::L2_CACHE_SIZE);
  EXPECT_EQ(info.driverVersion, 13000);
  EXPECT_EQ(honeDeviceInfo(2, &info), HONE_CUDA_ERROR);
  EXPECT_STREQ(honeLastError(), "cuDeviceGet: invalid device ordinal "
                                "(CUDA_ERROR_INVALID_DEVICE)");
}

} // namespace
