//===- Endpoint.h - One question, with retries ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a chat that communicates with the server: probes, requests,
// retries, and the ledger. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_ENDPOINT_H
#define HONE_LIB_CHAT_ENDPOINT_H

#include "Relay.h"
#include "Wire.h"
#include "hone/Chat/Chat.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>

namespace hone::detail {

class Endpoint {
public:
  explicit Endpoint(const ChatOptions &options);

  /// By the server, or by the program or folder in its place.
  ChatAnswer ask(const ChatQuestion &question);
  /// Ends all requests, also those made later.
  void cancel() { isCancelled = true; }
  bool isOver() const { return isCancelled; }
  /// The reason why it accepts no more questions; empty if it does.
  std::string whyOut() const;
  ChatCost cost() const { return ledger.total(); }
  /// Messages for the user about the server; each is returned once.
  std::vector<std::string> takeNews();

private:
  using Clock = std::chrono::steady_clock;
  /// The next step after an attempt.
  enum class Next { done, again, lost, out };
  struct Attempt {
    Next next;
    ChatAnswer answer; ///< if done, or the fault
    double pause = 0;  ///< before the next one, seconds
  };

  ChatAnswer askRelay(const ChatQuestion &question);
  /// A fault if the probe failed.
  std::optional<ChatAnswer> probe(Clock::time_point deadline);
  void tellForm();
  ChatAnswer exchange(const ChatQuestion &question, Clock::time_point deadline);
  Attempt attempt(const ChatQuestion &question, const Dialect &used,
                  Clock::time_point deadline, int number);
  HttpReply send(const ChatQuestion &question, const Dialect &used,
                 const Ledger::Allowance &allowed);
  Attempt judge(const HttpReply &reply, int number);
  bool adapt(const HttpReply &reply, const Dialect &used);
  ChatCost costOf(const Attempt &attempt, const HttpReply &reply,
                  const Ledger::Allowance &allowed, double seconds) const;
  double pauseBefore(int number, std::optional<double> retryAfter);
  bool sleepFor(double seconds) const;
  void leave(const std::string &why);
  Dialect dialectNow() const;

  const ChatOptions &options;
  const std::optional<Relay> relay;
  const std::string address;
  Ledger ledger;
  std::atomic<bool> isCancelled = false;

  std::mutex probing; ///< held during a probe
  bool wasProbed = false;

  mutable std::mutex mutex; ///< for the members below
  Dialect dialect;
  std::string out;
  int lostInARow = 0;
  bool wasFormTold = false;
  std::vector<std::string> news;
  std::minstd_rand jitter;
};

} // namespace hone::detail

#endif // HONE_LIB_CHAT_ENDPOINT_H
