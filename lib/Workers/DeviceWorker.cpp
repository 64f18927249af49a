//===- DeviceWorker.cpp - Owner of the worker of one device ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DeviceWorker.h.
//
//===----------------------------------------------------------------------===//

#include "DeviceWorker.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Starts the worker again if it ended while starting, since another process
/// may have killed it. After three tries the fault counts as permanent.
Error DeviceWorker::open() {
  constexpr int kTries = 3;
  for (int tries = 1;; ++tries) {
    bool hasEnded = false;
    Error error = openOnce(hasEnded);
    if (!error || !hasEnded || tries == kTries)
      return error;
    llvm::consumeError(std::move(error));
    ++totals.respawned;
  }
}

Error DeviceWorker::openOnce(bool &hasEnded) {
  loaded.clear();
  atHand.clear();
  current.reset();
  std::vector<std::string> command = {options.program, "worker", "measure"};
  if (!options.faults.planned.empty())
    command.push_back("--rehearsal");
  if (Error error = WorkerProcess::start(command).moveInto(process))
    return error;
  process->send(protocol::toJson(protocol::Open{name, options.library}));
  return receiveOpened(hasEnded);
}

Error DeviceWorker::receiveOpened(bool &hasEnded) {
  // A driver may take some seconds to start.
  constexpr double kPatience = 60;
  auto because = [&](const std::string &why) {
    return llvm::createStringError(
        formatv("cannot open device {0}: {1}", name, why));
  };
  process->expectSomething();
  while (process->waited() < kPatience) {
    WorkerProcess::waitForAny({process.get()}, /*seconds=*/0.5);
    auto message = process->next();
    if (!message)
      return because(llvm::toString(message.takeError()));
    hasEnded = !*message && process->hasEnded();
    if (hasEnded)
      return because(process->wait());
    if (!*message)
      continue;
    if (auto refused = protocol::read<protocol::Refused>(**message))
      return llvm::createStringError(
          formatv("device {0}: {1}", name, refused->reason));
    else
      llvm::consumeError(refused.takeError());
    auto answer = protocol::read<protocol::Opened>(**message);
    if (!answer)
      return because(llvm::toString(answer.takeError()));
    opened = std::move(*answer);
    return Error::success();
  }
  return because(formatv("nothing within {0:F0} s", kPatience));
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void DeviceWorker::give(DeviceTask next) {
  task = std::move(next);
  current.reset();
  steps = 0;
  atHand = task->message.problem.str();
  process->expectSomething();
  for (const protocol::Kernel *kernel : task->kernels)
    if (kernel && loaded.insert(kernel->key).second)
      process->send(protocol::toJson(*kernel));
  process->send(protocol::toJson(task->message));
  // A worker with too many kernels drops them all: this is rare, and simple.
  constexpr size_t kMaxKernels = 2000;
  if (loaded.size() <= kMaxKernels)
    return;
  std::set<std::string> needed;
  for (const protocol::Entered &each : task->message.entrants)
    needed.insert(each.key);
  for (const std::string &key : loaded)
    if (!needed.count(key))
      process->send(protocol::toJson(protocol::Drop{key}));
  loaded = std::move(needed);
}

DeviceOutcome DeviceWorker::blame(Status status, std::string why) {
  DeviceOutcome outcome;
  outcome.number = task ? task->message.number : 0;
  outcome.status = status;
  outcome.why = std::move(why);
  outcome.culprit = current;
  return outcome;
}

std::optional<DeviceOutcome>
DeviceWorker::receiveMeasured(const json::Value &message) {
  auto measured = protocol::read<protocol::Measured>(message);
  size_t count = task ? task->message.entrants.size() : 0;
  std::string fault;
  if (!measured)
    fault = llvm::toString(measured.takeError());
  else if (!task || measured->number != task->message.number ||
           measured->results.size() != count ||
           (task->message.rounds && measured->rounds.size() != count))
    fault = "it sent an answer without a question";
  if (!fault.empty())
    return blame(Status::fault, "the device's worker reported: " + fault);
  totals.measured += count;
  totals.measureSeconds += measured->seconds;
  totals.spent += measured->spent;
  DeviceOutcome outcome;
  outcome.number = measured->number;
  outcome.measured = std::move(*measured);
  return outcome;
}

/// A report about a schedule is progress; a task has at most as many as its
/// turns allow.
void DeviceWorker::receiveBegan(const json::Value &message) {
  constexpr size_t kOtherSteps = 8; // checks before and after
  auto began = protocol::read<protocol::Began>(message);
  if (!began)
    return llvm::consumeError(began.takeError());
  if (!task || began->number != task->message.number ||
      size_t(began->which) >= task->message.entrants.size())
    return;
  current = began->which;
  size_t max =
      task->message.entrants.size() *
      (size_t(std::max(task->message.rounds, task->message.maxRounds)) +
       kOtherSteps);
  if (++steps <= max)
    process->expectSomething();
}

std::optional<DeviceOutcome> DeviceWorker::receive(const json::Value &message) {
  llvm::StringRef kind = protocol::kindOf(message);
  if (kind == protocol::Beat::kind)
    return std::nullopt;
  if (kind != protocol::Began::kind)
    return receiveMeasured(message);
  receiveBegan(message);
  return std::nullopt;
}

std::optional<DeviceOutcome> DeviceWorker::overdue() {
  double max = WorkerOptions::kMaxPatience * options.patience;
  if (process->silence() > options.patience)
    return blame(Status::timeout,
                 formatv("silent for {0:F0} s", options.patience));
  if (process->waited() > max)
    return blame(Status::timeout,
                 formatv("alive, but without progress for {0:F0} s", max));
  if (process->residentBytes() > options.memoryBytes)
    return blame(Status::fault, formatv("it took more than {0} MiB",
                                        options.memoryBytes >> 20));
  return std::nullopt;
}

/// Starts a new worker without the data of the old one.
llvm::Expected<std::optional<DeviceOutcome>>
DeviceWorker::restart(DeviceOutcome outcome) {
  ++totals.respawned;
  task.reset();
  process.reset(); // ends it, before another one opens the device
  if (Error error = open())
    return std::move(error);
  return std::optional<DeviceOutcome>(std::move(outcome));
}

llvm::Expected<std::optional<DeviceOutcome>> DeviceWorker::turn() {
  // Further messages wait for the next turn, so that other workers get their
  // turns.
  constexpr int kMaxMessages = 1000;
  for (int received = 0; received < kMaxMessages; ++received) {
    auto message = process->next();
    if (!message) {
      std::string why = llvm::toString(message.takeError());
      if (!task)
        return restart({});
      return restart(
          blame(Status::fault, "the device's worker reported: " + why));
    }
    if (!*message)
      break;
    if (std::optional<DeviceOutcome> outcome = receive(**message)) {
      if (!outcome->measured)
        return restart(std::move(*outcome));
      task.reset();
      return outcome;
    }
  }
  if (process->hasEnded()) {
    std::string why = process->wait();
    if (task)
      return restart(blame(Status::fault, "the device's worker ended: " + why));
    // A worker with a lost context reports it in its last answer, and exits.
    if (auto outcome = restart({}); !outcome)
      return outcome.takeError();
    return std::nullopt;
  }
  if (task)
    if (std::optional<DeviceOutcome> outcome = overdue())
      return restart(std::move(*outcome));
  return std::nullopt;
}
