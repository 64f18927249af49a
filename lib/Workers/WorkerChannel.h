//===- WorkerChannel.h - Worker's side of the message channel ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker reads frames (hone/Workers/Protocol.h) from its standard input and
// writes answers to its original standard output. All other output to standard
// output is redirected to standard error, where it cannot corrupt a frame.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_WORKERCHANNEL_H
#define HONE_WORKERS_WORKERCHANNEL_H

#include "hone/Workers/Protocol.h"

namespace hone {

class WorkerChannel {
public:
  /// Takes over standard output.
  WorkerChannel();
  /// Waits for a message; none if the tuner closed the channel.
  llvm::Expected<std::optional<llvm::json::Value>> receive();
  /// Ends the process if the tuner closed the channel.
  void send(const llvm::json::Value &message);
  /// Sends bytes that are not a frame, to test the tuner.
  void sendGarbage();

private:
  void write(llvm::StringRef bytes);
  int out;
  protocol::FrameReader reader;
};

/// Executes a planned fault and does not return: crash, kill, hang, memory.
/// Returns for other plans.
void breakDown(llvm::StringRef plan);

} // namespace hone

#endif // HONE_WORKERS_WORKERCHANNEL_H
