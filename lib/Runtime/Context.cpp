//===- Context.cpp - Contexts, devices and streams ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's data about the machine. Facts of a device never change, so they
// are read once; contexts and streams belong to the program and are read at
// every call.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include <map>
#include <mutex>

using namespace hone;

static thread_local cu::Stream threadStream = nullptr;

void honeSetStream(void *stream) {
  threadStream = static_cast<cu::Stream>(stream);
}
void *honeGetStream(void) { return threadStream; }
cu::Stream hone::currentStream() { return threadStream; }

int32_t hone::enterDevice(const Driver &driver, int32_t ordinal,
                          cu::Context &context) {
  // A primary context stays retained until the process ends: otherwise threads
  // with this current context would have a dangling one.
  static std::mutex mutex;
  static auto &retained =
      *new std::map<std::pair<const Driver *, cu::Device>, cu::Context>();
  cu::Device device;
  if (int32_t status =
          check(driver, "cuDeviceGet", driver.cuDeviceGet(&device, ordinal)))
    return status;
  {
    std::lock_guard<std::mutex> lock(mutex);
    cu::Context &entry = retained[{&driver, device}];
    if (!entry)
      if (int32_t status =
              check(driver, "cuDevicePrimaryCtxRetain",
                    driver.cuDevicePrimaryCtxRetain(&entry, device)))
        return status;
    context = entry;
  }
  return check(driver, "cuCtxSetCurrent", driver.cuCtxSetCurrent(context));
}

int32_t Place::find() {
  driver = Driver::get();
  if (!driver)
    return failDriver();
  stream = currentStream();
  return currentContext(*driver, context);
}

int32_t hone::restoreCaptureMode(const Driver &driver, cu::CaptureMode mode,
                                 int32_t status) {
  cu::CaptureMode wanted = mode;
  cu::Result error = driver.cuThreadExchangeStreamCaptureMode(&mode);
  if (!error)
    return status;
  // In relaxed mode the thread would get no errors for calls that break its
  // captures.
  driver.cuThreadExchangeStreamCaptureMode(&wanted);
  return status ? status
                : failCall(driver, "cuThreadExchangeStreamCaptureMode", error);
}

int32_t honeSetDevice(int32_t device) {
  const Driver *driver = Driver::get();
  cu::Context context;
  return report(driver ? enterDevice(*driver, device, context) : failDriver());
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static int32_t attribute(const Driver &driver, cu::Device device,
                         cu::DeviceAttribute which, int32_t &value) {
  return check(driver, "cuDeviceGetAttribute",
               driver.cuDeviceGetAttribute(&value, which, device));
}

static int32_t capability(const Driver &driver, cu::Device device,
                          int32_t &value) {
  int32_t major, minor;
  if (int32_t status =
          attribute(driver, device, cu::COMPUTE_CAPABILITY_MAJOR, major))
    return status;
  if (int32_t status =
          attribute(driver, device, cu::COMPUTE_CAPABILITY_MINOR, minor))
    return status;
  value = major * 10 + minor;
  return HONE_OK;
}

static int32_t readFacts(const Driver &driver, cu::Device device,
                         DeviceFacts &facts) {
  char name[128] = "";
  int32_t pools;
  if (int32_t status = capability(driver, device, facts.capability))
    return status;
  if (int32_t status =
          attribute(driver, device, cu::MEMORY_POOLS_SUPPORTED, pools))
    return status;
  if (int32_t status =
          check(driver, "cuDeviceGetName",
                driver.cuDeviceGetName(name, sizeof(name), device)))
    return status;
  facts.hasPools = pools;
  facts.name = name;
  return HONE_OK;
}

std::string DeviceFacts::capabilityText() const {
  return std::to_string(capability / 10) + "." +
         std::to_string(capability % 10) + " ('" + name + "')";
}

int32_t hone::currentDevice(const Driver &driver, cu::Device &device,
                            const DeviceFacts *&facts) {
  static std::mutex mutex;
  static auto &known =
      *new std::map<std::pair<const Driver *, cu::Device>, DeviceFacts>();
  if (int32_t status =
          check(driver, "cuCtxGetDevice", driver.cuCtxGetDevice(&device)))
    return status;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace({&driver, device});
  facts = &entry->second;
  if (!isNew)
    return HONE_OK;
  int32_t status = readFacts(driver, device, entry->second);
  if (status)
    known.erase(entry);
  return status;
}

int32_t honeDeviceCount(int32_t *count) {
  *count = 0;
  const Driver *driver = Driver::get();
  if (!driver)
    return report(failDriver());
  return report(
      check(*driver, "cuDeviceGetCount", driver->cuDeviceGetCount(count)));
}

static int32_t readInfo(int32_t ordinal, HoneDeviceInfo &info) {
  const Driver *driver = Driver::get();
  if (!driver)
    return failDriver();
  cu::Device device;
  size_t bytes;
  if (int32_t status =
          check(*driver, "cuDeviceGet", driver->cuDeviceGet(&device, ordinal)))
    return status;
  if (int32_t status =
          check(*driver, "cuDeviceGetName",
                driver->cuDeviceGetName(info.name, sizeof(info.name), device)))
    return status;
  if (int32_t status = check(*driver, "cuDeviceTotalMem",
                             driver->cuDeviceTotalMem(&bytes, device)))
    return status;
  info.memoryBytes = bytes;
  info.driverVersion = driver->version;
  if (int32_t status = capability(*driver, device, info.capability))
    return status;
  const std::pair<cu::DeviceAttribute, int32_t *> attributes[] = {
      {cu::MULTIPROCESSOR_COUNT, &info.processors},
      {cu::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &info.sharedPerBlock},
      {cu::CLOCK_RATE, &info.clockKHz},
      {cu::L2_CACHE_SIZE, &info.l2Bytes},
  };
  for (auto [which, value] : attributes)
    if (int32_t status = attribute(*driver, device, which, *value))
      return status;
  return HONE_OK;
}

int32_t honeDeviceInfo(int32_t device, HoneDeviceInfo *info) {
  *info = {};
  return report(readInfo(device, *info));
}
