//===- Ledger.h - What asking may cost, and what it did ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before a request is sent, the most that it can cost is set aside; afterwards
// what it did cost is written down and the rest is free again. So no cap is
// ever exceeded, however many requests are under way: what would not fit waits
// for those, and is refused where there are none. Of a question's tokens there
// is only an estimate at that time.
//
// | after a request                     | is charged                          |
// |-------------------------------------|-------------------------------------|
// | an answer that says its tokens      | these                               |
// | an answer that does not             | what its length suggests            |
// | an error of the server              | the call and its time               |
// | nothing, or half an answer          | all that was set aside: it may have |
// |                                     | been answered where nobody heard it |
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

/// Of a text, where nobody counted: three bytes each, as JSON has them.
int64_t tokensOf(size_t bytes);

class Ledger {
public:
  explicit Ledger(ChatLimits limits) : limits(limits) {}

  /// The most that a call may cost. `answerTokens` and `seconds` may be fewer
  /// than were asked for.
  struct Allowance {
    int64_t questionTokens = 0, answerTokens = 0;
    double seconds = 0;
  };
  /// Sets aside; an error says which cap is reached. Waits while other calls
  /// may leave enough, until `isTooLate`.
  llvm::Expected<Allowance> begin(Allowance wanted,
                                  const std::function<bool()> &isTooLate);
  /// What became of an allowance.
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
