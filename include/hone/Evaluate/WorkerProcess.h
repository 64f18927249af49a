//===- WorkerProcess.h - A program that may break down ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may crash, hang or eat the machine's memory is done by another program.
// It is started, not forked off: the tuner may be a pass in a process with many
// threads, or one that has the CUDA driver open, and neither survives a fork.
//
//   auto worker = WorkerProcess::start({"hone", "worker", "compile"});
//   worker->send(toJson(job));
//   WorkerProcess::waitForAny({&*worker}, /*seconds=*/1);
//   while (auto message = worker->next()) ...
//   if (worker->hasEnded())
//     std::string why = worker->wait();   // "Segmentation fault; <last words>"
//
// Nothing here blocks but `waitForAny` and `wait`: what a busy worker does not
// read yet is kept. A worker dies with the tuner, also when that is killed; and
// a signal from the terminal reaches the tuner alone, which then decides.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_WORKERPROCESS_H
#define HONE_EVALUATE_WORKERPROCESS_H

#include "hone/Evaluate/Protocol.h"
#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <memory>

namespace hone {

class WorkerProcess {
public:
  /// Starts a program; the first of `command` is its path.
  static llvm::Expected<std::unique_ptr<WorkerProcess>>
  start(llvm::ArrayRef<std::string> command);
  /// Kills it, if it still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;

  /// Sends as much as goes now, and the rest from `waitForAny`.
  void send(const llvm::json::Value &message);
  /// The next message that is here; nothing if there is none; an error if what
  /// came is no message.
  llvm::Expected<std::optional<llvm::json::Value>> next();
  /// True once it has closed its end and everything it said was taken.
  bool hasEnded() const { return ended; }

  void kill();
  /// Waits for the end, and says how it came about and what it said last on
  /// its standard error. A process inside of a driver that has lost its GPU may
  /// take long to die; after some seconds it is left to itself.
  std::string wait();

  /// Seconds since it last said something.
  double silence() const;
  /// Seconds since something was expected of it, whatever it said meanwhile.
  double waited() const;
  /// From now on.
  void expectSomething() { heard = expected = Clock::now(); }
  /// Memory it has in use; 0 where nobody knows.
  int64_t residentBytes() const;
  int id() const { return process; }

  /// Waits until one of them has said something or ended, at most so long.
  static void waitForAny(llvm::ArrayRef<WorkerProcess *> workers,
                         double seconds);

private:
  using Clock = std::chrono::steady_clock;
  WorkerProcess(int process, int talk, int words)
      : process(process), talk(talk), words(words) {}
  void receive();
  void receiveWords();
  void flush();

  int process;
  int talk;  ///< a socket: its standard input and output
  int words; ///< its standard error
  bool ended = false, hasWords = true;
  std::string outgoing, lastWords;
  protocol::FrameReader incoming;
  Clock::time_point heard = Clock::now(), expected = heard;
};

} // namespace hone

#endif // HONE_EVALUATE_WORKERPROCESS_H
