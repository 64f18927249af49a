//===- Fibers.cpp - Threads of a block as fibers --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Fibers.h.
//
//===----------------------------------------------------------------------===//

#include "Fibers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <numeric>
#include <sys/mman.h>
#include <utility>

using namespace hone;
using namespace hone::emulate;
using llvm::formatv;

static constexpr int64_t kWarp = 32;
static constexpr size_t kStackBytes = 128 * 1024;

// swapcontext calls the operating system at every turn, for the mask of
// signals; a jump does not. Neither AddressSanitizer nor _FORTIFY_SOURCE
// permits a jump to another stack.
#if LLVM_ADDRESS_SANITIZER_BUILD ||                                            \
    (defined(__USE_FORTIFY_LEVEL) && __USE_FORTIFY_LEVEL > 0)
static constexpr bool kJumps = false;
#else
static constexpr bool kJumps = true;
#endif

/// The running fibers: compiled code cannot receive a pointer to them.
static Fibers *runningFibers = nullptr;

Fibers &Fibers::running() { return *runningFibers; }

Fibers::~Fibers() {
  if (stacks)
    munmap(stacks, stackCount * kStackBytes);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void Fibers::runThreads() {
  if (launch->meets) {
    launch->code(launch->words);
    return;
  }
  for (int32_t thread : order) {
    now->thread = thread;
    now->hasWaited = false;
    launch->code(launch->words);
    if (launch->overlaps && !now->hasWaited)
      break;
  }
}

/// The stack of a thread that has ended serves the next block's.
void Fibers::enter() {
  for (;;) {
    Fibers &fibers = *runningFibers;
    fibers.runThreads();
    Fiber &me = *fibers.now;
    if (fibers.launch->overlaps && !me.hasWaited)
      fibers.fail("ends without waiting for the kernels before, for which the "
                  "next kernel does not wait");
    me.hasEnded = me.isIdle = true;
    fibers.yield();
  }
}

void Fibers::resume(Fiber &fiber) {
  if constexpr (!kJumps) {
    swapcontext(&scheduler, &fiber.context);
    return;
  }
  if (_setjmp(schedulerTurn))
    return;
  if (fiber.hasStarted)
    _longjmp(fiber.turn, 1);
  fiber.hasStarted = true;
  setcontext(&fiber.context);
}

void Fibers::yield() {
  if constexpr (!kJumps)
    swapcontext(&now->context, &scheduler);
  else if (!_setjmp(now->turn))
    _longjmp(schedulerTurn, 1);
}

void Fibers::fail(std::string why) {
  fault = formatv("thread {0} of block {1} {2}", now->thread, blockNumber, why);
  now->hasEnded = true;
  yield();
  llvm_unreachable("a thread that has failed has no turn");
}

void Fibers::start(Fiber &fiber, size_t number) {
  fiber.hasEnded = fiber.hasWaited = false;
  fiber.meeting = nullptr;
  fiber.shuffles = 0;
  if (std::exchange(fiber.isIdle, false))
    return;
  fiber.hasStarted = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stacks + number * kStackBytes;
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, &Fibers::enter, 0);
}

/// Gives each runnable fiber one turn; false if none is runnable.
bool Fibers::takeTurns() {
  bool hasMoved = false;
  for (Fiber &fiber : fibers) {
    bool isWaiting = fiber.meeting && fiber.meeting->number == fiber.awaited;
    if (fiber.hasEnded || isWaiting)
      continue;
    fiber.meeting = nullptr;
    now = &fiber;
    resume(fiber);
    hasMoved = true;
    if (!fault.empty())
      return false;
  }
  return hasMoved;
}

void Fibers::runBlock() {
  std::shuffle(order.begin(), order.end(), random);
  blockMeeting = {launch->threads, 0, 0};
  warpMeetings.assign(llvm::divideCeil(launch->threads, kWarp),
                      {std::min(launch->threads, kWarp), 0, 0});
  for (auto [number, fiber] : llvm::enumerate(fibers)) {
    start(fiber, number);
    fiber.thread = order[number];
  }
  while (takeTurns())
    ;
  if (!fault.empty())
    return;
  auto waits = [](const Fiber &fiber) { return !fiber.hasEnded; };
  auto stuck = llvm::find_if(fibers, waits);
  if (stuck != fibers.end())
    fault = formatv("thread {0} of block {1} waits forever: {2} of {3} threads "
                    "have come",
                    stuck->thread, blockNumber, stuck->meeting->here,
                    stuck->meeting->members);
}

std::string Fibers::run(const BlockLaunch &next) {
  launch = &next;
  runningFibers = this;
  fault.clear();
  known[0] = known[1] = {};
  size_t wanted = next.meets ? next.threads : 1;
  if (stackCount < wanted) {
    if (stacks)
      munmap(stacks, stackCount * kStackBytes);
    fibers.clear(); // None stands on a new stack.
    stackCount = wanted;
    void *memory =
        mmap(nullptr, stackCount * kStackBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      stacks = nullptr, stackCount = 0;
      return "expected memory for the stacks of threads, but got none";
    }
    stacks = static_cast<char *>(memory);
  }
  fibers.resize(wanted);
  order.resize(next.threads);
  std::iota(order.begin(), order.end(), 0);
  for (auto &values : exchanged)
    values.resize(llvm::alignTo(next.threads, kWarp));
  for (int64_t block = 0; block < next.grid && fault.empty(); ++block) {
    blockNumber = int32_t(block);
    runBlock();
  }
  return fault;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Fibers::meet(Meeting &meeting) {
  if (++meeting.here == meeting.members) {
    meeting.here = 0;
    ++meeting.number;
    return;
  }
  now->meeting = &meeting;
  now->awaited = meeting.number;
  yield();
}

void Fibers::barrier() { meet(blockMeeting); }

uint32_t Fibers::shuffle(uint32_t value, int32_t lane) {
  std::vector<uint32_t> &values = exchanged[now->shuffles++ % 2];
  int64_t warp = now->thread / kWarp;
  values[now->thread] = value;
  meet(warpMeetings[warp]);
  return values[warp * kWarp + lane];
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void Fibers::access(const void *pointer, int64_t bytes, int64_t align,
                    bool isWrite) {
  const char *what = isWrite ? "writes" : "reads";
  if (launch->overlaps && !now->hasWaited)
    fail(formatv("{0} global memory, but the kernels before may not be done",
                 what));
  if (reinterpret_cast<uintptr_t>(pointer) % align)
    fail(formatv("{0} {1} bytes at {2}, which is not a multiple of {3}", what,
                 bytes, pointer, align));
  auto *begin = static_cast<const char *>(pointer);
  Known &range = known[isWrite];
  if (begin >= range.begin && begin + bytes <= range.end)
    return;
  if (std::string why = device.faultOfKernel(pointer, bytes); !why.empty())
    fail(formatv("{0} {1}", what, why));
  device.touch(pointer, isWrite);
  range = {begin, begin + device.bytesFrom(pointer)};
}

void Fibers::accessWithin(const void *pointer, int64_t bytes, const void *base,
                          int64_t size) {
  int64_t from =
      static_cast<const char *>(pointer) - static_cast<const char *>(base);
  if (from < 0 || from + bytes > size)
    fail(formatv("touches bytes {0} to {1} of {2} bytes of shared memory or of "
                 "a table",
                 from, from + bytes, size));
}
