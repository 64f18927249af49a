//===- Barrier.h - Barriers and their rules ---------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of barriers in a kernel.
//
//   | class          | hardware        | a phase ends when                   |
//   |----------------|-----------------|-------------------------------------|
//   | PhaseBarrier   | mbarrier        | the expected number has arrived,    |
//   |                |                 | and so have all announced bytes     |
//   | MeetingBarrier | bar.sync        | the expected threads are there      |
//   |                | barrier.cluster | all agents are there that have not  |
//   |                |                 | ended                               |
//
// Phases of a barrier are a line of events (Clock.h): number p + 1 is the end
// of phase p. The rules of Simulate.h are checked here, where both sides are
// visible; violations are reported to a `Complaints`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_BARRIER_H
#define HONE_LIB_SIMULATE_BARRIER_H

#include "Clock.h"
#include "hone/Simulate/Simulate.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

/// Reports a broken rule, and the event on the other side (an index that the
/// caller chose), or -1.
using Complaints =
    llvm::function_ref<void(Fault fault, std::string text, int other)>;

class PhaseBarrier {
public:
  /// `line` is that of its phases, `start` the event that initialised it.
  PhaseBarrier(Line line, int64_t arrivals, Epoch start)
      : line(line), arrivals(arrivals), missing(arrivals), start(start) {}

  /// Arrives, and announces bytes. True if the phase has ended.
  bool arrive(const Knowledge &who, int64_t bytes, Complaints complain);
  /// Arrives from another block of the cluster. That is lowered to an arrival
  /// of block scope: the arrival becomes past for the waiting threads, but
  /// earlier writes do not become visible to them.
  bool arriveFromAfar(const Knowledge &who, Complaints complain);
  /// Bytes arrive that `who` requested. True if the phase has ended.
  bool land(const Knowledge &who, int64_t bytes, Complaints complain);

  /// The phase that a wait for `parity` refers to, which may be over already.
  int64_t meantBy(int64_t parity) const {
    return (phase & 1) == (parity & 1) ? phase : phase - 1;
  }
  /// Checks the conditions of a wait for `parity` before it starts.
  void checkWait(const Knowledge &who, int64_t parity, Complaints complain);
  bool isOver(int64_t which) const { return which < phase; }
  /// A wait ends. It is certain to have ended once `passed` is past, or
  /// `product`, an event that the whole group takes part in.
  void pass(Knowledge &who, Epoch passed, Epoch product, int event);

  /// The end of the current phase.
  Epoch end() const { return {line, uint32_t(phase + 1)}; }
  int64_t current() const { return phase; }
  int64_t stillMissing() const { return missing; }
  int64_t bytesAnnounced() const { return announced; }
  int64_t bytesLanded() const { return landed; }
  int64_t countOf() const { return arrivals; }

private:
  void checkArrival(const Knowledge &who, const char *what,
                    Complaints complain);
  bool endPhase(Complaints complain);

  struct Waiter {
    Epoch passed, product;
    int event;
  };

  Line line;
  int64_t arrivals, missing;
  Epoch start;
  int64_t phase = 0, announced = 0, landed = 0;
  /// The joined knowledge of the arrivals of this phase, and of the last one.
  Knowledge gathered, last;
  /// The agents that waited for the last phase.
  std::vector<Waiter> waiters;
};

/// A counter in global memory, at which groups of different blocks meet once:
/// as many arrive as each of them waits for, all leave, and the last clears it.
/// A waiting group reads the same value whenever it looks, because no group
/// arrives twice.
class CounterBarrier {
public:
  explicit CounterBarrier(Line line) : line(line) {}

  void arrive(const Knowledge &who, Complaints complain);
  /// True if `count` have arrived; their knowledge is joined into `who`.
  bool await(Knowledge &who, int64_t count, Complaints complain);
  void leave(const Knowledge &who, int64_t count, Complaints complain);
  /// The fault of its state when the kernel ends, or an empty string.
  std::string leftover() const;

private:
  Line line;
  int64_t arrived = 0, left = 0, wanted = 0;
  Knowledge gathered;
};

/// A barrier at which agents wait until all are there.
class MeetingBarrier {
public:
  explicit MeetingBarrier(Line line) : line(line) {}

  /// `threads` of `wanted` threads arrive. True if all are there.
  bool arrive(const Knowledge &who, int64_t threads, int64_t wanted,
              Complaints complain);
  /// Removes threads that will never arrive. True if all others are there.
  bool leave(int64_t threads);
  /// The joined knowledge of all agents of the last meeting.
  const Knowledge &outcome() const { return last; }

  int64_t meetings() const { return met; }
  int64_t here() const { return present; }
  int64_t wantedNow() const { return expected; }

private:
  bool meetIfComplete();

  Line line;
  int64_t met = 0, present = 0, expected = 0, gone = 0;
  Knowledge gathered, last;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_BARRIER_H
