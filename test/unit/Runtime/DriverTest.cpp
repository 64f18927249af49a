//===- DriverTest.cpp - Tests of opening the driver, and of its absence ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine without a driver, with an old one, or without a GPU is the normal
// case for a compiler: every function returns that status and none crashes.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "MlirAbi.h"
#include "lib/Runtime/DriverState.h"
#include "gtest/gtest.h"
#include <cstring>
#include <thread>

using namespace hone;
using namespace hone::test;

namespace {

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST(Driver, SaysWhichLibraryIsMissing) {
  DriverState state = openDriver("libhone-no-such-driver.so.1");
  EXPECT_FALSE(state.usable);
  EXPECT_EQ(state.status, HONE_NO_DRIVER);
  EXPECT_EQ(
      state.why.substr(0, 66),
      "expected the CUDA driver, but got no libhone-no-such-driver.so.1 (");
  EXPECT_NE(state.why.find("); install the NVIDIA driver"), std::string::npos);
}

TEST(Driver, RefusesAnotherLibrary) {
  DriverState state = makeDriver(
      [](void *, const char *) -> void * { return nullptr; }, nullptr);
  EXPECT_EQ(state.status, HONE_NO_DRIVER);
  EXPECT_EQ(state.why, "expected the CUDA driver to have 'cuInit', but got "
                       "none; update the NVIDIA driver");
}

/// A driver with the fake one's functions, except those named here.
struct Library {
  const Driver *table;
  std::string missing;
  cu::Result (*version)(int *);
  cu::Result (*init)(unsigned);
};

void *resolveIn(void *handle, const char *symbol) {
  auto &library = *static_cast<Library *>(handle);
  if (library.missing == symbol)
    return nullptr;
  if (!strcmp(symbol, "cuDriverGetVersion") && library.version)
    return reinterpret_cast<void *>(library.version);
  if (!strcmp(symbol, "cuInit") && library.init)
    return reinterpret_cast<void *>(library.init);
#define HONE_FIND(NAME, VERSION, PARAMS)                                       \
  if (!strcmp(symbol, #NAME VERSION))                                          \
    return reinterpret_cast<void *>(library.table->NAME);
  HONE_DRIVER_FUNCTIONS(HONE_FIND)
  HONE_DRIVER_OPTIONAL_FUNCTIONS(HONE_FIND)
#undef HONE_FIND
  return nullptr;
}

TEST(Driver, TakesACompleteLibrary) {
  FakeDriver fake;
  Library library = {Driver::get(), "", nullptr, nullptr};
  DriverState state = makeDriver(resolveIn, &library);
  EXPECT_TRUE(state.usable);
  EXPECT_EQ(state.driver.version, 13000);
  EXPECT_EQ(state.driver.cuFuncGetParamInfo, nullptr);
  EXPECT_EQ(fake.takeCalls(), "cuInit");
}

TEST(Driver, WantsEveryFunction) {
  FakeDriver fake;
  Library library = {Driver::get(), "cuLibraryGetKernel", nullptr, nullptr};
  EXPECT_EQ(makeDriver(resolveIn, &library).why,
            "expected the CUDA driver to have 'cuLibraryGetKernel', but got "
            "none; update the NVIDIA driver");
}

TEST(Driver, RefusesAnOldOne) {
  FakeDriver fake;
  Library library = {Driver::get(), "cuLibraryLoadData",
                     [](int *version) {
                       *version = 11040;
                       return 0;
                     },
                     nullptr};
  DriverState state = makeDriver(resolveIn, &library);
  EXPECT_EQ(state.status, HONE_NO_DRIVER);
  EXPECT_EQ(state.why, "expected a driver for CUDA 12.0 or newer, but got one "
                       "for CUDA 11.4; update the NVIDIA driver");
}

TEST(Driver, NoDevice) {
  FakeDriver fake;
  Library library = {Driver::get(), "", nullptr,
                     [](unsigned) { return cu::Result(100); }};
  DriverState state = makeDriver(resolveIn, &library);
  EXPECT_EQ(state.status, HONE_NO_DEVICE);
  EXPECT_EQ(state.why, "cuInit: no CUDA-capable device is detected "
                       "(CUDA_ERROR_NO_DEVICE)");
}

TEST(Driver, DescribesErrors) {
  FakeDriver fake;
  const Driver *driver = Driver::get();
  EXPECT_EQ(driver->describe("cuMemAlloc", 2),
            "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(driver->describe("cuLaunchKernelEx", 900),
            "cuLaunchKernelEx: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
  EXPECT_EQ(driver->describe("cuLaunchKernelEx", 12345),
            "cuLaunchKernelEx: error 12345");
}

TEST(Driver, TheMachinesOwn) {
  std::string why;
  const Driver *driver = Driver::get(&why);
  EXPECT_EQ(driver == nullptr, !why.empty());
  EXPECT_EQ(Driver::get(), driver);
}

//===----------------------------------------------------------------------===//
// Without a driver
//===----------------------------------------------------------------------===//

class NoDriver : public testing::Test {
protected:
  void SetUp() override {
    none.why = "expected the CUDA driver, but got no libcuda.so.1";
    setDriverForTesting(&none);
  }
  void TearDown() override { setDriverForTesting(nullptr); }

  /// The status and text that every function must have reported, once.
  void expectReported() {
    ASSERT_EQ(captured.errors.size(), 1u);
    EXPECT_EQ(captured.errors[0].first, HONE_NO_DRIVER);
    EXPECT_EQ(captured.errors[0].second, none.why);
    EXPECT_EQ(honeLastError(), none.why);
    captured.errors.clear();
  }

  DriverState none;
  CapturedErrors captured;
};

TEST_F(NoDriver, EveryFunctionSaysSo) {
  HoneKernel *slot = nullptr;
  EXPECT_EQ(honeLaunch(&slot, "hone-plan 2", nullptr, 0), HONE_NO_DRIVER);
  EXPECT_EQ(slot, nullptr);
  expectReported();
  int32_t count = 5;
  EXPECT_EQ(honeDeviceCount(&count), HONE_NO_DRIVER);
  EXPECT_EQ(count, 0);
  expectReported();
  HoneDeviceInfo info;
  EXPECT_EQ(honeDeviceInfo(0, &info), HONE_NO_DRIVER);
  EXPECT_STREQ(info.name, "");
  expectReported();
  EXPECT_EQ(honeSetDevice(0), HONE_NO_DRIVER);
  expectReported();
  void *pointer = &info;
  EXPECT_EQ(honeAlloc(&pointer, 16), HONE_NO_DRIVER);
  EXPECT_EQ(pointer, nullptr);
  expectReported();
  EXPECT_EQ(honeFree(nullptr), HONE_NO_DRIVER);
  expectReported();
  EXPECT_EQ(honeCopyToDevice(&info, &info, 4), HONE_NO_DRIVER);
  expectReported();
  EXPECT_EQ(honeCopyFromDevice(&info, &info, 4), HONE_NO_DRIVER);
  expectReported();
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  expectReported();
  HoneResident *resident = nullptr;
  EXPECT_EQ(honeConstant(&resident, &info, 4, &pointer), HONE_NO_DRIVER);
  EXPECT_EQ(pointer, nullptr);
  expectReported();
  const char *text = "";
  EXPECT_EQ(honeTakeAssertion(&text), HONE_NO_DRIVER);
  EXPECT_EQ(text, nullptr);
  expectReported();
}

TEST_F(NoDriver, ProgramsStartAndEnd) {
  // Functions that run before and after main must not report errors.
  char ptx[] = ".version 8.0\n.target sm_90a\n.visible .entry k()";
  void *module = mgpuModuleLoadJIT(ptx, 2);
  EXPECT_NE(module, nullptr);
  void *same = mgpuModuleLoad(ptx, sizeof(ptx));
  mgpuModuleUnload(same);
  honeSetStream(&module);
  EXPECT_EQ(mgpuStreamCreate(), &module);
  honeSetStream(nullptr);
  HoneKernel *slot = nullptr;
  honeRelease(&slot);
  HoneResident *resident = nullptr;
  honeReleaseResident(&resident);
  EXPECT_TRUE(captured.errors.empty());

  EXPECT_EQ(mgpuModuleGetFunction(module, "k"), nullptr);
  expectReported();
  mgpuModuleUnload(module);
  EXPECT_TRUE(captured.errors.empty());
}

TEST_F(NoDriver, TheMlirInterfaceSaysSo) {
  EXPECT_EQ(mgpuMemAlloc(16, nullptr, false), nullptr);
  expectReported();
  mgpuMemFree(&none, nullptr);
  expectReported();
  mgpuMemcpy(&none, &none, 1, nullptr);
  expectReported();
  mgpuMemset32(&none, 0, 1, nullptr);
  expectReported();
  mgpuMemset16(&none, 0, 1, nullptr);
  expectReported();
  mgpuStreamSynchronize(nullptr);
  expectReported();
  EXPECT_EQ(mgpuEventCreate(), nullptr);
  expectReported();
  mgpuSetDefaultDevice(0);
  expectReported();
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(NoDriver, ErrorsAreCountedAndKeptPerThread) {
  int64_t before = honeErrorCount();
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  EXPECT_EQ(honeErrorCount(), before + 2);
  EXPECT_EQ(captured.errors.size(), 2u);
  std::thread([&] {
    EXPECT_STREQ(honeLastError(), "");
    EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
    EXPECT_EQ(honeLastError(), none.why);
  }).join();
  EXPECT_EQ(honeErrorCount(), before + 3);
}

TEST_F(NoDriver, LongTextsAreCut) {
  none.why = std::string(5000, 'x');
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  EXPECT_EQ(std::string(honeLastError()), std::string(1020, 'x') + "...");
}

TEST_F(NoDriver, TheDefaultHandlerPrints) {
  honeSetErrorHandler(nullptr, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hone: expected the CUDA driver, but got no libcuda.so.1\n");
}

TEST_F(NoDriver, TheDefaultHandlerPrintsEachTextOnce) {
  honeSetErrorHandler(nullptr, nullptr);
  none.why = "expected a driver that is printed once";
  testing::internal::CaptureStderr();
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  none.why = "expected another one";
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hone: expected a driver that is printed once\n"
            "hone: expected another one\n");
}

TEST_F(NoDriver, AMarkTellsOfLaterFailures) {
  int64_t before = honeFailureMark();
  EXPECT_EQ(honeStatusSince(before), HONE_OK);
  EXPECT_EQ(honeSynchronize(), HONE_NO_DRIVER);
  EXPECT_EQ(honeTakeStatus(), HONE_NO_DRIVER);
  // Taking the status does not affect a mark.
  EXPECT_EQ(honeStatusSince(before), HONE_NO_DRIVER);
  int64_t after = honeFailureMark();
  EXPECT_EQ(honeStatusSince(after), HONE_OK);
  std::thread([] { (void)honeSynchronize(); }).join();
  EXPECT_EQ(honeStatusSince(after), HONE_OK);
}

TEST_F(NoDriver, ARequiredStatusEndsTheProgram) {
  honeRequire(HONE_OK, "a launch in 'f'");
  none.why = "expected a driver";
  EXPECT_DEATH(honeRequire(honeSynchronize(), "a wait in 'f'"),
               "^hone: the program ends here: a wait in 'f': expected a "
               "driver\n$");
  // The default handler has already printed the reason.
  honeSetErrorHandler(nullptr, nullptr);
  EXPECT_DEATH(honeRequire(honeSynchronize(), "a wait in 'f'"),
               "^hone: expected a driver\nhone: the program ends here: a wait "
               "in 'f'\n$");
}

} // namespace
