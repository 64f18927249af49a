//===- Context.h - Where a call works ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call of the runtime works in the calling thread's context and on its
// stream. `Place` finds them out once per call; a thread that has no context
// gets device 0's primary one, which is what the CUDA runtime API gives it, so
// that both can be used in one program.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_CONTEXT_H
#define HONE_LIB_RUNTIME_CONTEXT_H

#include "Error.h"

namespace hone {

/// The stream of honeSetStream.
cu::Stream currentStream();

/// Makes the primary context of a device the thread's, keeping it alive.
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

  /// Everything but a launch, which has no time for it, starts here.
  int32_t find();
};

/// The body of a C function: `body` with the place, and its status reported.
template <typename Body>
int32_t inPlace(Body body) {
  Place place;
  int32_t status = place.find();
  return report(status ? status : body(place));
}

inline cu::Address addressOf(const void *pointer) {
  return reinterpret_cast<cu::Address>(pointer);
}

/// What the runtime needs to know of a device before it uses it.
struct DeviceFacts {
  int32_t capability = 0; ///< 90 for compute capability 9.0
  bool hasPools = false;
  std::string name;

  std::string capabilityText() const; ///< "9.0 ('NVIDIA H200')"
};

/// The device of the current context, and the facts of it. They stay valid.
int32_t currentDevice(const Driver &driver, cu::Device &device,
                      const DeviceFacts *&facts);

/// Changes the thread's capture mode; `mode` is the old one afterwards.
inline int32_t exchangeCaptureMode(const Driver &driver,
                                   cu::CaptureMode &mode) {
  return check(driver, "cuThreadExchangeStreamCaptureMode",
               driver.cuThreadExchangeStreamCaptureMode(&mode));
}

/// Gives the thread its capture mode back. `status` is that of what was done
/// meanwhile, and stays unless it was good and this fails.
int32_t restoreCaptureMode(const Driver &driver, cu::CaptureMode mode,
                           int32_t status);

/// The status of `body`, in which calls are allowed that a stream capture would
/// forbid: loading a module, or allocating memory that the graph does not own.
template <typename Body>
int32_t inRelaxedMode(const Driver &driver, Body body) {
  cu::CaptureMode mode = cu::CAPTURE_RELAXED;
  if (int32_t status = exchangeCaptureMode(driver, mode))
    return status;
  return restoreCaptureMode(driver, mode, body());
}

/// Device memory on `stream`: from the device's pool, or, where it has none,
/// from cuMemAlloc.
int32_t allocate(const Driver &driver, cu::Stream stream, size_t bytes,
                 cu::Address &address);
/// Undoes `allocate`, behind what is queued on `stream`.
int32_t release(const Driver &driver, cu::Stream stream, cu::Address address);
/// The same for memory of cuMemAlloc or cuMemAllocManaged: waits for `stream`,
/// since the driver promises no order between its work and cuMemFree.
int32_t releaseNow(const Driver &driver, cu::Stream stream,
                   cu::Address address);

/// Waits for `stream`.
inline int32_t synchronize(const Driver &driver, cu::Stream stream) {
  return check(driver, "cuStreamSynchronize",
               driver.cuStreamSynchronize(stream));
}

} // namespace hone

#endif // HONE_LIB_RUNTIME_CONTEXT_H
