//===- Device.cpp - One GPU, to measure on
//----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each method is the driver call it is named after, with its result checked.
//
//===----------------------------------------------------------------------===//

#include "hone/Device/Device.h"
#include "Driver.h"
#include "hone-c/Runtime.h"
#include "llvm/Support/FormatVariadic.h"
#include <dlfcn.h>

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

Error DriverTable::open() {
  // Never closed: the driver's threads may outlive every Device.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError(formatv(
        "expected a GPU and its driver, but got no driver: {0}", dlerror()));
#define HONE_FIND(name, params)                                                \
  name = reinterpret_cast<int(*) params>(dlsym(library, #name));               \
  if (!name)                                                                   \
    return llvm::createStringError(                                            \
        "expected a driver for CUDA 12 or newer, but got one without " #name);
  HONE_DRIVER_FUNCTIONS(HONE_FIND)
#undef HONE_FIND
  return Error::success();
}

Error Device::check(int result, const char *call) {
  if (result == 0)
    return Error::success();
  const char *name = nullptr, *text = nullptr;
  driver->cuGetErrorName(result, &name);
  driver->cuGetErrorString(result, &text);
  // Faults of kernels (illegal address 700, ... launch failure 719) stay.
  lost = lost || (result >= 700 && result < 800 && result != 701);
  return llvm::createStringError(formatv("{0}: {1} ({2})", call,
                                         text ? text : "unknown error",
                                         name ? name : "?"));
}

/// Runs a driver call and returns its error, if it has one.
#define HONE_TRY(call, ...)                                                    \
  if (Error error = check(driver->call(__VA_ARGS__), #call))                   \
  return llvm::Error(std::move(error))

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

Device::Device() : driver(std::make_unique<DriverTable>()) {}

llvm::Expected<std::unique_ptr<Device>> Device::open(int ordinal) {
  std::unique_ptr<Device> device(new Device());
  if (Error error = device->driver->open())
    return std::move(error);
  if (Error error = device->initialize(ordinal))
    return llvm::createStringError("expected a GPU, but got " +
                                   llvm::toString(std::move(error)));
  return device;
}

Error Device::initialize(int ordinal) {
  HONE_TRY(cuInit, 0);
  HONE_TRY(cuDeviceGet, &device, ordinal);
  if (Error error = readFacts(ordinal))
    return error;
  void *context;
  HONE_TRY(cuDevicePrimaryCtxRetain, &context, device);
  hasContext = true;
  HONE_TRY(cuCtxSetCurrent, context);
  HONE_TRY(cuStreamCreate, &stream, cuda::kNonBlockingStream);
  HONE_TRY(cuEventCreate, &startEvent, 0);
  HONE_TRY(cuEventCreate, &endEvent, 0);
  honeSetStream(stream);
  return Error::success();
}

Error Device::readFacts(int ordinal) {
  char text[128] = "";
  HONE_TRY(cuDeviceGetName, text, sizeof(text), device);
  name = text;
  int major, minor, l2;
  HONE_TRY(cuDeviceGetAttribute, &major, cuda::kMajor, device);
  HONE_TRY(cuDeviceGetAttribute, &minor, cuda::kMinor, device);
  HONE_TRY(cuDeviceGetAttribute, &processors, cuda::kProcessors, device);
  HONE_TRY(cuDeviceGetAttribute, &l2, cuda::kL2Bytes, device);
  HONE_TRY(cuDriverGetVersion, &driverVersion);
  capability = major * 10 + minor;
  l2Bytes = l2;
  return Error::success();
}

/// What fails while everything is given back is of no use to anybody.
Device::~Device() {
  if (!hasContext)
    return;
  honeSetStream(nullptr);
  for (void *module : modules)
    driver->cuModuleUnload(module);
  for (void *event : {startEvent, endEvent})
    if (event)
      driver->cuEventDestroy_v2(event);
  if (stream)
    driver->cuStreamDestroy_v2(stream);
  driver->cuDevicePrimaryCtxRelease_v2(device);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

DeviceBuffer::~DeviceBuffer() {
  if (address)
    device->driver->cuMemFree_v2(address);
}

llvm::Expected<size_t> Device::getFreeBytes() {
  size_t free = 0, total = 0;
  HONE_TRY(cuMemGetInfo_v2, &free, &total);
  return free;
}

llvm::Expected<DeviceBuffer> Device::allocate(size_t bytes) {
  uint64_t address = 0;
  HONE_TRY(cuMemAlloc_v2, &address, bytes ? bytes : 1);
  return DeviceBuffer(*this, address, bytes);
}

Error Device::fill(uint64_t address, uint8_t byte, size_t bytes) {
  HONE_TRY(cuMemsetD8Async, address, byte, bytes, stream);
  return Error::success();
}

Error Device::copyIn(uint64_t to, const void *from, size_t bytes) {
  HONE_TRY(cuMemcpyHtoDAsync_v2, to, from, bytes, stream);
  return Error::success();
}

Error Device::copyOut(void *to, uint64_t from, size_t bytes) {
  HONE_TRY(cuMemcpyDtoHAsync_v2, to, from, bytes, stream);
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
  // The driver reads PTX up to a NUL, which a StringRef need not have.
  std::string text = image.str();
  void *module;
  HONE_TRY(cuModuleLoadData, &module, text.c_str());
  modules.push_back(module);
  return Error::success();
}

llvm::Expected<void *> Device::findKernel(llvm::StringRef name) {
  std::string text = name.str();
  for (void *module : modules) {
    void *function;
    if (driver->cuModuleGetFunction(&function, module, text.c_str()) == 0)
      return function;
  }
  return llvm::createStringError(
      formatv("expected a kernel in the loaded images, but got '{0}'", name));
}

Error Device::launch(const DeviceLaunch &launch) {
  HONE_TRY(cuLaunchKernel, launch.function, launch.grid, 1, 1, launch.block, 1,
           1, launch.sharedBytes, stream,
           const_cast<void **>(launch.params.data()), nullptr);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

DeviceGraph::~DeviceGraph() {
  if (executable)
    device->driver->cuGraphExecDestroy(executable);
}

llvm::Expected<DeviceGraph> Device::record(llvm::function_ref<Error()> work) {
  HONE_TRY(cuStreamBeginCapture_v2, stream, cuda::kThreadLocalCapture);
  Error failed = work();
  void *graph = nullptr, *executable = nullptr;
  int ended = driver->cuStreamEndCapture(stream, &graph);
  if (failed) {
    if (ended == 0)
      driver->cuGraphDestroy(graph);
    return std::move(failed);
  }
  if (Error error = check(ended, "cuStreamEndCapture"))
    return std::move(error);
  int made = driver->cuGraphInstantiateWithFlags(&executable, graph, 0);
  driver->cuGraphDestroy(graph);
  if (Error error = check(made, "cuGraphInstantiateWithFlags"))
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
