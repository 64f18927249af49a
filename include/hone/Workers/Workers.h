//===- Workers.h - An evaluator made of processes ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles on all cores and measures on every device, in separate processes
// that may fail without affecting anything else:
//
//   ask -> its kernels -> compilers (a pool) -> devices (one each) -> next
//
// A kernel is compiled once for all problems and run-time decisions that share
// it, and is kept here, so that a restarted device worker gets it again. A
// device prefers questions about its current problem.
//
// | event                            | outcome                                |
// |----------------------------------|----------------------------------------|
// | a compiler crashes, hangs, or    | compile-error or timeout of the        |
// | takes too much memory            | candidate; another takes its place     |
// | a device's worker crashes, is    | fault of its current candidate;        |
// | killed, answers garbage          | a new one is started, gets the kernels |
// | it is silent for too long, or    | timeout of the candidate               |
// | only reports that it is alive    |                                        |
// | a candidate of a final does that | the others are measured without it     |
// | a kernel failed twice, or        | fault without another try, wherever    |
// | hung once                        | it is proposed again                   |
// | no device can be opened          | `next` fails                           |
// | the tuner dies                   | the workers die, too                   |
//
// On the host, compilers and measurements would share cores, caches and clock.
// So they take turns: some kernels are compiled in parallel, then all of them
// are measured while the compilers rest.
//
// Devices: "0", "1", ... are GPUs of this machine; "host" is its CPU;
// "rehearsal:h200" is none: the cost model's times replace measured ones, and
// faults can be planned (FaultPlan), by numbers from 1:
//
//   crash:3,hang:5   the third candidate takes its worker with it, ...
//
// | of a candidate                                  | of a compilation        |
// |-------------------------------------------------|-------------------------|
// | crash, kill, hang, garbage, beat (forever),     | compile-crash,          |
// | memory, error, wrong, nan, fast (faster than    | compile-hang,           |
// | the chip can be)                                | compile-memory          |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_WORKERS_H
#define HONE_WORKERS_WORKERS_H

#include "hone/Matmul/Entrant.h"
#include "hone/Search/Evaluator.h"
#include "hone/Workers/Protocol.h"
#include "hone/Workers/WorkerProcess.h"
#include <functional>
#include <map>
#include <set>

namespace hone {

/// Planned faults.
struct FaultPlan {
  /// For each fault, the numbers of its candidates or compilations.
  std::map<std::string, std::set<int64_t>> planned;

  static llvm::Expected<FaultPlan> parse(llvm::StringRef text);
  /// The fault of the candidate or, with `isCompilation`, the compilation with
  /// this number; empty if there is none.
  std::string at(int64_t number, bool isCompilation) const;
};

/// An error unless `name` is a device, available or not.
llvm::Error checkDevice(llvm::StringRef name);

struct WorkerOptions {
  /// Sets the defaults: searches for the program; devices are the first GPU or,
  /// if a rehearsal is planned, none ("rehearsal:h200").
  static llvm::Expected<WorkerOptions> make(std::string program,
                                            std::vector<std::string> devices,
                                            llvm::StringRef rehearsal);

  std::string program; ///< the tool `hone`
  std::vector<std::string> devices;
  int64_t jobs = 0;     ///< compilers; 0: one for every core
  double patience = 30; ///< seconds that a worker may be silent
  /// A worker may be without progress for this multiple of `patience`, even if
  /// it sends beats: a beat means that it is alive, not that it will finish.
  static constexpr double kMaxPatience = 4;
  int64_t memoryBytes = int64_t(12) << 30; ///< per worker
  int64_t rounds = 9;                      ///< of a final
  /// Finals take up to this many times the rounds while the outcome is
  /// uncertain.
  int64_t stretch = 4;
  std::string arch;    ///< to compile for; empty: that of the devices
  std::string library; ///< libcublasLt, if not the default one
  /// The file in which compilers store proofs (VerdictFile.h); empty: none.
  std::string verdicts;
  /// The text of a whole kernel (hone/Schedule/WholeKernel.h) that a schedule
  /// names; returns an empty text if it is unknown.
  std::function<std::string(llvm::StringRef name)> kernelText;
  FaultPlan faults;
  /// Called with messages for users that no record contains.
  std::function<void(const std::string &)> note;
};

/// Statistics of the workers.
struct WorkerTotals {
  int64_t compiled = 0, measured = 0, respawned = 0;
  double measureSeconds = 0; ///< of all workers together
  protocol::Spent spent;     ///< of these
};

/// A question for the workers, whose entrants may also be libraries.
struct MeasureRequest {
  uint64_t number = 0; ///< from 1; the reply repeats it
  Problem problem;     ///< extents known
  std::vector<Entrant> entrants;
  double best = 0; ///< shortest time so far, seconds; 0: none
  bool isFinal = false;
  Protocol protocol = Protocol::device; ///< of a final
  /// Of a final: the exact number; 0: according to the workers' options.
  int64_t rounds = 0;

  static MeasureRequest of(Question question);
};

class Workers : public Evaluator {
public:
  /// Starts a worker for every device, which reports its arch. All must have
  /// the same arch.
  static llvm::Expected<std::unique_ptr<Workers>> start(WorkerOptions options);
  ~Workers() override;

  void ask(Question question) override {
    ask(MeasureRequest::of(std::move(question)));
  }
  void ask(MeasureRequest request);
  llvm::Expected<std::optional<Reply>> next(double seconds) override;
  size_t maxInFlight() const override;
  /// Threads on which a search's policies may compute in parallel with the
  /// compilers. None if the host is measured, or if faults are planned, because
  /// these are numbered.
  int64_t policyThreads() const;
  const Arch &arch() const override;
  Toolchain toolchain() const override;

  /// Compiles kernels in advance, and waits for them, so that no compiler runs
  /// during timing. `report` is called for each.
  llvm::Error prepare(llvm::ArrayRef<std::pair<Problem, Schedule>> kernels,
                      llvm::function_ref<void()> report);
  /// A compiled kernel; null if there is none.
  const protocol::Kernel *kernelOf(const Problem &problem,
                                   const Schedule &schedule) const;

  /// The first device's description of itself.
  const protocol::Opened &device() const;
  /// Names of the devices, for users.
  std::string describe() const;
  const WorkerTotals &totals() const;

private:
  class Impl;
  explicit Workers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The tool `hone`: this program, if it is `hone`; else the one next to the
/// library or on the PATH.
llvm::Expected<std::string> findWorkerProgram();

} // namespace hone

#endif // HONE_WORKERS_WORKERS_H
