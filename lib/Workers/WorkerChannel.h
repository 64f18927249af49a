//===- WorkerChannel.h - The worker's end of the conversation ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker reads frames (hone/Workers/Protocol.h) from its standard input and
// answers on what was its standard output. Whatever else prints there from then
// on comes out on standard error, where it can break no frame.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_WORKERCHANNEL_H
#define HONE_WORKERS_WORKERCHANNEL_H

#include "hone/Workers/Protocol.h"

namespace hone {

class WorkerChannel {
public:
  /// Takes standard output.
  WorkerChannel();
  /// Waits for a message; nothing once nobody talks any more.
  llvm::Expected<std::optional<llvm::json::Value>> receive();
  /// Ends the process where nobody listens any more.
  void send(const llvm::json::Value &message);
  /// Bytes that are no frame, to see what becomes of them.
  void sendGarbage();

private:
  void write(llvm::StringRef bytes);
  int out;
  protocol::FrameReader reader;
};

/// Does what is planned and ends or never returns: crash, kill, hang, memory.
/// Returns where the plan is another.
void breakDown(llvm::StringRef plan);

} // namespace hone

#endif // HONE_WORKERS_WORKERCHANNEL_H
