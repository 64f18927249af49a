//===- Fibers.h - The threads of a block, in turns --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel that was compiled for this CPU. Threads of a block that meet
// (barriers, shuffles) each have a stack of their own, and a turn lasts until
// its thread has to wait for others; the order of turns is drawn. Without
// meetings one stack serves them all, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_FIBERS_H
#define HONE_LIB_EMULATE_FIBERS_H

#include "Device.h"
#include <ucontext.h>

namespace hone::emulate {

/// A kernel, taking its parameters from words.
using KernelCode = void (*)(const int64_t *words);

struct BlockLaunch {
  KernelCode code = nullptr;
  const int64_t *words = nullptr;
  int64_t grid = 1, threads = 1;
  /// Threads wait for each other somewhere in the kernel.
  bool meets = false;
  /// It may start before the kernel before it has ended.
  bool overlaps = false;
};

class Fibers {
public:
  Fibers(Device &device, uint64_t seed) : device(device), random(seed) {}
  ~Fibers();
  Fibers(const Fibers &) = delete;

  /// Runs every block; stops at the first fault, which it returns.
  std::string run(const BlockLaunch &launch);

  //===--------------------------------------------------------------------===//
  // What the code of a thread calls
  //===--------------------------------------------------------------------===//

  /// The one that runs now.
  static Fibers &running();
  int32_t thread() const { return now->thread; }
  int32_t block() const { return blockNumber; }
  const BlockLaunch &launched() const { return *launch; }
  /// All threads of the block meet.
  void barrier();
  /// What lane `lane` of the warp has given, when all have.
  uint32_t shuffle(uint32_t value, int32_t lane);
  /// griddepcontrol.wait.
  void waitForKernelsBefore() { now->hasWaited = true; }
  void access(const void *pointer, int64_t bytes, int64_t align, bool isWrite);
  /// Shared memory, or a table.
  void accessWithin(const void *pointer, int64_t bytes, const void *base,
                    int64_t size);
  /// Ends the kernel.
  [[noreturn]] void fail(std::string why);

private:
  /// A place where threads meet again and again.
  struct Meeting {
    int64_t members = 0, here = 0;
    uint64_t number = 0;
  };
  struct Fiber {
    ucontext_t context;
    int32_t thread = 0;
    bool hasEnded = false, hasWaited = false;
    Meeting *meeting = nullptr; ///< waits for the end of its number `awaited`
    uint64_t awaited = 0, shuffles = 0;
  };

  static void enter();
  void runThreads();
  void runBlock();
  bool takeTurns();
  void start(Fiber &fiber, size_t number);
  void meet(Meeting &meeting);
  void yield();

  Device &device;
  std::mt19937_64 random;
  const BlockLaunch *launch = nullptr;
  int32_t blockNumber = 0;
  std::string fault;

  ucontext_t scheduler;
  Fiber *now = nullptr;
  std::deque<Fiber> fibers; ///< addresses stay valid
  std::vector<int32_t> order;
  char *stacks = nullptr;
  size_t stackCount = 0;
  Meeting blockMeeting;
  std::vector<Meeting> warpMeetings;
  std::vector<uint32_t> exchanged[2]; ///< by turns, so that none is read late
  /// Of the buffers that were read and written last.
  struct Known {
    const char *begin = nullptr, *end = nullptr;
  };
  Known known[2];
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_FIBERS_H
