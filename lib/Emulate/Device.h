//===- Device.h - Memory and a stream ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of the device, of the host and of both, and a queue of work in the
// order of one stream. The processor checks the host's accesses: memory of the
// device is mapped with rights only while work is done. While work is pending,
// what the host may touch has none either until the host does, which is noted:
// work that was pending then and touches the same buffer is a finding, unless
// both read. Kernels and copies ask for their accesses. A freed buffer keeps its
// addresses for a while, so that a late use of it is found.
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

  enum class Side { device, both, host };

  void *allocate(size_t bytes, Side side);
  /// In stream order, except for memory of both sides, which waits for
  /// everything, and of the host, which is freed at once.
  void release(void *pointer);
  void copy(void *to, const void *from, size_t bytes);
  /// True if `pointer` is in a buffer, allocated or freed.
  bool owns(const void *pointer) const { return find(pointer) != nullptr; }
  /// What is wrong with an access by a copy; empty if nothing is.
  std::string faultOf(const void *pointer, size_t bytes) const;
  /// The same by a kernel, which cannot touch memory of the host.
  std::string faultOfKernel(const void *pointer, size_t bytes) const;
  /// The work that runs touches this.
  void touch(const void *pointer, bool isWrite);
  /// The host has tried to touch this, and has no right to. True if it may now.
  bool letHostTouch(const void *pointer, bool isWrite);
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
    Side side;
    bool isLive;
    /// The last work that was pending when the host read or wrote it.
    uint64_t readUpTo = 0, writtenUpTo = 0;
    bool isOpen = true; ///< to the host, in full
  };

  const Buffer *find(const void *pointer) const;
  void allow(Buffer &buffer, int rights);
  void free(void *pointer);
  void doCopy(void *to, const void *from, size_t bytes);
  void run(size_t count);
  /// Rights while work is done, or while the host runs.
  void openToDevice();
  void openToHost();

  std::map<uintptr_t, Buffer> buffers; ///< by address
  std::deque<uintptr_t> freed;         ///< oldest first
  size_t freedBytes = 0;
  std::deque<std::function<void()>> queue;
  bool isWorking = false;
  uint64_t started = 0, done = 0; ///< numbers of work
  WorkOrder order;
  std::mt19937_64 random;
  std::vector<std::string> findings;
  struct sigaction oldAction = {};
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_DEVICE_H
