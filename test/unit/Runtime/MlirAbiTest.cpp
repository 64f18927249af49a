//===- MlirAbiTest.cpp - Tests of the interface of upstream's gpu lowering ===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that lowered IR calls, as it declares them: a kernel of a
// gpu.binary is launched on the caller's stream, and no stream is created.
//
//===----------------------------------------------------------------------===//

#include "MlirAbi.h"
#include "FakeDriver.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

namespace {

char kMlirAbiPtx[] = ".target sm_80\n.visible .entry k(";

class MlirAbi : public testing::Test {
protected:
  void SetUp() override {
    fake.paramSizes["k"] = {4};
    module = mgpuModuleLoadJIT(kMlirAbiPtx, 2);
    honeSetStream(reinterpret_cast<void *>(0x55));
  }
  void TearDown() override { mgpuModuleUnload(module); }

  FakeDriver fake;
  CapturedErrors captured;
  void *module = nullptr;
};

TEST_F(MlirAbi, LaunchesOnTheCallersStream) {
  // The lowered form of `gpu.launch_func`.
  void *function = mgpuModuleGetFunction(module, "k");
  ASSERT_NE(function, nullptr);
  void *stream = mgpuStreamCreate();
  EXPECT_EQ(stream, honeGetStream());
  float value = 1.5;
  void *params[] = {&value};
  mgpuLaunchKernel(function, 2, 3, 4, 32, 2, 1, 100, stream, params, nullptr,
                   1);
  mgpuStreamSynchronize(stream);
  mgpuStreamDestroy(stream);
  ASSERT_EQ(fake.launches.size(), 1u);
  const FakeDriver::Launch &made = fake.launches[0];
  EXPECT_EQ(made.entry, "k");
  EXPECT_EQ(made.config.stream, stream);
  EXPECT_EQ(made.config.grid[2], 4u);
  EXPECT_EQ(made.config.block[1], 2u);
  EXPECT_EQ(made.config.sharedMemBytes, 100u);
  EXPECT_TRUE(made.attributes.empty());
  EXPECT_EQ(made.params[0], std::string("\0\0\xc0\x3f", 4));
  EXPECT_EQ(fake.countCalls("cuStreamCreate"), 0u);
  EXPECT_EQ(fake.countCalls("cuStreamDestroy"), 0u);
  EXPECT_EQ(fake.countCalls("cuStreamSynchronize"), 1u);
  fake.takeCalls();
  EXPECT_EQ(mgpuModuleGetFunction(module, "k"), function);
  EXPECT_EQ(fake.takeCalls(),
            "cuCtxGetCurrent cuThreadExchangeStreamCaptureMode cuCtxGetDevice "
            "cuThreadExchangeStreamCaptureMode");
}

TEST_F(MlirAbi, ClustersAndSharedMemory) {
  int value = 0;
  void *params[] = {&value};
  mgpuLaunchClusterKernel(mgpuModuleGetFunction(module, "k"), 2, 1, 1, 4, 1, 1,
                          32, 1, 1, 100000, nullptr, params, nullptr);
  ASSERT_EQ(fake.launches.size(), 1u);
  ASSERT_EQ(fake.launches[0].attributes.size(), 1u);
  EXPECT_EQ(fake.launches[0].attributes[0].id, cu::CLUSTER_DIMENSION);
  EXPECT_EQ(fake.launches[0].attributes[0].clusterDim[0], 2u);
  EXPECT_EQ(fake.sharedLimits["k"], 100000);
}

TEST_F(MlirAbi, OneFailureIsReportedOnce) {
  void *function = mgpuModuleGetFunction(module, "missing");
  EXPECT_EQ(function, nullptr);
  mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  ASSERT_EQ(captured.errors.size(), 1u);
  EXPECT_EQ(captured.errors[0].first, HONE_NO_IMAGE);
  mgpuLaunchKernel(mgpuModuleGetFunction(module, "k"), -1, 1, 1, 1, 1, 1, 0,
                   nullptr, nullptr, nullptr, 0);
  EXPECT_STREQ(honeLastError(),
               "expected a grid of 0 to 2147483647, but got -1");
  EXPECT_EQ(mgpuModuleGetFunction(nullptr, "k"), nullptr);
  EXPECT_STREQ(honeLastError(),
               "expected a loaded module with the kernel 'k', but got none");
}

TEST_F(MlirAbi, HoneLaunchFindsItsKernels) {
  HoneKernel *slot = nullptr;
  int64_t x = 3;
  const char *plan =
      "hone-plan 2\nargs x\nalternative 1\nlaunch k\nparam i32 x\n";
  EXPECT_EQ(honeLaunch(&slot, plan, &x, 1), HONE_OK);
  EXPECT_EQ(fake.librariesLoaded, 1u);
  honeRelease(&slot);
}

TEST_F(MlirAbi, Memory) {
  void *stream = mgpuStreamCreate();
  void *device = mgpuMemAlloc(64, stream, false);
  void *shared = mgpuMemAlloc(64, nullptr, true);
  EXPECT_EQ(mgpuMemAlloc(0, stream, false), nullptr);
  ASSERT_NE(device, nullptr);
  ASSERT_NE(shared, nullptr);
  fake.takeCalls();
  mgpuMemcpy(device, shared, 64, stream);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuMemcpyAsync");
  mgpuMemset16(device, 1, 2, stream);
  mgpuMemset32(device, 1, 2, stream);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuMemsetD16Async "
                              "cuCtxGetCurrent cuMemsetD32Async");
  mgpuMemFree(device, stream);
  mgpuMemFree(shared, stream);
  EXPECT_EQ(fake.countCalls("cuMemFreeAsync"), 1u);
  EXPECT_EQ(fake.countCalls("cuMemFree"), 1u);
  mgpuMemFree(nullptr, stream);
  fake.takeCalls();
  mgpuMemcpy(device, shared, 0, stream);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent");
}

TEST_F(MlirAbi, ManagedMemoryIsFreedAfterQueuedWork) {
  CapturedErrors captured;
  void *stream = reinterpret_cast<void *>(0x55);
  void *shared = mgpuMemAlloc(64, stream, true);
  auto address = reinterpret_cast<cu::Address>(shared);
  fake.takeCalls();
  fake.failures = {{"cuStreamSynchronize", 700}};
  mgpuMemFree(shared, stream);
  // The state of the work is unknown: the memory stays.
  EXPECT_TRUE(fake.freed.empty());
  EXPECT_EQ(captured.errors.size(), 1u);
  fake.failures.clear();
  fake.takeCalls();
  mgpuMemFree(shared, stream);
  EXPECT_EQ(fake.takeCalls(), "cuCtxGetCurrent cuPointerGetAttribute "
                              "cuStreamSynchronize cuMemFree");
  EXPECT_EQ(fake.freed.count(address), 1u);
}

TEST_F(MlirAbi, Events) {
  void *stream = mgpuStreamCreate(), *event = mgpuEventCreate();
  mgpuEventRecord(event, stream);
  mgpuStreamWaitEvent(stream, event);
  mgpuEventSynchronize(event);
  mgpuEventDestroy(event);
  for (const char *call :
       {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent",
        "cuEventSynchronize", "cuEventDestroy"})
    EXPECT_EQ(fake.countCalls(call), 1u) << call;
}

TEST_F(MlirAbi, HostMemRefsAndDevices) {
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {&fake, &fake, 0, {4, 5}, {5, 1}};
  mgpuMemHostRegisterMemRef(2, &memref, 4);
  EXPECT_EQ(fake.countCalls("cuMemHostRegister"), 1u);
  fake.takeCalls();
  mgpuMemHostUnregisterMemRef(2, &memref, 4);
  // Queued work may still use the memory.
  EXPECT_EQ(fake.takeCalls(),
            "cuCtxGetCurrent cuStreamSynchronize cuMemHostUnregister");
  memref.sizes[0] = 0;
  mgpuMemHostRegisterMemRef(2, &memref, 4);
  EXPECT_EQ(fake.countCalls("cuMemHostRegister"), 0u);
  mgpuSetDefaultDevice(1);
  mgpuEventDestroy(nullptr);
  HoneKernel *slot = nullptr;
  const char *plan =
      "hone-plan 2\nargs\nalternative 1\nlaunch k\nparam i32 1\n";
  EXPECT_EQ(honeLaunch(&slot, plan, nullptr, 0), HONE_OK);
  EXPECT_EQ(fake.launches[0].context, FakeDriver::contextOf(1));
  honeRelease(&slot);
}

} // namespace
