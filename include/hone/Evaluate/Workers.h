//===- Workers.h - An evaluator of processes --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles on all cores and measures on every device, in programs that may
// break down without anybody else noticing:
//
//   ask -> kernels it needs -> compilers (a pool) -> devices (one each) -> next
//
// A kernel is compiled once, however many problems and run-time knobs meet it,
// and is kept here, so that a device that had to be started again gets it
// again. Questions about the problem a device has at hand go to it first.
//
// | what happens                     | what comes of it                       |
// |----------------------------------|----------------------------------------|
// | a compiler crashes, hangs, or    | compile-error or timeout of what it    |
// | takes too much memory            | was at; another takes its place        |
// | a device's worker crashes, is    | fault of the candidate it was at;      |
// | killed, answers garbage          | another is started, kernels are sent   |
// | it says nothing for too long, or | timeout of the candidate               |
// | only that it is alive            |                                        |
// | a candidate of a final does that | the others are measured without it     |
// | a kernel broke down twice, or    | fault, without another try, wherever   |
// | hung once                        | it is proposed again                   |
// | no device can be opened          | `next` fails                           |
// | the tuner dies                   | so do the workers                      |
//
// On the host compilers and what is timed would share cores, caches and clock.
// There they take turns: some kernels are compiled side by side, then all of
// them are measured while the compilers rest.
//
// Devices: "0", "1", ... are GPUs of this machine; "host" is its CPU;
// "rehearsal:h200" is no device: the cost model's times are taken for measured,
// and what goes wrong can be planned (FaultPlan), by numbers from 1:
//
//   crash:3,hang:5   the third candidate takes its worker with it, ...
//
// | of a candidate                                  | of a compilation        |
// |-------------------------------------------------|-------------------------|
// | crash, kill, hang, garbage, beat (for ever),    | compile-crash,          |
// | memory, error, wrong, nan, fast (faster than    | compile-hang,           |
// | the chip can be)                                | compile-memory          |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_WORKERS_H
#define HONE_EVALUATE_WORKERS_H

#include "hone/Evaluate/Entrant.h"
#include "hone/Evaluate/WorkerProcess.h"
#include "hone/Search/Evaluator.h"
#include <functional>
#include <map>
#include <set>

namespace hone {

/// What is planned to go wrong.
struct FaultPlan {
  /// By what happens: the numbers of those it happens to.
  std::map<std::string, std::set<int64_t>> planned;

  static llvm::Expected<FaultPlan> parse(llvm::StringRef text);
  /// Of the candidate or, with `isCompilation`, the compilation of a number;
  /// empty where all goes well.
  std::string at(int64_t number, bool isCompilation) const;
};

struct WorkerOptions {
  /// Fills in what is not said: the program is looked for; devices are the
  /// first GPU or, where a rehearsal is planned, none ("rehearsal:h200").
  static llvm::Expected<WorkerOptions> make(std::string program,
                                            std::vector<std::string> devices,
                                            llvm::StringRef rehearsal);

  std::string program; ///< the tool `hone`
  std::vector<std::string> devices;
  int64_t jobs = 0;     ///< compilers; 0: one for every core
  double patience = 30; ///< seconds that a worker may say nothing
  /// Times that long may pass without progress, whatever the worker says: a
  /// beat says that it is alive, not that it will ever be done.
  static constexpr double kMostPatience = 4;
  int64_t memoryBytes = int64_t(12) << 30; ///< of one worker
  int64_t rounds = 9;                      ///< of a final
  /// Finals take so many times as many, as long as it is not clear who is slower.
  int64_t stretch = 4;
  std::string arch;    ///< to compile for; empty: what the devices are
  std::string library; ///< libcublasLt, if another than is found
  FaultPlan faults;
  /// Hears what people may want to know and no record says.
  std::function<void(const std::string &)> note;
};

/// What the workers did.
struct WorkerTotals {
  int64_t compiled = 0, measured = 0, respawned = 0;
  double compileSeconds = 0, measureSeconds = 0; ///< of all workers together
};

/// What is asked of workers, where a question of schedules alone will not do.
struct Bout {
  uint64_t number = 0; ///< from 1; the reply has the same
  Problem problem;     ///< extents known
  std::vector<Entrant> entrants;
  double best = 0; ///< shortest time so far, seconds; 0: none
  bool isFinal = false;
  Protocol protocol = Protocol::device; ///< of a final

  static Bout of(Question question);
};

class Workers : public Evaluator {
public:
  /// Starts a worker for every device and asks what it is. All must be of one
  /// arch.
  static llvm::Expected<std::unique_ptr<Workers>> start(WorkerOptions options);
  ~Workers() override;

  void ask(Question question) override { ask(Bout::of(std::move(question))); }
  void ask(Bout bout);
  llvm::Expected<std::optional<Reply>> next(double seconds) override;
  size_t appetite() const override;
  const Arch &arch() const override;
  Toolchain toolchain() const override;

  /// Compiles kernels before anybody asks about them, and waits for them, so
  /// that nothing else goes on while something is timed. `report` hears of each.
  llvm::Error prepare(llvm::ArrayRef<std::pair<Problem, Schedule>> kernels,
                      llvm::function_ref<void()> report);
  /// A kernel that is there; null where there is none.
  const protocol::Kernel *kernelOf(const Problem &problem,
                                   const Schedule &schedule) const;

  /// What the first device says of itself.
  const protocol::Opened &device() const;
  /// Names of the devices, for people.
  std::string describe() const;
  const WorkerTotals &totals() const;

private:
  class Impl;
  explicit Workers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The tool `hone`: this program if it is that, else the one beside the library
/// or on the PATH.
llvm::Expected<std::string> findWorkerProgram();

} // namespace hone

#endif // HONE_EVALUATE_WORKERS_H
