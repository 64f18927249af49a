//===- WorkerProcess.h - A process that may crash ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that may crash, hang or exhaust the machine's memory runs in another
// program. It is started, not forked: the tuner may be a pass in a process with
// many threads, or in one that has the CUDA driver open, and neither survives a
// fork.
//
//   auto worker = WorkerProcess::start({"hone", "worker", "compile"});
//   worker->send(toJson(job));
//   WorkerProcess::waitForAny({&*worker}, /*seconds=*/1);
//   while (auto message = worker->next()) ...
//   if (worker->hasEnded())
//     std::string why = worker->wait();   // "Segmentation fault; <last words>"
//
// Only `waitForAny` and `wait` block: messages to a busy worker are buffered. A
// worker dies with the tuner, even if the tuner is killed. A signal from the
// terminal reaches only the tuner, which decides whether its workers end.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_WORKERPROCESS_H
#define HONE_WORKERS_WORKERPROCESS_H

#include "hone/Workers/Protocol.h"
#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <memory>

namespace hone {

class WorkerProcess {
public:
  /// Starts a program; `command` begins with its path.
  static llvm::Expected<std::unique_ptr<WorkerProcess>>
  start(llvm::ArrayRef<std::string> command);
  /// Kills it if it is still running.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;

  /// Sends as much as possible now, and the rest from `waitForAny`.
  void send(const llvm::json::Value &message);
  /// The next message; nothing if none has arrived; an error if the input is
  /// not a message.
  llvm::Expected<std::optional<llvm::json::Value>> next();
  /// True once it has closed its end and all its output was read.
  bool hasEnded() const { return ended; }

  void kill();
  /// Waits for the end, and returns its cause and the last words on standard
  /// error. A process inside a driver that has lost its GPU may take long to
  /// die; after some seconds it is abandoned.
  std::string wait();

  /// Seconds since its last output.
  double silence() const;
  /// Seconds since its last task, regardless of its output.
  double waited() const;
  /// Restarts both clocks.
  void expectSomething() { lastReceived = expected = Clock::now(); }
  /// Memory it has in use; 0 if unknown.
  int64_t residentBytes() const;
  int id() const { return process; }

  /// Waits until one of them has output or has ended, but at most `seconds`.
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
  Clock::time_point lastReceived = Clock::now(), expected = lastReceived;
};

} // namespace hone

#endif // HONE_WORKERS_WORKERPROCESS_H
