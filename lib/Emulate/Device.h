//===- Device.h - Memory and a stream ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of the device, of the host and of both, and a queue of work in the
// order of one stream. Page protection checks the host's accesses: memory of
// the device is accessible only while work runs. While work is pending, memory
// that the host may use is protected too, until the host touches it. The touch
// is recorded: if work pending at that time then touches the same buffer, this
// is a finding, unless both read. Kernels and copies report their accesses. A
// freed buffer keeps its addresses for a while, so that a late use is detected.
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
  /// In stream order, except for memory of both sides, which waits for all
  /// work, and of the host, which is freed at once.
  void release(void *pointer);
  void copy(void *to, const void *from, size_t bytes);
  /// True if `pointer` is in a buffer, allocated or freed.
  bool owns(const void *pointer) const { return find(pointer) != nullptr; }
  /// The fault of an access by a copy; empty if there is none.
  std::string faultOf(const void *pointer, size_t bytes) const;
  /// The same for a kernel, which cannot touch memory of the host.
  std::string faultOfKernel(const void *pointer, size_t bytes) const;
  /// Records that the running work touches this address.
  void touch(const void *pointer, bool isWrite);
  /// Handles a protection fault of the host at this address. True if the access
  /// is now allowed.
  bool letHostTouch(const void *pointer, bool isWrite);
  /// The number of accessible bytes of the buffer from `pointer` on.
  size_t bytesFrom(const void *pointer) const;

  //===--------------------------------------------------------------------===//
  // Work
  //===--------------------------------------------------------------------===//

  void enqueue(std::function<void()> work);
  /// Does all queued work.
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
    /// The last work that was pending when the host read or wrote the buffer.
    uint64_t readUpTo = 0, writtenUpTo = 0;
    bool isOpen = true; ///< fully accessible to the host
  };

  const Buffer *find(const void *pointer) const;
  void allow(Buffer &buffer, int rights);
  void free(void *pointer);
  void doCopy(void *to, const void *from, size_t bytes);
  void run(size_t count);
  /// Access rights while work runs, or while the host runs.
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
