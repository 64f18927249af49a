//===- InjectionTest.cpp - Tests in which each driver call fails once -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that uses all of the runtime is run once for each call of the
// driver that it makes, and that call fails. In every case its name is reported
// once, the thread's capture mode is unchanged, and the program then runs again
// without failure or leak. A function that is added to the driver's table is
// covered as soon as the program reaches it.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "MlirAbi.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

constexpr const char *kInjectionPtx =
    ".target sm_80\n.entry k(\n.entry worker(";

/// Blocks that wait for each other, in clusters that need permission, with more
/// shared memory than the default, a tensor map and memory between launches.
constexpr const char *kInjectionPlan = R"(hone-plan 2
args a m
alternative 1
workspace m * 1024 zero
launch k
grid ceildiv(m, 64) ; 1 ; 1
block 128 ; 1 ; 1
param ptr ws
param i64 m
launch worker
grid resident(4, 8) * 16 ; 1 ; 1
block 128 ; 1 ; 1
cluster 16 ; 1 ; 1
shared 100000
param tensormap a : f16 dims (64, m) strides (128) box (64, 64) swizzle 128
param i64 m
)";

/// An object whose release fails still exists, and is released again.
template <typename Body>
void giveBack(Body body) {
  int64_t mark = honeFailureMark();
  body();
  if (honeStatusSince(mark) != HONE_OK)
    body();
}

/// All steps of a program from start to end.
class Program {
public:
  explicit Program(FakeDriver &fake) : fake(fake) {
    fake.knowParams();
    fake.paramSizes["k"] = {8, 8};
    fake.paramSizes["worker"] = {128, 8};
  }

  void run() {
    // Each run starts without a context, like a new thread.
    FakeDriver::setContext(nullptr);
    void *image = honeRegisterImage(kInjectionPtx, strlen(kInjectionPtx));
    HoneDeviceInfo info;
    int32_t devices;
    honeSetDevice(0);
    honeDeviceCount(&devices);
    honeDeviceInfo(0, &info);
    for (size_t stream : {0, 8}) {
      honeSetStream(reinterpret_cast<void *>(stream));
      launch();
    }
    useMemory();
    useUpstream(image);
    useCaptures();
    std::thread([&] { runThread(); }).join();
    honeSetStream(nullptr);
    honeUnregisterImage(image);
  }

  CapturedErrors captured;

private:
  void launch() {
    HoneKernel *slot = nullptr;
    const int64_t args[] = {0x1000, 130};
    honeLaunch(&slot, kInjectionPlan, args, 2);
    honeRelease(&slot);
  }

  void useMemory() {
    char bytes[64] = "";
    void *memory = nullptr;
    honeAlloc(&memory, sizeof(bytes));
    honeCopyToDevice(memory, bytes, sizeof(bytes));
    honeCopy(bytes, memory, sizeof(bytes));
    honeCopyFromDevice(bytes, memory, sizeof(bytes));
    giveBack([&] { honeFree(memory); });
    honeSynchronize();
    HoneResident *constant = nullptr, *flag = nullptr;
    honeConstant(&constant, bytes, sizeof(bytes), &memory);
    honeAssertion(&flag, "holds", &memory);
    const char *failed = nullptr;
    honeTakeAssertion(&failed);
    giveBack([&] {
      honeReleaseResident(&constant);
      honeReleaseResident(&flag);
    });
  }

  void useUpstream(void *image) {
    void *stream = honeGetStream();
    int64_t value = 0;
    void *params[] = {&value, &value};
    void *function = mgpuModuleGetFunction(image, "k");
    mgpuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 60000, stream, params,
                     nullptr, 2);
    void *event = mgpuEventCreate();
    if (event) {
      mgpuEventRecord(event, stream);
      mgpuStreamWaitEvent(stream, event);
      mgpuEventSynchronize(event);
      giveBack([&] { mgpuEventDestroy(event); });
    }
    for (bool isShared : {false, true}) {
      void *memory = mgpuMemAlloc(256, stream, isShared);
      mgpuMemset16(memory, 0, 8, stream);
      mgpuMemset32(memory, 0, 8, stream);
      mgpuMemcpy(memory, memory, 8, stream);
      giveBack([&] { mgpuMemFree(memory, stream); });
    }
    struct {
      void *allocated, *aligned;
      int64_t offset, size, stride;
    } host = {&value, &value, 0, 1, 1};
    mgpuMemHostRegisterMemRef(1, &host, 8);
    mgpuMemHostUnregisterMemRef(1, &host, 8);
    mgpuStreamSynchronize(stream);
  }

  /// Each graph uses the memory of the one before, or replaces it.
  void useCaptures() {
    honeSetStream(reinterpret_cast<void *>(16));
    for (int i = 0; i < 3; ++i) {
      cu::Graph graph = fake.beginCapture(16);
      launch();
      fake.endCapture(16);
      fake.destroyGraph(graph);
    }
  }

  /// A thread whose memory is freed when it ends.
  void runThread() {
    honeSetStream(cu::streamPerThread());
    launch();
    EXPECT_EQ(FakeDriver::captureMode(), cu::CAPTURE_GLOBAL);
  }

  FakeDriver &fake;
};

/// The kind of object that stays allocated once `call` has failed.
std::string keptBy(const std::string &call) {
  return call == "cuStreamDestroy"   ? "streams"
         : call == "cuLibraryUnload" ? "libraries"
                                     : "";
}

/// True if `text` names `call`, and no other function of the driver.
bool names(const std::string &text, const std::string &call) {
  return text.find(call + ": ") != text.npos;
}

class Injection : public testing::TestWithParam<bool> {};

TEST_P(Injection, ComesBackOnceAndLeavesNothing) {
  std::map<std::string, int64_t> expected;
  int64_t count;
  {
    FakeDriver fake;
    fake.hasPools = GetParam();
    Program program(fake);
    program.run();
    count = fake.callCount;
    program.run();
    expected = fake.live();
    ASSERT_TRUE(program.captured.errors.empty()) << program.captured.lastText();
    EXPECT_EQ(fake.launches.size(), 2u * (2 * 6 + 1));
  }
  ASSERT_GT(count, 150);
  for (int64_t i = 0; i < count; ++i) {
    FakeDriver fake;
    fake.hasPools = GetParam();
    Program program(fake);
    fake.failingCall = i;
    program.run();
    SCOPED_TRACE("call " + std::to_string(i) + ", " + fake.failedCall);
    auto &errors = program.captured.errors;
    ASSERT_EQ(errors.size(), 1u) << program.captured.lastText();
    EXPECT_TRUE(names(errors[0].second, fake.failedCall)) << errors[0].second;
    EXPECT_EQ(FakeDriver::captureMode(), cu::CAPTURE_GLOBAL);

    size_t before = fake.launches.size();
    program.run();
    EXPECT_EQ(errors.size(), 1u) << program.captured.lastText();
    EXPECT_EQ(fake.launches.size(), before + 2 * 6 + 1);
    for (auto [kind, number] : fake.live())
      EXPECT_LE(number, expected[kind] + (kind == keptBy(fake.failedCall)))
          << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Pools, Injection, testing::Bool());

} // namespace
