//===- WorkerBackend.h - Interface to a measured device ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backend drives one device: it puts a problem's data there, loads an
// entrant, checks its result, and times it. The order of measurements and the
// rules for valid times are the same for all backends (WorkerMeasure.cpp).
//
// | backend   | runs on                                                     |
// |-----------|-------------------------------------------------------------|
// | gpu       | a GPU: precompiled kernels, timed by a graph                |
// | host      | this CPU: kernels linked by the JIT, in thread time         |
// | rehearsal | no device: times of the cost model, with some noise         |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_WORKERBACKEND_H
#define HONE_WORKERS_WORKERBACKEND_H

#include "hone/Measure/Timing.h"
#include "hone/Schedule/Schedule.h"
#include "hone/Workers/Protocol.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// Timing parameters of a final.
struct Turns {
  size_t rounds = 0, maxRounds = 0;
  Protocol protocol = Protocol::device;
  double about = 0; ///< seconds of a launch
};

class WorkerBackend {
public:
  virtual ~WorkerBackend() = default;
  virtual protocol::Opened describe() = 0;

  virtual void addKernel(protocol::Kernel kernel) { (void)kernel; }
  virtual void dropKernel(llvm::StringRef key) { (void)key; }

  /// Sets up the data of a problem, instead of the last one's.
  virtual llvm::Error setProblem(const Problem &problem) = 0;
  /// Loads an entrant; `at` identifies it. For a rival, this times its
  /// algorithms. `best` is the shortest known time, or 0.
  virtual llvm::Error load(size_t at, const protocol::Entered &entered,
                           double best, llvm::function_ref<void()> beat) = 0;
  /// A remark about the entrant, in addition to its time.
  virtual std::string remarkOn(size_t at) {
    (void)at;
    return "";
  }
  /// The assembler's report on the kernel; none if unknown.
  virtual std::optional<protocol::KernelFacts> factsOf(size_t at) {
    (void)at;
    return std::nullopt;
  }
  /// Runs it once, and waits.
  virtual llvm::Error launch(size_t at) = 0;
  /// Runs it and checks the result; all of it if `whole`. The rehearsed faults
  /// `wrong` and `nan` first spoil the result. Returns the largest error, in
  /// units of the tolerance.
  virtual llvm::Expected<double> check(size_t at, bool whole,
                                       llvm::StringRef inject) = 0;

  /// Seconds of a few turns; `best` is the shortest known time, or 0.
  virtual llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) = 0;
  /// Seconds by entrant and round; calls `announce` before each entrant runs.
  virtual llvm::Expected<std::vector<TimedRounds>>
  timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
              llvm::function_ref<void(size_t at)> announce) = 0;
  /// Drops all candidates.
  virtual void clear() = 0;

  virtual double clockMHz() { return 0; }
  virtual std::string heldBackBy() { return ""; }
  /// True if the device can run nothing any more.
  virtual bool isLost() { return false; }
};

llvm::Expected<std::unique_ptr<WorkerBackend>>
openBackend(const protocol::Open &open);
llvm::Expected<std::unique_ptr<WorkerBackend>>
openGpuBackend(int ordinal, int processors, std::string library);
llvm::Expected<std::unique_ptr<WorkerBackend>> openHostBackend();
llvm::Expected<std::unique_ptr<WorkerBackend>>
openRehearsalBackend(llvm::StringRef arch, double noise);

} // namespace hone

#endif // HONE_WORKERS_WORKERBACKEND_H
