//===- Memory.cpp - Device memory on the thread's stream ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation is ordered on a stream: it neither waits for the GPU nor makes it
// wait, and inside a capture it becomes part of the graph. Devices without
// memory pools (some virtual ones) use plain allocations instead, which are not
// ordered on a stream: a free waits until the stream's work is done.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace hone;

int32_t hone::allocate(const Driver &driver, cu::Stream stream, size_t bytes,
                       cu::Address &address) {
  cu::Device device;
  const DeviceFacts *facts;
  if (int32_t status = currentDevice(driver, device, facts))
    return status;
  if (facts->hasPools)
    return check(driver, "cuMemAllocAsync",
                 driver.cuMemAllocAsync(&address, bytes, stream));
  return check(driver, "cuMemAlloc", driver.cuMemAlloc(&address, bytes));
}

int32_t hone::release(const Driver &driver, cu::Stream stream,
                      cu::Address address) {
  cu::Device device;
  const DeviceFacts *facts;
  if (int32_t status = currentDevice(driver, device, facts))
    return status;
  if (facts->hasPools)
    return check(driver, "cuMemFreeAsync",
                 driver.cuMemFreeAsync(address, stream));
  return releaseNow(driver, stream, address);
}

int32_t hone::releaseNow(const Driver &driver, cu::Stream stream,
                         cu::Address address) {
  if (int32_t status = synchronize(driver, stream))
    return status;
  return check(driver, "cuMemFree", driver.cuMemFree(address));
}

int32_t honeAlloc(void **pointer, size_t bytes) {
  *pointer = nullptr;
  return inPlace([&](const Place &place) -> int32_t {
    cu::Address address = 0;
    if (bytes > 0)
      if (int32_t status =
              allocate(*place.driver, place.stream, bytes, address))
        return status;
    *pointer = reinterpret_cast<void *>(address);
    return HONE_OK;
  });
}

int32_t honeFree(void *pointer) {
  return inPlace([&](const Place &place) -> int32_t {
    if (!pointer)
      return HONE_OK;
    return release(*place.driver, place.stream, addressOf(pointer));
  });
}

int32_t honeCopyToDevice(void *to, const void *from, size_t bytes) {
  return inPlace([&](const Place &place) -> int32_t {
    if (bytes == 0)
      return HONE_OK;
    return check(*place.driver, "cuMemcpyHtoDAsync",
                 place.driver->cuMemcpyHtoDAsync(addressOf(to), from, bytes,
                                                 place.stream));
  });
}

int32_t honeCopy(void *to, const void *from, size_t bytes) {
  return inPlace([&](const Place &place) -> int32_t {
    if (bytes == 0)
      return HONE_OK;
    return check(*place.driver, "cuMemcpyAsync",
                 place.driver->cuMemcpyAsync(addressOf(to), addressOf(from),
                                             bytes, place.stream));
  });
}

int32_t honeCopyFromDevice(void *to, const void *from, size_t bytes) {
  return inPlace([&](const Place &place) {
    if (bytes > 0)
      if (int32_t status = check(*place.driver, "cuMemcpyDtoHAsync",
                                 place.driver->cuMemcpyDtoHAsync(
                                     to, addressOf(from), bytes, place.stream)))
        return status;
    return synchronize(*place.driver, place.stream);
  });
}

int32_t honeSynchronize(void) {
  return inPlace([](const Place &place) {
    return synchronize(*place.driver, place.stream);
  });
}
