//===- Device.h - Memory and a stream ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers that only the device may touch, and a queue of work in the order of
// one stream. While work is done, and only then, memory of the device is mapped
// with rights: the processor checks the host's accesses. Kernels and copies ask
// for theirs. A freed buffer keeps its addresses for a while, so that who still
// uses it is found.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_DEVICE_H
#define HONE_LIB_EMULATE_DEVICE_H

#include "hone/Emulate/Emulate.h"
#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace hone::emulate {

class Device {
public:
  Device();
  ~Device();
  Device(const Device &) = delete;

  void setOrder(WorkOrder order);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  void *allocate(size_t bytes, bool isShared);
  /// In stream order, except for shared memory: that waits for everything.
  void release(void *pointer);
  void copy(void *to, const void *from, size_t bytes);
  /// True if `pointer` is in a buffer, allocated or freed.
  bool owns(const void *pointer) const { return find(pointer) != nullptr; }
  /// What is wrong with an access of the device; empty if nothing is.
  std::string faultOf(const void *pointer, size_t bytes) const;
  /// Bytes of the buffer behind `pointer` that may be touched.
  size_t bytesBehind(const void *pointer) const;

  //===--------------------------------------------------------------------===//
  // Work
  //===--------------------------------------------------------------------===//

  void enqueue(std::function<void()> work);
  /// Does all of it.
  void synchronize();

  void complain(std::string finding);
  std::vector<std::string> takeFindings() {
    return std::exchange(findings, {});
  }

private:
  struct Buffer {
    uintptr_t base;
    size_t bytes, mapped;
    bool isShared, isLive;
  };

  const Buffer *find(const void *pointer) const;
  void free(void *pointer);
  void doCopy(void *to, const void *from, size_t bytes);
  void run(size_t count);
  void protect(bool isOpen);

  std::map<uintptr_t, Buffer> buffers; ///< by address
  std::deque<uintptr_t> freed;         ///< oldest first
  size_t freedBytes = 0;
  std::deque<std::function<void()>> queue;
  bool isWorking = false;
  WorkOrder order;
  std::mt19937_64 random;
  std::vector<std::string> findings;
  struct sigaction oldAction = {};
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_DEVICE_H
