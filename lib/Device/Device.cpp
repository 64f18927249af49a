//===- Device.cpp - GPU for measurements ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each method is the driver call of the same name, with its result checked.
//
//===----------------------------------------------------------------------===//

#include "hone/Device/Device.h"
#include "hone-c/Runtime.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Error Device::check(cu::Result result, const char *call) {
  if (result == cu::SUCCESS)
    return Error::success();
  // A fault of a kernel (700 is an illegal address, 719 a launch failure) is
  // permanent; 701 is a launch with too many resources.
  constexpr cu::Result kFirstFault = 700, kLastFault = 799, kTooMuch = 701;
  lost = lost ||
         (result >= kFirstFault && result <= kLastFault && result != kTooMuch);
  return llvm::createStringError(driver->describe(call, result));
}

/// Runs a driver call and returns its error, if it has one.
#define HONE_TRY(call, ...)                                                    \
  if (Error error = check(driver->call(__VA_ARGS__), #call))                   \
  return llvm::Error(std::move(error))

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Device>> Device::open(int ordinal,
                                                     int processors) {
  std::string why;
  const Driver *driver = Driver::get(&why);
  if (!driver)
    return llvm::createStringError(why);
  std::unique_ptr<Device> device(new Device(*driver));
  if (Error error = device->initialize(ordinal, processors))
    return llvm::createStringError("expected a GPU, but got " +
                                   llvm::toString(std::move(error)));
  return device;
}

Error Device::enterWhole() {
  cu::Context context;
  HONE_TRY(cuDevicePrimaryCtxRetain, &context, device);
  hasContext = true;
  HONE_TRY(cuCtxSetCurrent, context);
  HONE_TRY(cuStreamCreate, &stream, cu::STREAM_NON_BLOCKING);
  return Error::success();
}

/// Drivers assign processors in groups, and round up.
Error Device::enterPart(int wanted) {
  if (!driver->cuGreenCtxStreamCreate || !driver->cuDevSmResourceSplitByCount)
    return llvm::createStringError(
        "a driver that has no green contexts; use the whole GPU");
  cu::Resource whole = {}, granted = {}, rest = {};
  unsigned groups = 1;
  cu::ResourceDesc desc;
  cu::Context primary;
  HONE_TRY(cuDevicePrimaryCtxRetain, &primary, device);
  hasContext = true;
  HONE_TRY(cuDeviceGetDevResource, device, &whole, cu::Resource::PROCESSORS);
  HONE_TRY(cuDevSmResourceSplitByCount, &granted, &groups, &whole, &rest,
           /*flags=*/0, static_cast<unsigned>(wanted));
  if (int(granted.processors) != wanted)
    return llvm::createStringError(
        formatv("one that grants {0} of its {1} processors where {2} are asked "
                "for; ask for {0}",
                granted.processors, whole.processors, wanted));
  HONE_TRY(cuDevResourceGenerateDesc, &desc, &granted, 1u);
  HONE_TRY(cuGreenCtxCreate, &part, desc, device, cu::GREEN_CTX_DEFAULT_STREAM);
  cu::Context context;
  HONE_TRY(cuCtxFromGreenCtx, &context, part);
  HONE_TRY(cuCtxSetCurrent, context);
  HONE_TRY(cuGreenCtxStreamCreate, &stream, part, cu::STREAM_NON_BLOCKING,
           /*priority=*/0);
  processors = wanted;
  return Error::success();
}

Error Device::initialize(int ordinal, int wanted) {
  HONE_TRY(cuDeviceGet, &device, ordinal);
  if (Error error = readFacts())
    return error;
  bool isWhole = wanted == 0 || wanted == processors;
  if (Error error = isWhole ? enterWhole() : enterPart(wanted))
    return error;
  HONE_TRY(cuEventCreate, &startEvent, 0);
  HONE_TRY(cuEventCreate, &endEvent, 0);
  honeSetStream(stream);
  return Error::success();
}

Error Device::readFacts() {
  char text[128] = "";
  HONE_TRY(cuDeviceGetName, text, sizeof(text), device);
  name = text;
  int major, minor, l2, domain, bus, slot;
  HONE_TRY(cuDeviceGetAttribute, &major, cu::COMPUTE_CAPABILITY_MAJOR, device);
  HONE_TRY(cuDeviceGetAttribute, &minor, cu::COMPUTE_CAPABILITY_MINOR, device);
  HONE_TRY(cuDeviceGetAttribute, &processors, cu::MULTIPROCESSOR_COUNT, device);
  HONE_TRY(cuDeviceGetAttribute, &l2, cu::L2_CACHE_SIZE, device);
  HONE_TRY(cuDeviceGetAttribute, &domain, cu::PCI_DOMAIN_ID, device);
  HONE_TRY(cuDeviceGetAttribute, &bus, cu::PCI_BUS_ID, device);
  HONE_TRY(cuDeviceGetAttribute, &slot, cu::PCI_DEVICE_ID, device);
  pciBusId = llvm::formatv("{0:x-8}:{1:x-2}:{2:x-2}.0", domain, bus, slot);
  capability = major * 10 + minor;
  l2Bytes = l2;
  driverVersion = driver->version;
  return Error::success();
}

/// Errors during the cleanup are ignored, because no caller can use them.
Device::~Device() {
  if (!hasContext)
    return;
  honeSetStream(nullptr);
  for (cu::Library library : libraries)
    driver->cuLibraryUnload(library);
  for (cu::Event event : {startEvent, endEvent})
    if (event)
      driver->cuEventDestroy(event);
  if (stream)
    driver->cuStreamDestroy(stream);
  if (part)
    driver->cuGreenCtxDestroy(part);
  driver->cuDevicePrimaryCtxRelease(device);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceBuffer::~DeviceBuffer() {
  if (address)
    device->driver->cuMemFree(address);
}

llvm::Expected<int> Device::getAttribute(cu::DeviceAttribute attribute) {
  int value = 0;
  HONE_TRY(cuDeviceGetAttribute, &value, attribute, device);
  return value;
}

llvm::Expected<size_t> Device::getFreeBytes() {
  size_t free = 0, total = 0;
  HONE_TRY(cuMemGetInfo, &free, &total);
  return free;
}

llvm::Expected<DeviceBuffer> Device::allocate(size_t bytes) {
  cu::Address address = 0;
  HONE_TRY(cuMemAlloc, &address, bytes ? bytes : 1);
  return DeviceBuffer(*this, address, bytes);
}

Error Device::reserve(DeviceBuffer &buffer, size_t bytes) {
  if (buffer.size() >= bytes)
    return Error::success();
  // The old buffer is freed first: both may exceed the memory.
  buffer = DeviceBuffer();
  return allocate(bytes).moveInto(buffer);
}

Error Device::fill(uint64_t address, uint8_t byte, size_t bytes) {
  HONE_TRY(cuMemsetD8Async, address, byte, bytes, stream);
  return Error::success();
}

Error Device::copyIn(uint64_t to, const void *from, size_t bytes) {
  HONE_TRY(cuMemcpyHtoDAsync, to, from, bytes, stream);
  return Error::success();
}

Error Device::copyOut(void *to, uint64_t from, size_t bytes) {
  HONE_TRY(cuMemcpyDtoHAsync, to, from, bytes, stream);
  return synchronize();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Error Device::synchronize() {
  HONE_TRY(cuStreamSynchronize, stream);
  return Error::success();
}

Error Device::load(llvm::StringRef image) {
  // The driver reads PTX up to a NUL, which a StringRef may lack.
  std::string text = image.str();
  cu::Library library;
  HONE_TRY(cuLibraryLoadData, &library, text.c_str(), nullptr, nullptr, 0,
           nullptr, nullptr, 0);
  libraries.push_back(library);
  return Error::success();
}

llvm::Expected<cu::Function> Device::findKernel(llvm::StringRef name) {
  std::string text = name.str();
  for (cu::Library library : libraries) {
    cu::Kernel kernel;
    cu::Function function;
    if (driver->cuLibraryGetKernel(&kernel, library, text.c_str()) ==
        cu::SUCCESS) {
      HONE_TRY(cuKernelGetFunction, &function, kernel);
      return function;
    }
  }
  return llvm::createStringError(
      formatv("expected a kernel in the loaded images, but got '{0}'", name));
}

Error Device::findKernels(
    llvm::ArrayRef<std::pair<cu::Function *, const char *>> kernels) {
  for (auto [kernel, name] : kernels)
    if (Error error = findKernel(name).moveInto(*kernel))
      return error;
  return Error::success();
}

Error Device::permit(cu::Function function, uint32_t sharedBytes) {
  HONE_TRY(cuFuncSetAttribute, function, cu::MAX_DYNAMIC_SHARED_SIZE_BYTES,
           static_cast<int>(sharedBytes));
  // A GPU without clusters refuses this.
  (void)driver->cuFuncSetAttribute(function,
                                   cu::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  return Error::success();
}

namespace {
/// The driver's form of a launch. It points into itself.
struct LaunchConfig {
  LaunchConfig(const DeviceLaunch &launch, cu::Stream stream);
  LaunchConfig(const LaunchConfig &) = delete;

  cu::LaunchConfig config = {};
  cu::LaunchAttribute attributes[2] = {};
};
} // namespace

LaunchConfig::LaunchConfig(const DeviceLaunch &launch, cu::Stream stream) {
  config = {{launch.grid, 1, 1}, {launch.block, 1, 1},
            launch.sharedBytes,  stream,
            attributes,          0};
  if (launch.cluster > 1) {
    cu::LaunchAttribute &attribute = attributes[config.numAttrs++];
    attribute.id = cu::CLUSTER_DIMENSION;
    attribute.clusterDim[0] = launch.cluster;
    attribute.clusterDim[1] = attribute.clusterDim[2] = 1;
  }
  if (launch.programmatic) {
    cu::LaunchAttribute &attribute = attributes[config.numAttrs++];
    attribute.id = cu::PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.programmaticStreamSerializationAllowed = 1;
  }
}

Error Device::launch(const DeviceLaunch &launch) {
  LaunchConfig made(launch, stream);
  HONE_TRY(cuLaunchKernelEx, &made.config, launch.function,
           const_cast<void **>(launch.params.data()), nullptr);
  return Error::success();
}

int Device::maxActiveClusters(const DeviceLaunch &launch) {
  LaunchConfig made(launch, stream);
  int clusters = 0;
  cu::Result result = driver->cuOccupancyMaxActiveClusters(
      &clusters, launch.function, &made.config);
  return result == cu::SUCCESS ? clusters : 0;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

DeviceGraph::~DeviceGraph() {
  if (executable)
    device->driver->cuGraphExecDestroy(executable);
}

llvm::Expected<DeviceGraph> Device::record(llvm::function_ref<Error()> work) {
  HONE_TRY(cuStreamBeginCapture, stream, cu::CAPTURE_THREAD_LOCAL);
  Error failed = work();
  cu::Graph graph = nullptr;
  cu::GraphExec executable = nullptr;
  cu::Result ended = driver->cuStreamEndCapture(stream, &graph);
  if (failed) {
    if (ended == 0)
      driver->cuGraphDestroy(graph);
    return std::move(failed);
  }
  if (Error error = check(ended, "cuStreamEndCapture"))
    return std::move(error);
  cu::Result made = driver->cuGraphInstantiate(&executable, graph, 0);
  driver->cuGraphDestroy(graph);
  if (Error error = check(made, "cuGraphInstantiate"))
    return std::move(error);
  return DeviceGraph(*this, executable);
}

Error Device::replay(DeviceGraph &graph) {
  HONE_TRY(cuGraphLaunch, graph.executable, stream);
  return Error::success();
}

llvm::Expected<double> Device::time(DeviceGraph &graph) {
  HONE_TRY(cuEventRecord, startEvent, stream);
  if (Error error = replay(graph))
    return std::move(error);
  HONE_TRY(cuEventRecord, endEvent, stream);
  HONE_TRY(cuEventSynchronize, endEvent);
  float milliseconds = 0;
  HONE_TRY(cuEventElapsedTime, &milliseconds, startEvent, endEvent);
  return milliseconds * 1e-3;
}
