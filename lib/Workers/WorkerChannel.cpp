//===- WorkerChannel.cpp - Worker's side of the message channel -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WorkerChannel.h.
//
//===----------------------------------------------------------------------===//

#include "WorkerChannel.h"
#include <csignal>
#include <unistd.h>
#include <vector>

using namespace hone;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// The channel
//===----------------------------------------------------------------------===//

WorkerChannel::WorkerChannel() : out(dup(STDOUT_FILENO)) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
  // If the tuner has died, the next write fails.
  signal(SIGPIPE, SIG_IGN);
}

void WorkerChannel::write(StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(out, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      _exit(1);
    bytes = bytes.drop_front(count);
  }
}

void WorkerChannel::send(const json::Value &message) {
  write(protocol::frame(message));
}

void WorkerChannel::sendGarbage() {
  write("hone-worker 3 12\n{\"is\":\"beat\"");
}

llvm::Expected<std::optional<json::Value>> WorkerChannel::receive() {
  while (true) {
    auto message = reader.next();
    if (!message || *message)
      return message;
    char buffer[65536];
    ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    reader.feed(StringRef(buffer, count));
  }
}

//===----------------------------------------------------------------------===//
// Rehearsed breakdowns
//===----------------------------------------------------------------------===//

/// Allocates memory until the process is killed.
[[noreturn]] static void eatMemory() {
  constexpr size_t kPiece = size_t(64) << 20;
  constexpr useconds_t kPause = 10000;
  std::vector<std::vector<char>> pieces;
  while (true) {
    pieces.emplace_back(kPiece, char(1));
    usleep(kPause);
  }
}

void hone::breakDown(StringRef plan) {
  // The tuner reports the end of this process, in one line.
  for (int fatal : {SIGSEGV, SIGABRT})
    signal(fatal, SIG_DFL);
  if (plan.ends_with("crash"))
    raise(SIGSEGV);
  if (plan.ends_with("kill"))
    raise(SIGKILL);
  if (plan.ends_with("hang"))
    while (true)
      pause();
  if (plan.ends_with("memory"))
    eatMemory();
}
