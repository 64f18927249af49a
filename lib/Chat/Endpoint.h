//===- Endpoint.h - One question, as often as it takes ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a chat that talks to the server: probes it, asks, asks again, and
// keeps the ledger. Several threads may ask.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_ENDPOINT_H
#define HONE_LIB_CHAT_ENDPOINT_H

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

  ChatAnswer ask(const ChatQuestion &question);
  /// Ends what is under way, and all that is asked from now on.
  void cancel() { isCancelled = true; }
  bool isOver() const { return isCancelled; }
  /// Why it will not be asked again; empty where it will.
  std::string whyOut() const;
  ChatCost cost() const { return ledger.total(); }
  /// What was found out, for people; once.
  std::vector<std::string> takeNews();

private:
  using Clock = std::chrono::steady_clock;
  /// What an attempt leads to.
  enum class Next { done, again, lost, out };
  struct Attempt {
    Next next;
    ChatAnswer answer; ///< where it is done, or why not
    double pause = 0;  ///< before the next one, seconds
  };

  /// A fault where nothing could be found out.
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
  const std::string address;
  Ledger ledger;
  std::atomic<bool> isCancelled = false;

  std::mutex probing; ///< held while it is found out what is understood
  bool wasProbed = false;

  mutable std::mutex mutex; ///< of what follows
  Dialect dialect;
  std::string out;
  int lostInARow = 0;
  bool wasFormTold = false;
  std::vector<std::string> news;
  std::minstd_rand jitter;
};

} // namespace hone::detail

#endif // HONE_LIB_CHAT_ENDPOINT_H
