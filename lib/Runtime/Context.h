//===- Context.h - Context and stream of a call -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call of the runtime uses the calling thread's context and stream.
// `Place` finds them once per call. A thread without a context gets device 0's
// primary one, like in the CUDA runtime API, so both can be used in one
// program.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_CONTEXT_H
#define HONE_LIB_RUNTIME_CONTEXT_H

#include "Error.h"

namespace hone {

/// The stream of honeSetStream.
cu::Stream currentStream();

/// Makes the primary context of a device current in the thread, and retains it.
int32_t enterDevice(const Driver &driver, int32_t ordinal,
                    cu::Context &context);

/// The thread's context.
inline int32_t currentContext(const Driver &driver, cu::Context &context) {
  if (int32_t status =
          check(driver, "cuCtxGetCurrent", driver.cuCtxGetCurrent(&context)))
    return status;
  return context ? HONE_OK : enterDevice(driver, 0, context);
}

struct Place {
  const Driver *driver;
  cu::Context context;
  cu::Stream stream;

  /// All calls start here, except for a launch, where it would take too long.
  int32_t find();
};

/// The body of a C function: runs `body` with the place and reports its status.
template <typename Body>
int32_t inPlace(Body body) {
  Place place;
  int32_t status = place.find();
  return report(status ? status : body(place));
}

/// A stream as programs of the mgpu interface pass it.
inline cu::Stream asStream(void *stream) {
  return static_cast<cu::Stream>(stream);
}

inline cu::Address addressOf(const void *pointer) {
  return reinterpret_cast<cu::Address>(pointer);
}

/// The facts of a device that the runtime needs.
struct DeviceFacts {
  int32_t capability = 0; ///< 90 for compute capability 9.0
  bool hasPools = false;
  std::string name;

  std::string capabilityText() const; ///< "9.0 ('NVIDIA H200')"
};

/// The device of the current context, and its facts, which stay valid.
int32_t currentDevice(const Driver &driver, cu::Device &device,
                      const DeviceFacts *&facts);

/// Changes the thread's capture mode; `mode` receives the old one.
inline int32_t exchangeCaptureMode(const Driver &driver,
                                   cu::CaptureMode &mode) {
  return check(driver, "cuThreadExchangeStreamCaptureMode",
               driver.cuThreadExchangeStreamCaptureMode(&mode));
}

/// Restores the thread's capture mode. Returns `status`, the result of the work
/// done meanwhile, or this call's failure if `status` is HONE_OK.
int32_t restoreCaptureMode(const Driver &driver, cu::CaptureMode mode,
                           int32_t status);

/// Runs `body` with calls allowed that a stream capture would forbid: loading a
/// module, or allocating memory outside the graph. Returns its status.
template <typename Body>
int32_t inRelaxedMode(const Driver &driver, Body body) {
  cu::CaptureMode mode = cu::CAPTURE_RELAXED;
  if (int32_t status = exchangeCaptureMode(driver, mode))
    return status;
  return restoreCaptureMode(driver, mode, body());
}

/// Allocates device memory on `stream`: from the device's pool, or by
/// cuMemAlloc if it has none.
int32_t allocate(const Driver &driver, cu::Stream stream, size_t bytes,
                 cu::Address &address);
/// Frees memory of `allocate`, after the work queued on `stream`.
int32_t release(const Driver &driver, cu::Stream stream, cu::Address address);
/// The same for memory of cuMemAlloc or cuMemAllocManaged: waits for `stream`,
/// since the driver guarantees no order between its work and cuMemFree.
int32_t releaseNow(const Driver &driver, cu::Stream stream,
                   cu::Address address);

/// Waits for `stream`.
inline int32_t synchronize(const Driver &driver, cu::Stream stream) {
  return check(driver, "cuStreamSynchronize",
               driver.cuStreamSynchronize(stream));
}

} // namespace hone

#endif // HONE_LIB_RUNTIME_CONTEXT_H
