//===- Barrier.h - Barriers and the rules that make one run do --*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of barriers a kernel has.
//
//   | class          | hardware          | a phase ends when |
//   |----------------|-------------------|-------------------------------------|
//   | PhaseBarrier   | mbarrier          | enough have arrived, and as many |
//   |                |                   | bytes landed as were announced | |
//   MeetingBarrier | bar.sync          | so many threads are there           |
//   |                | barrier.cluster   | every agent that has not ended is |
//
// Phases of a barrier are a line of events (Clock.h): number p + 1 is the end
// of phase p. The rules of Simulate.h are checked here, where one sees both
// sides; what breaks one is told to a `Complaints`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_BARRIER_H
#define HONE_LIB_SIMULATE_BARRIER_H

#include "Clock.h"
#include "hone/Simulate/Simulate.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone::simulate {

/// Hears of a rule that is broken, and of the event on the other side (an index
/// that whoever called chose), or -1.
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
  /// of block scope: whoever waits knows that it has been made, but does not
  /// see what was written before.
  bool arriveFromAfar(const Knowledge &who, Complaints complain);
  /// Bytes land that `who` asked for. True if the phase has ended.
  bool land(const Knowledge &who, int64_t bytes, Complaints complain);

  /// The phase that a wait for `parity` is about, which may be over already.
  int64_t meantBy(int64_t parity) const {
    return (phase & 1) == (parity & 1) ? phase : phase - 1;
  }
  /// What must hold of a wait for `parity` before it starts.
  void checkWait(const Knowledge &who, int64_t parity, Complaints complain);
  bool isOver(int64_t which) const { return which < phase; }
  /// A wait ends. It is certain to have ended once `passed` is past, or
  /// `product`, which takes part in something of its whole group.
  void pass(Knowledge &who, Epoch passed, Epoch product, int event);

  /// The end of the phase that is under way.
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
  /// What the arrivals of this phase know, and those of the last one did.
  Knowledge gathered, last;
  /// Who waited for the last phase.
  std::vector<Waiter> waiters;
};

/// A counter in global memory, which groups of different blocks meet at once:
/// as many arrive as each of them waits for, all leave, and the last clears it.
/// Whoever waits sees the same whenever it looks, because nobody arrives twice.
class CounterBarrier {
public:
  explicit CounterBarrier(Line line) : line(line) {}

  void arrive(const Knowledge &who, Complaints complain);
  /// True if `count` have arrived; `who` knows what they know then.
  bool await(Knowledge &who, int64_t count, Complaints complain);
  void leave(const Knowledge &who, int64_t count, Complaints complain);
  /// What is wrong with it when the kernel ends, or an empty string.
  std::string leftover() const;

private:
  Line line;
  int64_t arrived = 0, left = 0, wanted = 0;
  Knowledge gathered;
};

/// A barrier that agents wait at until all are there.
class MeetingBarrier {
public:
  explicit MeetingBarrier(Line line) : line(line) {}

  /// `threads` of `wanted` threads arrive. True if that was all.
  bool arrive(const Knowledge &who, int64_t threads, int64_t wanted,
              Complaints complain);
  /// Threads that are wanted, but will never come. True if that was all.
  bool leave(int64_t threads);
  /// What everybody knows who was at the last meeting.
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
