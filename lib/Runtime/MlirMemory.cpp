//===- MlirMemory.cpp - Memory functions of the gpu lowering --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `gpu.alloc`, `gpu.dealloc`, `gpu.memcpy`, `gpu.memset` and
// `gpu.host_register` as MLIR 22 lowers them; see MlirAbi.cpp for the rest and
// the reason.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace hone;

/// `host_shared` memory is managed, as host code may use it too.
extern "C" void *mgpuMemAlloc(uint64_t bytes, void *stream, bool isHostShared) {
  cu::Address address = 0;
  inPlace([&](const Place &place) -> int32_t {
    if (bytes == 0)
      return HONE_OK;
    if (!isHostShared)
      return allocate(*place.driver, asStream(stream), bytes, address);
    return check(*place.driver, "cuMemAllocManaged",
                 place.driver->cuMemAllocManaged(&address, bytes,
                                                 cu::MEM_ATTACH_GLOBAL));
  });
  return reinterpret_cast<void *>(address);
}

extern "C" void mgpuMemFree(void *pointer, void *stream) {
  // Functions that return early may free memory that was never allocated.
  if (!pointer)
    return;
  inPlace([&](const Place &place) -> int32_t {
    // The call does not show how the memory was allocated. An address unknown
    // to the driver is one of a graph.
    const Driver &driver = *place.driver;
    unsigned isManaged = 0;
    cu::Result error = driver.cuPointerGetAttribute(
        &isManaged, cu::POINTER_IS_MANAGED, addressOf(pointer));
    if (error && error != cu::ERROR_INVALID_VALUE)
      return failCall(driver, "cuPointerGetAttribute", error);
    if (error || !isManaged)
      return release(driver, asStream(stream), addressOf(pointer));
    return releaseNow(driver, asStream(stream), addressOf(pointer));
  });
}

extern "C" void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  inPlace([&](const Place &place) -> int32_t {
    if (bytes == 0)
      return HONE_OK;
    return check(*place.driver, "cuMemcpyAsync",
                 place.driver->cuMemcpyAsync(addressOf(to), addressOf(from),
                                             bytes, asStream(stream)));
  });
}

extern "C" void mgpuMemset16(void *to, unsigned short value, size_t count,
                             void *stream) {
  inPlace([&](const Place &place) -> int32_t {
    if (count == 0)
      return HONE_OK;
    return check(*place.driver, "cuMemsetD16Async",
                 place.driver->cuMemsetD16Async(addressOf(to), value, count,
                                                asStream(stream)));
  });
}

extern "C" void mgpuMemset32(void *to, unsigned value, size_t count,
                             void *stream) {
  inPlace([&](const Place &place) -> int32_t {
    if (count == 0)
      return HONE_OK;
    return check(*place.driver, "cuMemsetD32Async",
                 place.driver->cuMemsetD32Async(addressOf(to), value, count,
                                                asStream(stream)));
  });
}

namespace {
/// A dense memref of any rank.
struct MemRef {
  char *allocated, *aligned;
  int64_t offset;
  int64_t sizes[1]; ///< as many as the rank, then the strides

  char *begin(int64_t elementBytes) const {
    return aligned + offset * elementBytes;
  }
  int64_t elements(int64_t rank) const {
    int64_t count = 1;
    for (int64_t i = 0; i < rank; ++i)
      count *= sizes[i];
    return count;
  }
};
} // namespace

/// Maps the host's memory for kernels.
extern "C" void mgpuMemHostRegisterMemRef(int64_t rank, MemRef *memref,
                                          int64_t elementBytes) {
  inPlace([&](const Place &place) -> int32_t {
    int64_t bytes = memref->elements(rank) * elementBytes;
    if (bytes == 0)
      return HONE_OK;
    return check(
        *place.driver, "cuMemHostRegister",
        place.driver->cuMemHostRegister(memref->begin(elementBytes), bytes, 0));
  });
}

extern "C" void mgpuMemHostUnregisterMemRef(int64_t rank, MemRef *memref,
                                            int64_t elementBytes) {
  inPlace([&](const Place &place) -> int32_t {
    if (memref->elements(rank) == 0)
      return HONE_OK;
    // Queued kernels may still use it.
    if (int32_t status = synchronize(*place.driver, place.stream))
      return status;
    return check(
        *place.driver, "cuMemHostUnregister",
        place.driver->cuMemHostUnregister(memref->begin(elementBytes)));
  });
}

extern "C" void mgpuSetDefaultDevice(int32_t device) { honeSetDevice(device); }
