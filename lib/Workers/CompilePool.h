//===- CompilePool.h - Kernels, from the first mention on -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever needs a kernel names it; the pool compiles each once, in workers that
// are started as they are needed, and remembers what came of it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_COMPILEPOOL_H
#define HONE_WORKERS_COMPILEPOOL_H

#include "hone/Matmul/MatmulKernel.h"
#include "hone/Workers/Workers.h"
#include <deque>

namespace hone {

/// A kernel that somebody has asked for.
struct KernelEntry {
  enum class State { waiting, ready, failed };
  State state = State::waiting;
  protocol::Kernel kernel;
  Measurement failure; ///< where it failed
  double seconds = 0;  ///< of compiling; taken by the first who asks
  int users = 0;       ///< questions that need it
  unsigned breakdowns = 0;
};

class CompilePool {
public:
  CompilePool(const WorkerOptions &options, WorkerTotals &totals);

  /// Which arch to compile for, and whether to assemble here.
  void setTarget(const Arch &arch, bool assembles);
  /// What becomes of a request; the first time it is put in line. The user
  /// gives it back by `release`.
  KernelEntry &acquire(const KernelRequest &request, const std::string &key);
  void release(const std::string &key);
  KernelEntry &entry(const std::string &key) { return kernels.at(key); }
  /// Null where nobody has asked for it.
  const KernelEntry *find(const std::string &key) const {
    auto found = kernels.find(key);
    return found == kernels.end() ? nullptr : &found->second;
  }
  /// It took a device's worker with it.
  void blame(const std::string &key, Status status, const std::string &why);

  /// Takes what has come and, unless the compilers are to rest, hands out jobs.
  llvm::Error turn(bool rests);
  bool isBusy() const;
  bool hasQueue() const { return !queue.empty(); }
  /// Takes turns until everything that was asked for is there; `report` hears
  /// of each.
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
  /// True if the compiler is to be taken from the pool.
  bool hear(Compiler &compiler);
  bool isOver(Compiler &compiler);
  void lose(Compiler &compiler, Status status, const std::string &why);
  void finish(Compiler &compiler, protocol::Compiled result);
  void forgetOldKernels();
  /// Jobs that wait or are under way.
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
