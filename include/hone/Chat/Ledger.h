//===- Ledger.h - Limits and costs of questions -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before a request is sent, its maximum cost is set aside; afterwards its
// actual cost is recorded and the rest is free again. So no cap is ever
// exceeded, regardless of the number of requests under way: a request that
// would exceed a cap waits for those, and is refused if there are none. The
// number of a question's tokens is only an estimate at that time.
//
// | outcome of a request                | charge                              |
// |-------------------------------------|-------------------------------------|
// | an answer with its token counts     | these                               |
// | an answer without them              | an estimate from its length         |
// | an error of the server              | the call and its time               |
// | nothing, or half an answer          | all that was set aside: the server  |
// |                                     | may charge for a lost answer        |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_LEDGER_H
#define HONE_CHAT_LEDGER_H

#include "llvm/Support/Error.h"
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace hone {

struct ChatLimits {
  int64_t calls = 64;
  int64_t tokens = 500000; ///< of questions and answers
  double seconds = 900;    ///< of all calls together
  double dollars = 0;      ///< 0: not counted
  /// Dollars for a million tokens.
  double questionPrice = 0, answerPrice = 0;
};

struct ChatCost {
  int64_t calls = 0, questionTokens = 0, answerTokens = 0;
  double seconds = 0, dollars = 0;

  int64_t tokens() const { return questionTokens + answerTokens; }
  ChatCost &operator+=(const ChatCost &other);
  ChatCost &operator-=(const ChatCost &other);
  /// "3 calls, 8123 tokens, 12.3 s, $0.012"
  std::string str() const;
};

/// Estimated tokens of a text in JSON: one for every three bytes.
int64_t tokensOf(size_t bytes);

class Ledger {
public:
  explicit Ledger(ChatLimits limits) : limits(limits) {}

  /// The max cost of a call. `answerTokens` and `seconds` may be less than
  /// requested.
  struct Allowance {
    int64_t questionTokens = 0, answerTokens = 0;
    double seconds = 0;
  };
  /// Sets an allowance aside; an error names the cap that is reached. Waits
  /// while other calls may free enough, until `isTooLate`.
  llvm::Expected<Allowance> begin(Allowance wanted,
                                  const std::function<bool()> &isTooLate);
  /// Replaces an allowance by its actual cost.
  void end(const Allowance &allowance, const ChatCost &cost);

  ChatCost total() const;
  double dollarsFor(int64_t questionTokens, int64_t answerTokens) const;

private:
  std::optional<Allowance> fit(const Allowance &wanted) const;
  std::string reached(const Allowance &wanted) const;
  ChatCost maxOf(const Allowance &allowance) const;

  const ChatLimits limits;
  mutable std::mutex mutex;
  std::condition_variable freed;
  ChatCost spent, setAside;
};

} // namespace hone

#endif // HONE_CHAT_LEDGER_H
