//===- MlirAbi.cpp - Runtime functions of the gpu lowering ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hone's kernels are in a `gpu.binary`, next to `gpu.alloc` and similar ops of
// the program around them. Upstream lowers all of these to functions `mgpu*`,
// which Debian's packages lack. They are defined here, with the signatures of
// LLVM 22, and with two differences from upstream's own library:
//
// - A module load is a registration (honeRegisterImage). So a program starts,
//   and runs code that needs no GPU, on a machine without one; and honeLaunch
//   finds the kernels of every `gpu.binary` by name.
// - A stream that the program creates is the calling thread's (honeSetStream),
//   and destroying it does nothing. Upstream's lowering makes a stream per
//   launch, so the work would not be ordered on the caller's stream, and no
//   launch could be captured into a graph. One stream only adds order to the
//   program's.
//
// These functions cannot return an error. The handler receives it, and compiled
// code checks honeStatusSince after each call.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include <cstring>

using namespace hone;

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

extern "C" void *mgpuModuleLoad(void *data, size_t size) {
  return honeRegisterImage(data, size);
}

/// PTX, NUL-terminated. The optimisation level is the driver's default, the
/// highest: the attribute's level was for LLVM.
extern "C" void *mgpuModuleLoadJIT(void *data, int32_t /*optLevel*/) {
  return honeRegisterImage(data, strlen(static_cast<const char *>(data)));
}

extern "C" void mgpuModuleUnload(void *module) { honeUnregisterImage(module); }

/// Returns the kernel, which the driver accepts as a function and loads into
/// the context that is current at the launch.
extern "C" void *mgpuModuleGetFunction(void *module, const char *name) {
  cu::Kernel kernel = nullptr;
  int32_t status = inPlace([&](const Place &place) -> int32_t {
    if (!module)
      return fail(HONE_NO_IMAGE, "expected a loaded module with the kernel '" +
                                     std::string(name) + "', but got none");
    return inRelaxedMode(*place.driver, [&] {
      return static_cast<Image *>(module)->getKernel(*place.driver, name,
                                                     kernel);
    });
  });
  return status ? nullptr : kernel;
}

/// `extents` in the driver's type, or HONE_BAD_PLAN.
static int32_t convert(const char *what, const intptr_t (&extents)[3],
                       unsigned (&result)[3]) {
  for (int i = 0; i < 3; ++i) {
    if (extents[i] < 0 || extents[i] > INT32_MAX)
      return fail(HONE_BAD_PLAN, "expected a " + std::string(what) +
                                     " of 0 to 2147483647, but got " +
                                     std::to_string(extents[i]));
    result[i] = extents[i];
  }
  return HONE_OK;
}

static int32_t launchKernel(const Place &place, void *function,
                            const intptr_t (&grid)[3],
                            const intptr_t (&block)[3],
                            const intptr_t (*cluster)[3], int32_t sharedBytes,
                            void *stream, void **params, void **extra) {
  cu::LaunchAttribute attribute = {};
  cu::LaunchConfig config = {};
  if (int32_t status = convert("grid", grid, config.grid))
    return status;
  if (int32_t status = convert("block", block, config.block))
    return status;
  attribute.id = cu::CLUSTER_DIMENSION;
  if (cluster)
    if (int32_t status = convert("cluster", *cluster, attribute.clusterDim))
      return status;
  if (!grid[0] || !grid[1] || !grid[2])
    return HONE_OK; // an empty matrix
  const Driver &driver = *place.driver;
  if (sharedBytes > 48 * 1024) {
    cu::Device device;
    if (int32_t status =
            check(driver, "cuCtxGetDevice", driver.cuCtxGetDevice(&device)))
      return status;
    if (int32_t status = allowSharedBytes(
            driver, static_cast<cu::Kernel>(function), device, sharedBytes))
      return status;
  }
  config.sharedMemBytes = sharedBytes;
  config.stream = static_cast<cu::Stream>(stream);
  config.attrs = &attribute;
  config.numAttrs = cluster ? 1 : 0;
  return check(driver, "cuLaunchKernelEx",
               driver.cuLaunchKernelEx(&config,
                                       static_cast<cu::Function>(function),
                                       params, extra));
}

extern "C" void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                                 intptr_t gridZ, intptr_t blockX,
                                 intptr_t blockY, intptr_t blockZ,
                                 int32_t sharedBytes, void *stream,
                                 void **params, void **extra,
                                 size_t /*paramCount*/) {
  if (!function)
    return; // the failure is already reported
  inPlace([&](const Place &place) {
    return launchKernel(place, function, {gridX, gridY, gridZ},
                        {blockX, blockY, blockZ}, nullptr, sharedBytes, stream,
                        params, extra);
  });
}

extern "C" void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                                        intptr_t clusterY, intptr_t clusterZ,
                                        intptr_t gridX, intptr_t gridY,
                                        intptr_t gridZ, intptr_t blockX,
                                        intptr_t blockY, intptr_t blockZ,
                                        int32_t sharedBytes, void *stream,
                                        void **params, void **extra) {
  if (!function)
    return;
  const intptr_t cluster[3] = {clusterX, clusterY, clusterZ};
  inPlace([&](const Place &place) {
    return launchKernel(place, function, {gridX, gridY, gridZ},
                        {blockX, blockY, blockZ}, &cluster, sharedBytes, stream,
                        params, extra);
  });
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static cu::Event asEvent(void *event) { return static_cast<cu::Event>(event); }

/// Calls one function of the driver, whose name is `name`.
template <typename... Params, typename... Args>
static void call(const char *name, cu::Result (*Driver::*function)(Params...),
                 Args... args) {
  inPlace([&](const Place &place) {
    return check(*place.driver, name, (place.driver->*function)(args...));
  });
}

extern "C" void *mgpuStreamCreate() { return honeGetStream(); }

extern "C" void mgpuStreamDestroy(void * /*stream*/) {}

extern "C" void mgpuStreamSynchronize(void *stream) {
  call("cuStreamSynchronize", &Driver::cuStreamSynchronize, asStream(stream));
}

extern "C" void mgpuStreamWaitEvent(void *stream, void *event) {
  call("cuStreamWaitEvent", &Driver::cuStreamWaitEvent, asStream(stream),
       asEvent(event), 0);
}

extern "C" void *mgpuEventCreate() {
  cu::Event event = nullptr;
  call("cuEventCreate", &Driver::cuEventCreate, &event,
       cu::EVENT_DISABLE_TIMING);
  return event;
}

extern "C" void mgpuEventDestroy(void *event) {
  call("cuEventDestroy", &Driver::cuEventDestroy, asEvent(event));
}

extern "C" void mgpuEventSynchronize(void *event) {
  call("cuEventSynchronize", &Driver::cuEventSynchronize, asEvent(event));
}

extern "C" void mgpuEventRecord(void *event, void *stream) {
  call("cuEventRecord", &Driver::cuEventRecord, asEvent(event),
       asStream(stream));
}
