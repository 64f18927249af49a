//===- Fibers.h - Threads of a block as fibers ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel that was compiled for this CPU. If the threads of a block
// synchronize (barriers, shuffles), each has a stack of its own and runs until
// it has to wait for others; the order of turns is random. Otherwise one stack
// serves all threads, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EMULATE_FIBERS_H
#define HONE_LIB_EMULATE_FIBERS_H

#include "Device.h"
#include <csetjmp>
#include <ucontext.h>

namespace hone::emulate {

/// A kernel that reads its parameters from words.
using KernelCode = void (*)(const int64_t *words);

struct BlockLaunch {
  KernelCode code = nullptr;
  const int64_t *words = nullptr;
  int64_t grid = 1, threads = 1;
  /// Threads wait for each other somewhere in the kernel.
  bool meets = false;
  /// It may start before the previous kernel has ended.
  bool overlaps = false;
};

class Fibers {
public:
  Fibers(Device &device, uint64_t seed) : device(device), random(seed) {}
  ~Fibers();
  Fibers(const Fibers &) = delete;

  /// Runs every block; stops at the first fault and returns it.
  std::string run(const BlockLaunch &launch);

  //===--------------------------------------------------------------------===//
  // Functions called by a thread's code
  //===--------------------------------------------------------------------===//

  /// The fibers that run now.
  static Fibers &running();
  int32_t thread() const { return now->thread; }
  int32_t block() const { return blockNumber; }
  const BlockLaunch &launched() const { return *launch; }
  /// Waits for all threads of the block.
  void barrier();
  /// Returns the value of the warp's lane `lane`, once all lanes have one.
  uint32_t shuffle(uint32_t value, int32_t lane);
  /// griddepcontrol.wait.
  void waitForKernelsBefore() { now->hasWaited = true; }
  void access(const void *pointer, int64_t bytes, int64_t align, bool isWrite);
  /// An access to shared memory, or to a table.
  void accessWithin(const void *pointer, int64_t bytes, const void *base,
                    int64_t size);
  /// Ends the kernel.
  [[noreturn]] void fail(std::string why);

private:
  /// A barrier for repeated use.
  struct Meeting {
    int64_t members = 0, here = 0;
    uint64_t number = 0;
  };
  struct Fiber {
    ucontext_t context;
    std::jmp_buf turn; ///< where it yielded
    int32_t thread = 0;
    bool hasEnded = false, hasWaited = false;
    bool hasStarted = false;    ///< has had a turn since its stack was set up
    bool isIdle = false;        ///< has ended a thread, and may run another one
    Meeting *meeting = nullptr; ///< waits until its number exceeds `awaited`
    uint64_t awaited = 0, shuffles = 0;
  };

  [[noreturn]] static void enter();
  void runThreads();
  void runBlock();
  bool takeTurns();
  void start(Fiber &fiber, size_t number);
  void meet(Meeting &meeting);
  void resume(Fiber &fiber);
  void yield();

  Device &device;
  std::mt19937_64 random;
  const BlockLaunch *launch = nullptr;
  int32_t blockNumber = 0;
  std::string fault;

  ucontext_t scheduler;
  std::jmp_buf schedulerTurn;
  Fiber *now = nullptr;
  std::deque<Fiber> fibers; ///< addresses stay valid
  std::vector<int32_t> order;
  char *stacks = nullptr;
  size_t stackCount = 0;
  Meeting blockMeeting;
  std::vector<Meeting> warpMeetings;
  std::vector<uint32_t> exchanged[2]; ///< two, used in turn
  /// Ranges of the last read buffer and of the last written one.
  struct Known {
    const char *begin = nullptr, *end = nullptr;
  };
  Known known[2];
};

} // namespace hone::emulate

#endif // HONE_LIB_EMULATE_FIBERS_H
