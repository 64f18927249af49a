//===- WorkerBed.h - What a worker measures on ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bed knows one device: how to put a problem's data there, make an entrant
// ready to run, see that its result is right, and time it. What is measured in
// which order, and what counts, is the same for all of them
// (WorkerMeasure.cpp).
//
// | bed       | runs on                                                     |
// |-----------|-------------------------------------------------------------|
// | gpu       | a GPU: kernels that come compiled, a graph's time           |
// | host      | this CPU: compiled here by the JIT, the thread's time       |
// | rehearsal | nothing: what the cost model expects, with some noise       |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_WORKERBED_H
#define HONE_WORKERS_WORKERBED_H

#include "hone/Measure/Timing.h"
#include "hone/Schedule/Schedule.h"
#include "hone/Workers/Protocol.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// How a final is timed.
struct Turns {
  size_t rounds = 0, maxRounds = 0;
  Protocol protocol = Protocol::device;
  double about = 0; ///< seconds of a launch
};

class WorkerBed {
public:
  virtual ~WorkerBed() = default;
  virtual protocol::Opened describe() = 0;

  virtual void addKernel(protocol::Kernel kernel) { (void)kernel; }
  virtual void dropKernel(llvm::StringRef key) { (void)key; }

  /// Data for a problem, in the place of the last one's.
  virtual llvm::Error setProblem(const Problem &problem) = 0;
  /// Makes an entrant ready; `at` is what it is called by. A rival's algorithms
  /// are tried for it; `best` is the shortest time known, or 0.
  virtual llvm::Error load(size_t at, const protocol::Entered &entered,
                           double best, llvm::function_ref<void()> beat) = 0;
  /// What there is to say of it beside its time.
  virtual std::string remarkOn(size_t at) {
    (void)at;
    return "";
  }
  /// What the assembler said of what would run; nothing where nobody knows.
  virtual std::optional<protocol::KernelFacts> factsOf(size_t at) {
    (void)at;
    return std::nullopt;
  }
  /// Runs it once, and waits.
  virtual llvm::Error launch(size_t at) = 0;
  /// Runs it and looks at the result; at all of it where that is `whole`. The
  /// rehearsed faults `wrong` and `nan` spoil the result before.
  virtual llvm::Error check(size_t at, bool whole, llvm::StringRef inject) = 0;

  /// Seconds of a few turns; `best` is the shortest time known, or 0.
  virtual llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) = 0;
  /// Seconds by entrant and round; `announce` hears who is about to run.
  virtual llvm::Expected<std::vector<TimedRounds>>
  timeInTurns(llvm::ArrayRef<size_t> who, const Turns &turns,
              llvm::function_ref<void(size_t at)> announce) = 0;
  /// Forgets all candidates.
  virtual void clear() = 0;

  virtual double clockMHz() { return 0; }
  virtual std::string heldBackBy() { return ""; }
  /// True once nothing will ever run here again.
  virtual bool isLost() { return false; }
};

llvm::Expected<std::unique_ptr<WorkerBed>> openBed(const protocol::Open &open);
llvm::Expected<std::unique_ptr<WorkerBed>>
openGpuBed(int ordinal, int processors, std::string library);
llvm::Expected<std::unique_ptr<WorkerBed>> openHostBed();
llvm::Expected<std::unique_ptr<WorkerBed>>
openRehearsalBed(llvm::StringRef arch, double noise);

} // namespace hone

#endif // HONE_WORKERS_WORKERBED_H
