//===- FakeMemory.cpp - Memory without a GPU ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses without bytes: which were allocated, cleared and freed.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

cu::Address FakeDriver::allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  cu::Address address = nextAddress;
  nextAddress += (bytes + 0xfff) & ~size_t(0xfff);
  allocations[address] = bytes;
  return address;
}

void FakeDriver::free(cu::Address address, cu::Stream stream) {
  std::lock_guard<std::mutex> lock(mutex);
  freed[address] = stream;
}

static cu::Result memAlloc(cu::Address *address, size_t bytes) {
  cu::Result result = FakeDriver::get().note("cuMemAlloc");
  if (!result)
    *address = FakeDriver::get().allocate(bytes);
  return result;
}

static cu::Result memAllocAsync(cu::Address *address, size_t bytes,
                                cu::Stream) {
  cu::Result result = FakeDriver::get().note("cuMemAllocAsync");
  if (!result)
    *address = FakeDriver::get().allocate(bytes);
  return result;
}

static cu::Result memFree(cu::Address address) {
  cu::Result result = FakeDriver::get().note("cuMemFree");
  if (!result)
    FakeDriver::get().free(address, nullptr);
  return result;
}

static cu::Result memFreeAsync(cu::Address address, cu::Stream stream) {
  cu::Result result = FakeDriver::get().note("cuMemFreeAsync");
  if (!result)
    FakeDriver::get().free(address, stream);
  return result;
}

static cu::Result memAllocManaged(cu::Address *address, size_t bytes,
                                  unsigned) {
  cu::Result result = FakeDriver::get().note("cuMemAllocManaged");
  if (!result)
    *address = FakeDriver::get().allocate(bytes) | 1; // see pointerGetAttribute
  return result;
}

static cu::Result pointerGetAttribute(void *data, cu::PointerAttribute,
                                      cu::Address address) {
  *static_cast<unsigned *>(data) = address & 1;
  return FakeDriver::get().note("cuPointerGetAttribute");
}

static cu::Result memsetD8Async(cu::Address to, unsigned char, size_t,
                                cu::Stream) {
  cu::Result result = FakeDriver::get().note("cuMemsetD8Async");
  std::lock_guard<std::mutex> lock(FakeDriver::get().mutex);
  if (!result)
    FakeDriver::get().cleared.insert(to);
  if (!result)
    FakeDriver::get().words.erase(to);
  return result;
}

static cu::Result memcpyDtoHAsync(void *to, cu::Address from, size_t bytes,
                                  cu::Stream) {
  FakeDriver &fake = FakeDriver::get();
  cu::Result result = fake.note("cuMemcpyDtoHAsync");
  std::lock_guard<std::mutex> lock(fake.mutex);
  if (auto known = fake.words.find(from);
      !result && known != fake.words.end() && bytes == sizeof(int32_t))
    std::memcpy(to, &known->second, bytes);
  return result;
}

void FakeDriver::addMemory(Driver &table) {
  table.cuMemAlloc = memAlloc;
  table.cuMemAllocAsync = memAllocAsync;
  table.cuMemAllocManaged = memAllocManaged;
  table.cuMemFree = memFree;
  table.cuMemFreeAsync = memFreeAsync;
  table.cuPointerGetAttribute = pointerGetAttribute;
  table.cuMemsetD8Async = memsetD8Async;
  table.cuMemcpyDtoHAsync = memcpyDtoHAsync;
}
