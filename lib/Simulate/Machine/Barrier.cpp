//===- Barrier.cpp - Barriers and their rules -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting, and the exchange of knowledge at a barrier; see Barrier.h.
//
//===----------------------------------------------------------------------===//

#include "Barrier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// PhaseBarrier
//===----------------------------------------------------------------------===//

void PhaseBarrier::checkArrival(const Knowledge &who, const char *what,
                                Complaints complain) {
  if (!who.past.includes(start))
    return complain(
        Fault::barrier,
        formatv("{0} at a barrier whose start is not certain to be past; "
                "expected a barrier after kernel.barriers.init",
                what),
        -1);
  if (who.past.at(line) < phase)
    complain(Fault::phase,
             formatv("{0} in phase {1}, but phase {2} is not certain to be "
                     "over: it could count for that",
                     what, phase, phase - 1),
             -1);
}

bool PhaseBarrier::arrive(const Knowledge &who, int64_t bytes,
                          Complaints complain) {
  checkArrival(who, "arrives", complain);
  --missing;
  announced += bytes;
  gathered.join(who);
  return endPhase(complain);
}

bool PhaseBarrier::arriveFromAfar(const Knowledge &who, Complaints complain) {
  checkArrival(who, "arrives", complain);
  --missing;
  gathered.past.join(who.past);
  return endPhase(complain);
}

bool PhaseBarrier::land(const Knowledge &who, int64_t bytes,
                        Complaints complain) {
  checkArrival(who, "bytes land", complain);
  landed += bytes;
  // They arrive after all events that led to the load.
  gathered.past.join(who.past);
  return endPhase(complain);
}

bool PhaseBarrier::endPhase(Complaints complain) {
  if (missing)
    return false;
  if (landed > announced)
    complain(Fault::count,
             formatv("{0} bytes land in phase {1}, but {2} are announced: it "
                     "never ends",
                     landed, phase, announced),
             -1);
  if (landed != announced)
    return false;
  for (const Waiter &waiter : waiters)
    if (!gathered.past.includes(waiter.passed) &&
        !gathered.past.includes(waiter.product))
      complain(Fault::phase,
               formatv("phase {0} ends, but a wait for phase {1} is not "
                       "certain to be over: it could take one for the other",
                       phase, phase - 1),
               waiter.event);
  waiters.clear();
  std::swap(last, gathered);
  last.learn(end());
  gathered.clear();
  ++phase;
  missing = arrivals;
  announced = landed = 0;
  return true;
}

void PhaseBarrier::checkWait(const Knowledge &who, int64_t parity,
                             Complaints complain) {
  if (!who.past.includes(start))
    return complain(Fault::barrier,
                    "waits at a barrier whose start is not certain to be past; "
                    "expected a barrier after kernel.barriers.init",
                    -1);
  int64_t meant = meantBy(parity);
  if (int64_t(who.past.at(line)) < meant)
    complain(Fault::phase,
             formatv("waits for phase {0}, but phase {1} is not certain to be "
                     "over: it could go on before that",
                     meant, meant - 1),
             -1);
}

void PhaseBarrier::pass(Knowledge &who, Epoch passed, Epoch product,
                        int event) {
  who.join(last);
  waiters.push_back({passed, product, event});
}

//===----------------------------------------------------------------------===//
// MeetingBarrier
//===----------------------------------------------------------------------===//

bool MeetingBarrier::arrive(const Knowledge &who, int64_t threads,
                            int64_t wanted, Complaints complain) {
  if (who.past.at(line) < met)
    complain(Fault::phase,
             "arrives at a barrier whose last meeting is not certain to be "
             "over: it could take part in that",
             -1);
  if (present && wanted != expected)
    complain(
        Fault::count,
        formatv("a barrier of {0} threads is met by threads that expect {1}",
                expected, wanted),
        -1);
  expected = wanted;
  present += threads;
  gathered.join(who);
  return meetIfComplete();
}

bool MeetingBarrier::leave(int64_t threads) {
  gone += threads;
  return present && meetIfComplete();
}

bool MeetingBarrier::meetIfComplete() {
  if (present + gone < expected)
    return false;
  ++met;
  std::swap(last, gathered);
  last.learn({line, uint32_t(met)});
  gathered.clear();
  present = 0;
  return true;
}

//===----------------------------------------------------------------------===//
// CounterBarrier
//===----------------------------------------------------------------------===//

void CounterBarrier::arrive(const Knowledge &who, Complaints complain) {
  if (wanted && arrived >= wanted)
    complain(
        Fault::count,
        formatv("counts when {0} already have, for which others wait", arrived),
        -1);
  ++arrived;
  gathered.join(who);
}

bool CounterBarrier::await(Knowledge &who, int64_t count, Complaints complain) {
  if (wanted && wanted != count)
    complain(Fault::count,
             formatv("waits for {0} to count, but others wait for {1}", count,
                     wanted),
             -1);
  wanted = count;
  if (arrived < count)
    return false;
  if (arrived > count)
    complain(Fault::count,
             formatv("waits for {0} to count, but {1} do: it may not wait for "
                     "the right ones",
                     count, arrived),
             -1);
  who.join(gathered);
  who.learn({line, uint32_t(count)});
  return true;
}

void CounterBarrier::leave(const Knowledge &who, int64_t count,
                           Complaints complain) {
  ++left;
  if (int64_t(who.past.at(line)) < count)
    complain(Fault::phase,
             formatv("leaves a counter, but it is not certain that {0} have "
                     "counted: it could count for one of them",
                     count),
             -1);
  if (count != wanted || arrived < count || left > count)
    complain(Fault::count,
             formatv("leaves a counter of {0} as number {1} when {2} have "
                     "counted and {3} are waited for",
                     count, left, arrived, wanted),
             -1);
}

std::string CounterBarrier::leftover() const {
  if (arrived == left && (!wanted || arrived == wanted))
    return "";
  return formatv("{0} count and {1} leave: the counter is not clear for the "
                 "next kernel",
                 arrived, left);
}
