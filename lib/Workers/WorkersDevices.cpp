//===- WorkersDevices.cpp - Distribution of questions to devices ----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands ready questions to devices, and assigns each outcome, an answer or the
// end of a process, to its question and kernels.
//
//===----------------------------------------------------------------------===//

#include "WorkersImpl.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

void Workers::Impl::give(Pending &pending, DeviceWorker &device) {
  DeviceTask task;
  task.message.number = pending.question.number;
  task.message.problem = pending.question.problem;
  task.message.best = pending.question.best;
  if (pending.question.isFinal) {
    int64_t rounds = pending.question.rounds;
    task.message.rounds = rounds ? rounds : options.rounds;
    task.message.maxRounds = rounds ? rounds : options.rounds * options.stretch;
    task.message.protocol = pending.question.protocol;
  }
  pending.asked.clear();
  for (auto [i, entrant] : llvm::enumerate(pending.question.entrants)) {
    if (pending.results[i])
      continue;
    pending.asked.push_back(i);
    task.message.entrants.push_back(
        {entrant, pending.keys[i], pending.inject[i]});
    task.kernels.push_back(pending.keys[i].empty()
                               ? nullptr
                               : &pool.entry(pending.keys[i]).kernel);
  }
  pending.device = &device;
  device.give(std::move(task));
}

/// Compilers run until two kernels each are ready or none is left to compile;
/// they rest until all of these are measured. On the host both would share
/// cores, caches and clock, which would distort the times.
void Workers::Impl::takeTurns() {
  if (!arch.isHost())
    return;
  size_t ready = llvm::count_if(
      questions, [](const Pending &each) { return each.isReady(); });
  bool isMeasuring = llvm::any_of(
      devices, [](const auto &device) { return !device->isIdle(); });
  if (isMeasuring)
    return;
  compilersRest =
      ready >= (compilersRest || !pool.hasQueue() ? 1 : 2 * pool.jobs());
}

/// Gives ready questions to idle devices, first those of the problem whose data
/// they have.
void Workers::Impl::handOut() {
  takeTurns();
  if (arch.isHost() && (!compilersRest || pool.isBusy()))
    return;
  for (auto &device : devices) {
    if (!device->isIdle())
      continue;
    Pending *chosen = nullptr;
    for (Pending &pending : questions) {
      if (!pending.isReady())
        continue;
      bool isAtHand = pending.problem == device->problem();
      if (!chosen || isAtHand)
        chosen = &pending;
      if (isAtHand)
        break;
    }
    if (chosen)
      give(*chosen, *device);
  }
}

void Workers::Impl::takeResults(Pending &pending, protocol::Measured measured) {
  constexpr double kMuch = 0.03;
  for (auto [at, i] : llvm::enumerate(pending.asked)) {
    pending.results[i] = measured.results[at];
    if (pending.question.isFinal)
      pending.rounds[i] = measured.rounds[at];
  }
  pending.seconds += measured.seconds;
  if (!measured.heldBack.empty() && options.note)
    options.note(formatv("{0}: the chip was held back by {1}", pending.problem,
                         measured.heldBack));
  if (pending.question.isFinal && std::abs(measured.drift) > kMuch &&
      options.note)
    options.note(formatv("{0}: the first finalist took {1:F1} % {2} at the end "
                         "of the final than at its start",
                         pending.problem, 100 * std::abs(measured.drift),
                         measured.drift > 0 ? "longer" : "less"));
}

void Workers::Impl::blame(Pending &pending, const DeviceOutcome &outcome) {
  constexpr int kMaxStarts = 2;
  if (outcome.culprit && *outcome.culprit < pending.asked.size()) {
    size_t i = pending.asked[*outcome.culprit];
    pending.results[i] = failed(outcome.status, outcome.why);
    if (!pending.keys[i].empty())
      pool.blame(pending.keys[i], outcome.status, outcome.why);
    return; // the others are measured in another attempt
  }
  if (++pending.failedStarts < kMaxStarts)
    return;
  for (size_t i : pending.asked)
    pending.results[i] =
        failed(outcome.status, "before the first candidate: " + outcome.why);
}

void Workers::Impl::receive(Pending &pending, DeviceOutcome outcome) {
  pending.device = nullptr;
  if (outcome.measured)
    takeResults(pending, std::move(*outcome.measured));
  else
    blame(pending, outcome);
}

Error Workers::Impl::receiveDevices() {
  for (size_t at = 0; at < devices.size(); ++at) {
    auto outcome = devices[at]->turn();
    if (!outcome) {
      // The other devices continue without it, if there are any.
      if (devices.size() == 1 || !options.note)
        return outcome.takeError();
      options.note(llvm::toString(outcome.takeError()));
      for (Pending &pending : questions)
        if (pending.device == devices[at].get())
          pending.device = nullptr;
      devices.erase(devices.begin() + at--);
      continue;
    }
    if (!*outcome)
      continue;
    for (Pending &pending : questions)
      if (int64_t(pending.question.number) == (*outcome)->number &&
          pending.device == devices[at].get()) {
        receive(pending, std::move(**outcome));
        break;
      }
  }
  return Error::success();
}
