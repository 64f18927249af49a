//===- DeviceWorker.h - Owner of the worker of one device -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the worker of one device alive, tracks its loaded kernels, and finds
// the schedule that caused a breakdown.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_DEVICEWORKER_H
#define HONE_WORKERS_DEVICEWORKER_H

#include "hone/Workers/Workers.h"
#include <set>

namespace hone {

/// The work for a device: some of a question's schedules.
struct DeviceTask {
  protocol::Measure message;
  std::vector<const protocol::Kernel *> kernels; ///< by entrant
};

/// The outcome: all schedules measured, or one culprit.
struct DeviceOutcome {
  int64_t number = 0; ///< 0: the worker broke down while idle
  std::optional<protocol::Measured> measured;
  Status status = Status::fault; ///< of the culprit
  std::string why;
  /// The schedule that was running; none: it broke down before the first.
  std::optional<size_t> culprit;
};

class DeviceWorker {
public:
  DeviceWorker(std::string name, const WorkerOptions &options,
               WorkerTotals &totals)
      : name(std::move(name)), options(options), totals(totals) {}

  /// Starts the worker and waits for its description of the device.
  llvm::Error open();
  const protocol::Opened &facts() const { return opened; }
  const std::string &getName() const { return name; }

  bool isIdle() const { return !task; }
  /// The problem whose data it has.
  const std::string &problem() const { return atHand; }
  void give(DeviceTask next);
  /// Processes received messages. Fails if the device cannot be opened again.
  llvm::Expected<std::optional<DeviceOutcome>> turn();
  WorkerProcess *getProcess() const { return process.get(); }

private:
  llvm::Error receiveOpened(bool &hasEnded);
  llvm::Error openOnce(bool &hasEnded);
  DeviceOutcome blame(Status status, std::string why);
  /// Processes one message; returns the outcome if it ended the task.
  std::optional<DeviceOutcome> receive(const llvm::json::Value &message);
  std::optional<DeviceOutcome>
  receiveMeasured(const llvm::json::Value &message);
  void receiveBegan(const llvm::json::Value &message);
  /// The outcome if the worker exceeded its time; otherwise none.
  std::optional<DeviceOutcome> overdue();
  llvm::Expected<std::optional<DeviceOutcome>> restart(DeviceOutcome outcome);

  std::string name;
  const WorkerOptions &options;
  WorkerTotals &totals;
  std::unique_ptr<WorkerProcess> process;
  protocol::Opened opened;
  std::set<std::string> loaded; ///< keys of kernels
  std::optional<DeviceTask> task;
  std::optional<size_t> current; ///< the schedule that is running
  size_t steps = 0;              ///< number of such reports in this task
  std::string atHand;
};

} // namespace hone

#endif // HONE_WORKERS_DEVICEWORKER_H
