//===- MeasureMachineTest.cpp - Tests of measuring a GPU's numbers --------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver table without a GPU: every kernel takes the time that a machine with
// known numbers would need, and the measurement has to find these numbers.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/MeasureMachine.h"
#include "hone/Measure/MachinePtx.h"
#include "hone/Schedule/MachineFile.h"
#include "lib/Runtime/DriverState.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace hone;

namespace {

/// The machine that the driver table stands for.
struct FakeGpu {
  std::string name = "NVIDIA H100 80GB HBM3";
  int capability = 90, processors = 132;
  std::set<std::string> failing; ///< calls that fail
  MeasuredRates rates;
  double memoryGBs = 3000;

  double now = 0;                  ///< seconds
  double captured = 0;             ///< by the open graph
  std::map<size_t, double> graphs; ///< seconds of each
  std::map<cu::Event, double> events;
  std::vector<std::string> kernels;  ///< a function's number is its place
  std::set<std::string> needCluster; ///< launched in clusters
  int64_t live = 0;                  ///< allocations
};
FakeGpu *gpu = nullptr;

template <typename T>
T handle(size_t number) {
  return reinterpret_cast<T>(number);
}
template <typename T>
size_t number(T handle) {
  return reinterpret_cast<size_t>(handle);
}

template <typename T>
T param(void **params, int i) {
  T value;
  memcpy(&value, params[i], sizeof(T));
  return value;
}

/// Seconds of a kernel on the machine.
double secondsOf(llvm::StringRef name, const cu::LaunchConfig &config,
                 void **params) {
  const MeasuredRates &rates = gpu->rates;
  double threads = double(config.grid[0]) * config.block[0];
  if (name == "hone_copy")
    return param<uint64_t>(params, 2) * 32 / (gpu->memoryGBs * 1e9);
  if (name == "hone_read")
    return threads * param<uint32_t>(params, 3) * 64 / (rates.l2GBs * 1e9);
  if (name == "hone_empty")
    return rates.launchSeconds;
  if (name == "hone_empty_overlap")
    return rates.launchOverlapSeconds;
  if (name == "hone_cluster_barrier")
    return param<uint32_t>(params, 0) * rates.clusterBarrierSeconds;
  if (name == "hone_atomic")
    return param<uint32_t>(params, 1) * rates.atomicSeconds;
  for (const ProductKernel &kernel : productKernels(gpu->capability))
    if (name == kernel.name)
      return kernel.flopsPerStep * config.grid[0] * param<uint32_t>(params, 2) /
             (rates.*kernel.rate * 1e12);
  ADD_FAILURE() << "unknown kernel " << name.str();
  return 1;
}

cu::Result result(const char *call) {
  return gpu->failing.count(call) ? 999 : cu::SUCCESS;
}

void addDevice(Driver &table) {
  table.cuDeviceGet = [](cu::Device *device, int) {
    *device = 0;
    return result("cuDeviceGet");
  };
  table.cuDeviceGetName = [](char *text, int size, cu::Device) {
    snprintf(text, size, "%s", gpu->name.c_str());
    return result("cuDeviceGetName");
  };
  table.cuDeviceGetAttribute = [](int *value, cu::DeviceAttribute attribute,
                                  cu::Device) {
    const std::map<int, int> values = {
        {cu::COMPUTE_CAPABILITY_MAJOR, gpu->capability / 10},
        {cu::COMPUTE_CAPABILITY_MINOR, gpu->capability % 10},
        {cu::MULTIPROCESSOR_COUNT, gpu->processors},
        {cu::L2_CACHE_SIZE, 50 << 20},
        {cu::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
        {cu::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
        {cu::MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {cu::MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {cu::CLOCK_RATE, 1980000}};
    auto found = values.find(attribute);
    *value = found == values.end() ? 0 : found->second;
    return result("cuDeviceGetAttribute");
  };
  table.cuDevicePrimaryCtxRetain = [](cu::Context *context, cu::Device) {
    *context = handle<cu::Context>(1);
    return result("cuDevicePrimaryCtxRetain");
  };
  table.cuDevicePrimaryCtxRelease = [](cu::Device) { return result(""); };
  table.cuCtxSetCurrent = [](cu::Context) { return result("cuCtxSetCurrent"); };
  table.cuStreamCreate = [](cu::Stream *stream, unsigned) {
    *stream = handle<cu::Stream>(8);
    return result("cuStreamCreate");
  };
  table.cuStreamDestroy = [](cu::Stream) { return result(""); };
  table.cuStreamSynchronize = [](cu::Stream) {
    return result("cuStreamSynchronize");
  };
  table.cuGetErrorName = [](cu::Result, const char **text) {
    *text = "FAKE_ERROR";
    return result("");
  };
  table.cuGetErrorString = table.cuGetErrorName;
}

void addMemory(Driver &table) {
  table.cuMemGetInfo = [](size_t *free, size_t *total) {
    *free = *total = size_t(80) << 30;
    return result("cuMemGetInfo");
  };
  table.cuMemAlloc = [](cu::Address *address, size_t) {
    *address = 4096;
    ++gpu->live;
    return result("cuMemAlloc");
  };
  table.cuMemFree = [](cu::Address) {
    --gpu->live;
    return result("");
  };
  table.cuMemsetD8Async = [](cu::Address, unsigned char, size_t, cu::Stream) {
    return result("cuMemsetD8Async");
  };
  // The stamps of a kernel that ran for a millisecond.
  table.cuMemcpyDtoHAsync = [](void *to, cu::Address, size_t bytes,
                               cu::Stream) {
    uint64_t stamps[4] = {
        500, 7000, 500 + uint64_t(gpu->rates.clockGHz * 1000000), 1007000};
    memcpy(to, stamps, std::min(bytes, sizeof(stamps)));
    return result("cuMemcpyDtoHAsync");
  };
}

void addKernels(Driver &table) {
  table.cuLibraryLoadData = [](cu::Library *library, const void *,
                               cu::JitOption *, void **, unsigned, int *,
                               void **, unsigned) {
    *library = handle<cu::Library>(8);
    return result("cuLibraryLoadData");
  };
  table.cuLibraryUnload = [](cu::Library) { return result(""); };
  table.cuLibraryGetKernel = [](cu::Kernel *kernel, cu::Library,
                                const char *name) {
    gpu->kernels.push_back(name);
    *kernel = handle<cu::Kernel>(gpu->kernels.size());
    return result(name);
  };
  table.cuKernelGetFunction = [](cu::Function *function, cu::Kernel kernel) {
    *function = handle<cu::Function>(number(kernel));
    return result("cuKernelGetFunction");
  };
  table.cuFuncSetAttribute = [](cu::Function, cu::FunctionAttribute, int) {
    return result("cuFuncSetAttribute");
  };
  table.cuOccupancyMaxActiveClusters = [](int *clusters, cu::Function,
                                          const cu::LaunchConfig *config) {
    // Processors are in groups of 18 and one of 6.
    int blocks = config->numAttrs ? config->attrs->clusterDim[0] : 1;
    *clusters = gpu->capability >= 90
                    ? gpu->processors / 18 * (18 / blocks) + 6 / blocks
                    : 0;
    return result("cuOccupancyMaxActiveClusters");
  };
  table.cuLaunchKernelEx = [](const cu::LaunchConfig *config,
                              cu::Function function, void **params, void **) {
    const std::string &name = gpu->kernels.at(number(function) - 1);
    for (unsigned i = 0; i < config->numAttrs; ++i)
      if (config->attrs[i].id == cu::CLUSTER_DIMENSION)
        gpu->needCluster.insert(name);
    gpu->captured += secondsOf(name, *config, params);
    return result("cuLaunchKernelEx");
  };
}

void addTime(Driver &table) {
  table.cuStreamBeginCapture = [](cu::Stream, cu::CaptureMode) {
    gpu->captured = 0;
    return result("cuStreamBeginCapture");
  };
  table.cuStreamEndCapture = [](cu::Stream, cu::Graph *graph) {
    *graph = handle<cu::Graph>(gpu->graphs.size() + 1);
    gpu->graphs[number(*graph)] = gpu->captured;
    return result("cuStreamEndCapture");
  };
  table.cuGraphInstantiate = [](cu::GraphExec *exec, cu::Graph graph,
                                unsigned long long) {
    *exec = handle<cu::GraphExec>(number(graph));
    return result("cuGraphInstantiate");
  };
  table.cuGraphDestroy = [](cu::Graph) { return result(""); };
  table.cuGraphExecDestroy = [](cu::GraphExec) { return result(""); };
  table.cuGraphLaunch = [](cu::GraphExec exec, cu::Stream) {
    gpu->now += gpu->graphs.at(number(exec));
    return result("cuGraphLaunch");
  };
  table.cuEventCreate = [](cu::Event *event, unsigned) {
    *event = handle<cu::Event>(gpu->events.size() + 1);
    gpu->events[*event] = 0;
    return result("cuEventCreate");
  };
  table.cuEventDestroy = [](cu::Event) { return result(""); };
  table.cuEventRecord = [](cu::Event event, cu::Stream) {
    gpu->events[event] = gpu->now;
    return result("cuEventRecord");
  };
  table.cuEventSynchronize = [](cu::Event) {
    return result("cuEventSynchronize");
  };
  table.cuEventElapsedTime = [](float *milliseconds, cu::Event start,
                                cu::Event end) {
    *milliseconds = (gpu->events[end] - gpu->events[start]) * 1e3;
    return result("cuEventElapsedTime");
  };
}

class MeasureMachine : public ::testing::Test {
protected:
  void SetUp() override {
    gpu = &fake;
    fake.rates = {1.7, 5500, 650,  330,  1300, 500,
                  250, 400,  3e-6, 1e-6, 2e-7, 1e-6};
    state.usable = true;
    state.status = HONE_OK;
    state.driver.version = 13000;
    addDevice(state.driver);
    addMemory(state.driver);
    addKernels(state.driver);
    addTime(state.driver);
    setDriverForTesting(&state);
  }
  void TearDown() override { setDriverForTesting(nullptr); }

  llvm::Expected<Arch> measure() {
    auto device = Device::open();
    if (!device)
      return device.takeError();
    return measureMachine(**device);
  }

  FakeGpu fake;
  DriverState state;
};

TEST_F(MeasureMachine, FindsTheNumbersOfTheGpu) {
  Arch arch = llvm::cantFail(measure());
  EXPECT_EQ(arch.name, "h100");
  EXPECT_EQ(arch.chip, "h100");
  EXPECT_EQ(arch.isa, "sm_90a");
  EXPECT_TRUE(arch.isMeasured);
  EXPECT_EQ(arch.processors, 132);
  EXPECT_EQ(arch.sharedPerBlock, 232448);
  EXPECT_EQ(arch.threadsPerProcessor, 2048);
  EXPECT_EQ(arch.cacheBytes, 50 << 20);
  EXPECT_EQ(arch.clusters, (std::array<int64_t, 4>{66, 29, 14, 7}));
  EXPECT_DOUBLE_EQ(arch.clockGHz, 1.98);
  const MeasuredRates &found = arch.measured, &real = fake.rates;
  constexpr double kClose = 1e-3;
  auto expectClose = [&](double a, double b) { EXPECT_NEAR(a, b, b * kClose); };
  expectClose(arch.memoryGBs, fake.memoryGBs);
  expectClose(found.clockGHz, real.clockGHz);
  expectClose(found.l2GBs, real.l2GBs);
  for (const ProductKernel &kernel : productKernels(90))
    expectClose(found.*kernel.rate, real.*kernel.rate);
  expectClose(found.launchSeconds, real.launchSeconds);
  expectClose(found.launchOverlapSeconds, real.launchOverlapSeconds);
  expectClose(found.clusterBarrierSeconds, real.clusterBarrierSeconds);
  expectClose(found.atomicSeconds, real.atomicSeconds);
  EXPECT_EQ(fake.needCluster, std::set<std::string>{"hone_cluster_barrier"});
  EXPECT_EQ(fake.live, 0);
  // The load lasts for a second, and all of it for far less than 30.
  EXPECT_GT(fake.now, 1);
  EXPECT_LT(fake.now, 10);
}

TEST_F(MeasureMachine, GivesAFileThatReadsBack) {
  Arch arch = llvm::cantFail(measure());
  Arch read = llvm::cantFail(parseMachine(printMachine(arch), "x.machine"));
  EXPECT_TRUE(read == arch) << printMachine(arch);
}

TEST_F(MeasureMachine, DescribesAGpuThatNoTableHas) {
  fake.name = "NVIDIA RTX 6000 Ada Generation";
  fake.capability = 89;
  fake.processors = 142;
  Arch arch = llvm::cantFail(measure());
  EXPECT_EQ(arch.chip, "rtx-6000-ada-generation");
  EXPECT_EQ(arch.device, fake.name);
  EXPECT_EQ(arch.isa, "sm_89");
  EXPECT_EQ(arch.processors, 142);
  EXPECT_EQ(arch.clusters, (std::array<int64_t, 4>{}));
  EXPECT_EQ(arch.measured.wgmmaF16Tflops, 0);
  EXPECT_EQ(arch.measured.launchOverlapSeconds, 0);
  EXPECT_EQ(arch.measured.clusterBarrierSeconds, 0);
  EXPECT_GE(arch.peakTflops, arch.measured.mmaF16Tflops);
  EXPECT_TRUE(llvm::cantFail(parseMachine(printMachine(arch), "x.machine")) ==
              arch);
}

TEST_F(MeasureMachine, DescribesAPartOfAChip) {
  fake.name = "NVIDIA H100 80GB HBM3 MIG 3g.40gb";
  fake.processors = 60;
  Arch arch = llvm::cantFail(measure());
  EXPECT_EQ(arch.chip, "h100/60");
  EXPECT_EQ(arch.clusters, (std::array<int64_t, 4>{30, 13, 6, 0}));
  EXPECT_TRUE(llvm::cantFail(parseMachine(printMachine(arch), "x.machine")) ==
              arch);
}

/// A kernel that a driver cannot assemble leaves its number unknown.
TEST_F(MeasureMachine, LeavesOutWhatADriverLacks) {
  fake.failing.insert("hone_mma_f8");
  Arch arch = llvm::cantFail(measure());
  EXPECT_EQ(arch.measured.mmaF8Tflops, 0);
  EXPECT_GT(arch.measured.wgmmaF8Tflops, 0);
}

/// Every other failure is an error that names its call, and nothing is left.
TEST_F(MeasureMachine, ReportsEveryFailure) {
  for (const char *call :
       {"cuDeviceGet", "cuStreamCreate", "cuLibraryLoadData", "hone_empty",
        "cuFuncSetAttribute", "cuMemAlloc", "cuStreamBeginCapture",
        "cuLaunchKernelEx", "cuStreamEndCapture", "cuGraphInstantiate",
        "cuGraphLaunch", "cuEventElapsedTime", "cuMemcpyDtoHAsync",
        "cuMemGetInfo"}) {
    fake.failing = {call};
    auto arch = measure();
    EXPECT_FALSE(bool(arch)) << call;
    std::string text = llvm::toString(arch.takeError());
    EXPECT_NE(text.find(call), std::string::npos) << text;
  }
}

TEST(MachineName, IsOneOfAFile) {
  EXPECT_EQ(machineNameOf("NVIDIA A30"), "a30");
  EXPECT_EQ(machineNameOf("NVIDIA GeForce RTX 5090"), "rtx-5090");
  EXPECT_EQ(machineNameOf("Quadro (TM) / X"), "quadro-tm-x");
  for (const char *name :
       {"", "NVIDIA", "???", "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
        "A name that is far longer than any name of a GPU is"})
    EXPECT_TRUE(isMachineName(machineNameOf(name))) << name;
}

TEST(MachineBound, IsNoLowerThanTheTable) {
  for (llvm::StringRef name : Arch::names()) {
    Arch arch = llvm::cantFail(Arch::lookup(name));
    if (arch.isHost())
      continue;
    double bound =
        boundOfTflops(arch.capability, arch.processors, arch.clockGHz);
    EXPECT_GE(bound * 1.01, arch.peakTflops) << name.str();
  }
}

} // namespace
