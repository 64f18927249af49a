//===- DeviceWorker.h - The process that measures on one device -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps one device's worker alive, knows which kernels it has, and says who was
// to blame when it broke down.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_DEVICEWORKER_H
#define HONE_WORKERS_DEVICEWORKER_H

#include "hone/Workers/Workers.h"
#include <set>

namespace hone {

/// What a device is asked to do: some of a question's schedules.
struct DeviceTask {
  protocol::Measure message;
  std::vector<const protocol::Kernel *> kernels; ///< by entrant
};

/// What came of it: all measured, or one of them to blame.
struct DeviceOutcome {
  int64_t number = 0; ///< 0: it was doing nothing when it broke down
  std::optional<protocol::Measured> measured;
  Status status = Status::fault; ///< of who is to blame
  std::string why;
  /// The schedule that was at work; none: it broke down before the first.
  std::optional<size_t> culprit;
};

class DeviceWorker {
public:
  DeviceWorker(std::string name, const WorkerOptions &options,
               WorkerTotals &totals)
      : name(std::move(name)), options(options), totals(totals) {}

  /// Starts it and waits until it says what it is.
  llvm::Error open();
  const protocol::Opened &facts() const { return opened; }
  const std::string &getName() const { return name; }

  bool isIdle() const { return !task; }
  /// The problem it has data for.
  const std::string &problem() const { return atHand; }
  void give(DeviceTask next);
  /// Takes what has come. An error where it can not be opened again.
  llvm::Expected<std::optional<DeviceOutcome>> turn();
  WorkerProcess *getProcess() const { return process.get(); }

private:
  llvm::Error hearOpened(bool &hasEnded);
  llvm::Error openOnce(bool &hasEnded);
  DeviceOutcome blame(Status status, std::string why);
  /// Of one message: what ended the task, if it did.
  std::optional<DeviceOutcome> hear(const llvm::json::Value &message);
  std::optional<DeviceOutcome> hearMeasured(const llvm::json::Value &message);
  void hearBegan(const llvm::json::Value &message);
  /// Why it is to be ended, though it has neither answered nor ended.
  std::optional<DeviceOutcome> overdue();
  llvm::Expected<std::optional<DeviceOutcome>> restart(DeviceOutcome outcome);

  std::string name;
  const WorkerOptions &options;
  WorkerTotals &totals;
  std::unique_ptr<WorkerProcess> process;
  protocol::Opened opened;
  std::set<std::string> loaded; ///< keys of kernels
  std::optional<DeviceTask> task;
  std::optional<size_t> current; ///< the schedule it is at
  size_t steps = 0;              ///< how often it said so, of this task
  std::string atHand;
};

} // namespace hone

#endif // HONE_WORKERS_DEVICEWORKER_H
