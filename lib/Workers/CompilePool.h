//===- CompilePool.h - Pool of compiler processes ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool compiles each requested kernel once, in workers started on demand,
// and keeps the result.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_COMPILEPOOL_H
#define HONE_WORKERS_COMPILEPOOL_H

#include "hone/Matmul/MatmulKernel.h"
#include "hone/Workers/Workers.h"
#include <deque>

namespace hone {

/// A requested kernel.
struct KernelEntry {
  enum class State { waiting, ready, failed };
  State state = State::waiting;
  protocol::Kernel kernel;
  Measurement failure; ///< set if state is failed
  double seconds = 0;  ///< of compiling; taken by the first user
  int users = 0;       ///< pending questions that need it
  unsigned breakdowns = 0;
};

class CompilePool {
public:
  CompilePool(const WorkerOptions &options, WorkerTotals &totals);

  /// Sets the target; with a ptxas of `cuda`, the driver's version, kernels are
  /// machine code.
  void setTarget(const Arch &arch, int64_t cuda);
  /// Returns the state of a request; the first call puts it in the queue. The
  /// user calls `release` afterwards.
  KernelEntry &acquire(const KernelRequest &request, const std::string &key);
  void release(const std::string &key);
  KernelEntry &entry(const std::string &key) { return kernels.at(key); }
  /// Null if it was never requested.
  const KernelEntry *find(const std::string &key) const {
    auto found = kernels.find(key);
    return found == kernels.end() ? nullptr : &found->second;
  }
  /// Records that the kernel broke down a device's worker.
  void blame(const std::string &key, Status status, const std::string &why);

  /// Takes finished results and, unless the compilers rest, hands out jobs.
  llvm::Error turn(bool rests);
  bool isBusy() const;
  bool hasQueue() const { return !queue.empty(); }
  /// Takes turns until every requested kernel is finished; calls `report` for
  /// each.
  llvm::Error finish(llvm::function_ref<void()> report);
  /// Adds the processes to wait for.
  void addTo(std::vector<WorkerProcess *> &processes) const;
  size_t jobs() const { return limit; }

private:
  struct Job {
    int64_t number;
    std::string key;
    KernelRequest request;
  };
  struct Compiler {
    std::unique_ptr<WorkerProcess> process;
    std::optional<Job> job;
  };
  llvm::Error handOut();
  /// Returns true if the compiler must leave the pool.
  bool receive(Compiler &compiler);
  bool isOver(Compiler &compiler);
  void lose(Compiler &compiler, Status status, const std::string &why);
  void finish(Compiler &compiler, protocol::Compiled result);
  void forgetOldKernels();
  /// Number of queued and running jobs.
  size_t open() const;

  const WorkerOptions &options;
  WorkerTotals &totals;
  size_t limit;
  std::string arch;
  bool assembles = false;
  int64_t count = 0; ///< jobs so far
  size_t bytes = 0;  ///< of all kernels
  std::map<std::string, KernelEntry> kernels;
  std::deque<std::string> idle; ///< without users, the oldest first
  std::deque<Job> queue;
  std::vector<Compiler> compilers;
};

} // namespace hone

#endif // HONE_WORKERS_COMPILEPOOL_H
