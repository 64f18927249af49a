//===- Driver.cpp - Loader of libcuda.so.1 --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver is opened once per process and never closed: kernels, streams and
// memory of the program stay in it until the end. Obstacles (no library, an old
// one, no GPU) are found here, once, with a text that names a remedy.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"
#include <atomic>
#include <dlfcn.h>

using namespace hone;

/// 12040 is CUDA 12.4.
static std::string versionText(int32_t version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// Entries unknown to `resolve` stay null. Returns the name of the first
/// required one among them, or null.
static const char *fillTable(void *(*resolve)(void *, const char *),
                             void *handle, Driver &driver) {
  const char *missing = nullptr;
#define HONE_RESOLVE(NAME, VERSION, PARAMS)                                    \
  driver.NAME =                                                                \
      reinterpret_cast<cu::Result(*) PARAMS>(resolve(handle, #NAME VERSION));
#define HONE_RESOLVE_OR_FAIL(NAME, VERSION, PARAMS)                            \
  HONE_RESOLVE(NAME, VERSION, PARAMS)                                          \
  if (!driver.NAME && !missing)                                                \
    missing = #NAME VERSION;
  HONE_DRIVER_FUNCTIONS(HONE_RESOLVE_OR_FAIL)
  HONE_DRIVER_OPTIONAL_FUNCTIONS(HONE_RESOLVE)
#undef HONE_RESOLVE_OR_FAIL
#undef HONE_RESOLVE
  return missing;
}

static DriverState unusable(HoneStatus status, std::string why) {
  DriverState state;
  state.status = status;
  state.why = std::move(why);
  return state;
}

DriverState hone::makeDriver(void *(*resolve)(void *, const char *),
                             void *handle) {
  DriverState state;
  Driver &driver = state.driver;
  const char *missing = fillTable(resolve, handle, driver);
  // An old driver also lacks functions; its version makes a better message.
  if (driver.cuDriverGetVersion &&
      !driver.cuDriverGetVersion(&driver.version) &&
      driver.version < kOldestDriver)
    return unusable(HONE_NO_DRIVER, "expected a driver for CUDA " +
                                        versionText(kOldestDriver) +
                                        " or newer, but got one for CUDA " +
                                        versionText(driver.version) +
                                        "; update the NVIDIA driver");
  if (missing)
    return unusable(HONE_NO_DRIVER,
                    std::string("expected the CUDA driver to have '") +
                        missing + "', but got none; update the NVIDIA driver");
  if (cu::Result error = driver.cuInit(0))
    return unusable(error == cu::ERROR_NO_DEVICE ? HONE_NO_DEVICE
                                                 : HONE_CUDA_ERROR,
                    driver.describe("cuInit", error));
  state.usable = true;
  return state;
}

DriverState hone::openDriver(const char *file) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *error = dlerror();
    return unusable(HONE_NO_DRIVER, "expected the CUDA driver, but got no " +
                                        std::string(file) + " (" +
                                        (error ? error : "") +
                                        "); install the NVIDIA driver");
  }
  return makeDriver(dlsym, handle);
}

static std::atomic<const DriverState *> testDriver{nullptr};

void hone::setDriverForTesting(const DriverState *state) {
  testDriver.store(state, std::memory_order_release);
}

const DriverState &hone::driverState() {
  if (const DriverState *state = testDriver.load(std::memory_order_acquire))
    return *state;
  // Never destroyed: destructors of the program may still free memory.
  static const DriverState *const opened =
      new DriverState(openDriver("libcuda.so.1"));
  return *opened;
}

const Driver *Driver::get(std::string *why) {
  const DriverState &state = driverState();
  if (state.usable)
    return &state.driver;
  if (why)
    *why = state.why;
  return nullptr;
}

std::string Driver::describe(const char *call, cu::Result error) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(error, &name) || !name)
    return std::string(call) + ": error " + std::to_string(error);
  if (cuGetErrorString(error, &text) || !text)
    return std::string(call) + ": " + name;
  return std::string(call) + ": " + text + " (" + name + ")";
}
