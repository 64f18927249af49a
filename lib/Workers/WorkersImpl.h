//===- WorkersImpl.h - State of the process evaluator -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of an evaluator that uses processes. A question waits for its
// kernels (Workers.cpp), then for a device (WorkersDevices.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_WORKERS_WORKERSIMPL_H
#define HONE_LIB_WORKERS_WORKERSIMPL_H

#include "CompilePool.h"
#include "DeviceWorker.h"
#include "hone/Workers/Workers.h"
#include <deque>

namespace hone {

/// An unanswered question.
struct Pending {
  MeasureRequest question;
  std::string problem;           ///< its text
  bool hasKernels = false;       ///< all its kernels are ready
  std::vector<std::string> keys; ///< by entrant; empty: needs no kernel
  std::vector<std::optional<Measurement>> results;
  std::vector<std::vector<double>> rounds;
  std::vector<std::string> inject;
  DeviceWorker *device = nullptr; ///< the device that measures it
  std::vector<size_t> asked;      ///< the entrants given to the device
  int failedStarts = 0;           ///< breakdowns before the first entrant
  double seconds = 0;

  /// True if it has its kernels, and waits for a device.
  bool isReady() const { return hasKernels && !device && !isAnswered(); }
  bool isAnswered() const {
    return llvm::all_of(results, [](const auto &each) { return !!each; });
  }
};

class Workers::Impl {
public:
  explicit Impl(WorkerOptions given)
      : options(std::move(given)), pool(options, totals) {}
  llvm::Error open();

  void ask(MeasureRequest request);
  llvm::Expected<std::optional<Reply>> next(double seconds);
  KernelRequest requestOf(const Problem &problem,
                          const Schedule &schedule) const;

  WorkerOptions options;
  WorkerTotals totals;
  CompilePool pool;
  std::vector<std::unique_ptr<DeviceWorker>> devices;
  Arch arch;
  Toolchain toolchain;

private:
  llvm::Error turn();
  llvm::Error receiveDevices();
  void receive(Pending &pending, DeviceOutcome outcome);
  void takeResults(Pending &pending, protocol::Measured measured);
  void blame(Pending &pending, const DeviceOutcome &outcome);
  /// Fills in the finished kernels.
  void askForKernels(Pending &pending);
  void takeTurns();
  void handOut();
  void give(Pending &pending, DeviceWorker &device);
  void collectAnswers();
  std::optional<std::string> refuses(const Problem &problem,
                                     const Schedule &schedule) const;

  int64_t candidates = 0;     ///< measured or queued so far
  bool compilersRest = false; ///< the timed kernel has the cores
  std::deque<Pending> questions;
  std::deque<Reply> replies;
};

} // namespace hone

#endif // HONE_LIB_WORKERS_WORKERSIMPL_H
