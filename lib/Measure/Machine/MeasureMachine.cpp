//===- MeasureMachine.cpp - Measurement of a GPU's numbers ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each number is the median of some replays of a graph. Products come first,
// after a second of load, so that the rest is measured on a warm chip.
//
//===----------------------------------------------------------------------===//

#include "hone/Measure/MeasureMachine.h"
#include "hone/Device/Nvml.h"
#include "hone/Measure/MachinePtx.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Schedule/MachineFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// One measurement
//===----------------------------------------------------------------------===//

namespace {
class MachineMeter {
public:
  explicit MachineMeter(Device &device) : device(device) {}
  Expected<Arch> measure();

private:
  Error loadKernels();
  Error readLimits();
  Error readClusters();
  Error measureProducts();
  Error measureCopy();
  Error measureCache();
  Error measureLaunches();
  Error measureBarrier();
  Error measureAtomic();

  Expected<double> timeProduct(const ProductKernel &kernel,
                               cu::Function function);
  /// Seconds of one of `launches` equal launches: the median of some replays.
  Expected<double> seconds(const DeviceLaunch &launch, size_t launches = 1,
                           size_t replays = 7);
  Expected<double> secondsOf(StringRef kernel, DeviceLaunch launch,
                             size_t launches = 1);

  Device &device;
  Arch arch;
};
} // namespace

Expected<double> MachineMeter::seconds(const DeviceLaunch &launch,
                                       size_t launches, size_t replays) {
  auto graph = device.record([&]() -> Error {
    for (size_t i = 0; i < launches; ++i)
      if (Error error = device.launch(launch))
        return error;
    return Error::success();
  });
  if (!graph)
    return graph.takeError();
  std::vector<double> times;
  // The first replay does not count.
  for (size_t i = 0; i <= replays; ++i) {
    Expected<double> time = device.time(*graph);
    if (!time)
      return time.takeError();
    if (i)
      times.push_back(*time);
  }
  double median = quantiles(std::move(times)).median;
  if (!(median > 0))
    return llvm::createStringError("the GPU's events have a time of 0");
  return median / launches;
}

Expected<double> MachineMeter::secondsOf(StringRef kernel, DeviceLaunch launch,
                                         size_t launches) {
  auto function = device.findKernel(kernel);
  if (!function)
    return function.takeError();
  launch.function = *function;
  return seconds(launch, launches);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

Error MachineMeter::loadKernels() {
  for (const MachineModule &module : machineModules(device.getCapability()))
    if (Error error = device.load(module.text)) {
      if (module.isRequired)
        return error;
      llvm::consumeError(std::move(error));
    }
  return Error::success();
}

Error MachineMeter::readLimits() {
  auto found = Arch::lookupDevice(device.getCapability(), device.getName(),
                                  device.getProcessors());
  if (!found)
    return found.takeError();
  arch = *found;
  // A device that is not in the table is described as its instruction set.
  bool isKnown = !StringRef(arch.name).starts_with(arch.isa);
  if (!isKnown) {
    arch.chip = machineNameOf(device.getName());
    arch.device = device.getName().str();
    arch.clusters = {};
  }
  arch.name = arch.chip;
  arch.isMeasured = true;
  arch.processors = device.getProcessors();
  arch.cacheBytes = device.getL2Bytes();
  int64_t kiloHertz = 0;
  std::pair<cu::DeviceAttribute, int64_t *> facts[] = {
      {cu::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &arch.sharedPerBlock},
      {cu::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &arch.sharedPerProcessor},
      {cu::MAX_THREADS_PER_MULTIPROCESSOR, &arch.threadsPerProcessor},
      {cu::MAX_REGISTERS_PER_MULTIPROCESSOR, &arch.registersPerProcessor},
      {cu::CLOCK_RATE, &kiloHertz}};
  for (auto [attribute, value] : facts) {
    Expected<int> fact = device.getAttribute(attribute);
    if (!fact)
      return fact.takeError();
    *value = *fact;
  }
  arch.clockGHz = double(kiloHertz) * 1e-6;
  if (!isKnown)
    arch.peakTflops =
        boundOfTflops(device.getCapability(), arch.processors, arch.clockGHz);
  std::unique_ptr<Nvml> nvml = Nvml::open(device.getPciBusId());
  arch.driver = nvml ? nvml->driverVersion() : "";
  int cuda = device.getDriverVersion();
  if (arch.driver.empty())
    arch.driver = formatv("CUDA {0}.{1}", cuda / 1000, cuda % 1000 / 10);
  return Error::success();
}

/// A kernel with nearly all of the shared memory has one block on a processor.
Error MachineMeter::readClusters() {
  constexpr uint32_t kThreads = 128, kReserve = 1024;
  auto function = device.findKernel("hone_empty");
  if (!function)
    return function.takeError();
  uint32_t shared = arch.sharedPerBlock - kReserve;
  if (Error error = device.permit(*function, shared))
    return error;
  uint32_t blocks = 2;
  int64_t fitting = arch.processors;
  for (int64_t &count : arch.clusters) {
    DeviceLaunch launch = {*function, blocks, kThreads, shared, {}, blocks};
    fitting = std::min<int64_t>(fitting, device.maxActiveClusters(launch));
    count = fitting;
    blocks *= 2;
  }
  // Part of a chip launches no cluster of 16, whatever the driver says.
  if (StringRef(arch.chip).contains('/'))
    arch.clusters.back() = 0;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Fills in the clock under load, too.
Expected<double> MachineMeter::timeProduct(const ProductKernel &kernel,
                                           cu::Function function) {
  constexpr double kSeconds = 20e-3;
  constexpr uint32_t kFirstSteps = 64;
  constexpr size_t kReplays = 15;
  uint32_t blocks = device.getProcessors() * kernel.blocksPerProcessor;
  auto sink = device.allocate(size_t(blocks) * kernel.threads * sizeof(float));
  if (!sink)
    return sink.takeError();
  uint64_t stamps[4] = {};
  auto clocks = device.allocate(sizeof(stamps));
  if (!clocks)
    return clocks.takeError();
  uint64_t sinkAddress = sink->getAddress(),
           clockAddress = clocks->getAddress();
  uint32_t steps = kFirstSteps;
  void *params[] = {&sinkAddress, &clockAddress, &steps};
  DeviceLaunch launch = {function, blocks, kernel.threads, 0, params};
  Expected<double> first = seconds(launch);
  if (!first)
    return first;
  // A launch takes some microseconds itself: the estimate is a lower bound.
  steps = std::clamp<double>(kFirstSteps * kSeconds / *first, kFirstSteps, 1e8);
  Expected<double> time = seconds(launch, /*launches=*/1, kReplays);
  if (!time)
    return time;
  if (Error error = device.copyOut(stamps, clockAddress, sizeof(stamps)))
    return std::move(error);
  if (stamps[2] > stamps[0] && stamps[3] > stamps[1])
    arch.measured.clockGHz =
        double(stamps[2] - stamps[0]) / double(stamps[3] - stamps[1]);
  return kernel.flopsPerStep * blocks * steps / *time * 1e-12;
}

Error MachineMeter::measureProducts() {
  constexpr int kWarmUps = 3;
  double clockOfFirst = 0;
  int left = kWarmUps;
  for (const ProductKernel &kernel : productKernels(device.getCapability())) {
    auto function = device.findKernel(kernel.name);
    if (!function) {
      llvm::consumeError(function.takeError());
      continue;
    }
    for (; left > 0; --left)
      if (Error error = timeProduct(kernel, *function).takeError())
        return error;
    Expected<double> rate = timeProduct(kernel, *function);
    if (!rate)
      return rate.takeError();
    arch.measured.*kernel.rate = *rate;
    clockOfFirst = clockOfFirst > 0 ? clockOfFirst : arch.measured.clockGHz;
  }
  // The clock is that of the first kernel, which multiplies f16.
  arch.measured.clockGHz = clockOfFirst;
  // A driver may no longer report a clock.
  arch.clockGHz = std::max(arch.clockGHz, clockOfFirst);
  arch.peakTflops = std::max({arch.peakTflops, arch.measured.wgmmaF16Tflops,
                              arch.measured.mmaF16Tflops});
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr uint32_t kMemoryThreads = 256, kMemoryBlocks = 8;
static constexpr size_t kWordBytes = 16;

Error MachineMeter::measureCopy() {
  constexpr size_t kMaxBytes = size_t(512) << 20, kMinCaches = 2;
  constexpr size_t kLaunches = 8;
  uint32_t blocks = device.getProcessors() * kMemoryBlocks;
  size_t step = kWordBytes * kWordsAtOnce * blocks * kMemoryThreads;
  Expected<size_t> free = device.getFreeBytes();
  if (!free)
    return free.takeError();
  size_t bytes = llvm::alignDown(std::min(kMaxBytes, *free / 4), step);
  if (bytes < kMinCaches * device.getL2Bytes())
    return llvm::createStringError(
        formatv("expected {0} MiB of free memory on the GPU, but got {1}",
                4 * kMinCaches * device.getL2Bytes() >> 20, *free >> 20));
  auto to = device.allocate(bytes), from = device.allocate(bytes);
  if (!to || !from)
    return llvm::joinErrors(to.takeError(), from.takeError());
  uint64_t target = to->getAddress(), source = from->getAddress();
  uint64_t words = bytes / kWordBytes;
  void *params[] = {&target, &source, &words};
  Expected<double> time = secondsOf(
      "hone_copy", {nullptr, blocks, kMemoryThreads, 0, params}, kLaunches);
  if (!time)
    return time.takeError();
  arch.memoryGBs = 2.0 * bytes / *time * 1e-9;
  return Error::success();
}

/// A quarter of the cache fits even where a chip keeps two copies of a line.
Error MachineMeter::measureCache() {
  constexpr uint32_t kSteps = 2048;
  uint32_t blocks = device.getProcessors() * kMemoryBlocks;
  size_t bytes = llvm::bit_floor(
      std::max<size_t>(device.getL2Bytes() / 4, size_t(64) << 10));
  auto from = device.allocate(bytes), sink = device.allocate(sizeof(uint32_t));
  if (!from || !sink)
    return llvm::joinErrors(from.takeError(), sink.takeError());
  uint64_t target = sink->getAddress(), source = from->getAddress();
  if (Error error = device.fill(source, 0, bytes))
    return error;
  uint64_t mask = bytes / kWordBytes - 1;
  uint32_t steps = kSteps;
  void *params[] = {&target, &source, &mask, &steps};
  Expected<double> time =
      secondsOf("hone_read", {nullptr, blocks, kMemoryThreads, 0, params});
  if (!time)
    return time.takeError();
  double read =
      double(kWordBytes) * kWordsAtOnce * kSteps * blocks * kMemoryThreads;
  arch.measured.l2GBs = read / *time * 1e-9;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

Error MachineMeter::measureLaunches() {
  constexpr size_t kLaunches = 1024;
  DeviceLaunch launch;
  launch.grid = device.getProcessors();
  launch.block = 128;
  Expected<double> plain = secondsOf("hone_empty", launch, kLaunches);
  if (!plain)
    return plain.takeError();
  arch.measured.launchSeconds = *plain;
  if (device.getCapability() < 90)
    return Error::success();
  launch.programmatic = true;
  Expected<double> overlap = secondsOf("hone_empty_overlap", launch, kLaunches);
  // Drivers before CUDA 12.3 record no such launch.
  if (overlap)
    arch.measured.launchOverlapSeconds = *overlap;
  else
    llvm::consumeError(overlap.takeError());
  return Error::success();
}

Error MachineMeter::measureBarrier() {
  uint32_t clusters = arch.clusters.front(), steps = 16384;
  if (clusters == 0)
    return Error::success();
  void *params[] = {&steps};
  Expected<double> time = secondsOf(
      "hone_cluster_barrier", {nullptr, 2 * clusters, /*block=*/128, 0, params,
                               /*cluster=*/2});
  if (!time)
    return time.takeError();
  arch.measured.clusterBarrierSeconds = *time / steps;
  return Error::success();
}

Error MachineMeter::measureAtomic() {
  auto counter = device.allocate(sizeof(uint32_t));
  if (!counter)
    return counter.takeError();
  uint64_t address = counter->getAddress();
  if (Error error = device.fill(address, 0, counter->size()))
    return error;
  uint32_t steps = 8192;
  void *params[] = {&address, &steps};
  Expected<double> time =
      secondsOf("hone_atomic", {nullptr, uint32_t(device.getProcessors()),
                                /*block=*/32, 0, params});
  if (!time)
    return time.takeError();
  arch.measured.atomicSeconds = *time / steps;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Four digits: a further one is noise.
static double rounded(double value) {
  double nearest = value;
  StringRef(formatv("{0:e3}", value).str()).getAsDouble(nearest);
  return nearest;
}

Expected<Arch> MachineMeter::measure() {
  for (Error (MachineMeter::*part)() :
       {&MachineMeter::loadKernels, &MachineMeter::readLimits,
        &MachineMeter::readClusters, &MachineMeter::measureProducts,
        &MachineMeter::measureCopy, &MachineMeter::measureCache,
        &MachineMeter::measureLaunches, &MachineMeter::measureBarrier,
        &MachineMeter::measureAtomic})
    if (Error error = (this->*part)())
      return std::move(error);
  forEachRate(arch, [](StringRef, double &rate) { rate = rounded(rate); });
  return arch;
}

Expected<Arch> hone::measureMachine(Device &device) {
  return MachineMeter(device).measure();
}
