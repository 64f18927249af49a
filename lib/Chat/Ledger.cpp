//===- Ledger.cpp - Cost limits of a chat ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Ledger.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Ledger.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <chrono>
#include <cmath>

using namespace hone;
using llvm::formatv;

/// Fewer tokens are not enough for one schedule.
static constexpr int64_t kMinAnswer = 128;
static constexpr double kMinSeconds = 1;

int64_t hone::tokensOf(size_t bytes) { return int64_t(bytes / 3) + 1; }

std::string ChatCost::str() const {
  std::string text =
      formatv("{0} calls, {1} tokens, {2:f1} s", calls, tokens(), seconds);
  if (dollars > 0)
    text += formatv(", ${0:f4}", dollars);
  return text;
}

static ChatCost &add(ChatCost &sum, const ChatCost &cost, int sign) {
  sum.calls += sign * cost.calls;
  sum.questionTokens += sign * cost.questionTokens;
  sum.answerTokens += sign * cost.answerTokens;
  sum.seconds += sign * cost.seconds;
  sum.dollars += sign * cost.dollars;
  return sum;
}
ChatCost &ChatCost::operator+=(const ChatCost &other) {
  return add(*this, other, 1);
}
ChatCost &ChatCost::operator-=(const ChatCost &other) {
  return add(*this, other, -1);
}

double Ledger::dollarsFor(int64_t questionTokens, int64_t answerTokens) const {
  constexpr double kMillion = 1e6;
  return (double(questionTokens) * limits.questionPrice +
          double(answerTokens) * limits.answerPrice) /
         kMillion;
}

/// The part of `wanted` within the limits, after spent and reserved amounts.
std::optional<Ledger::Allowance> Ledger::fit(const Allowance &wanted) const {
  Allowance result = wanted;
  ChatCost taken = spent;
  taken += setAside;
  if (taken.calls >= limits.calls)
    return std::nullopt;
  result.answerTokens =
      std::min(result.answerTokens,
               limits.tokens - taken.tokens() - wanted.questionTokens);
  result.seconds = std::min(result.seconds, limits.seconds - taken.seconds);
  if (limits.dollars > 0) {
    double left =
        limits.dollars - taken.dollars - dollarsFor(wanted.questionTokens, 0);
    if (left < 0)
      return std::nullopt;
    if (double each = dollarsFor(0, 1); each > 0)
      result.answerTokens = std::min<int64_t>(
          result.answerTokens, std::min(std::floor(left / each), 1e9));
  }
  if (result.answerTokens < std::min(kMinAnswer, wanted.answerTokens) ||
      result.seconds < kMinSeconds)
    return std::nullopt;
  return result;
}

std::string Ledger::reached(const Allowance &wanted) const {
  auto text = [](const char *what, double used, double cap) {
    std::string said;
    llvm::raw_string_ostream(said)
        << "another question may exceed the limit of "
        << llvm::format("%g", cap) << " " << what << "; "
        << llvm::format("%g", used) << " are used";
    return said;
  };
  if (spent.calls >= limits.calls)
    return text("calls", double(spent.calls), double(limits.calls));
  if (limits.seconds - spent.seconds < kMinSeconds)
    return text("seconds", spent.seconds, limits.seconds);
  if (spent.tokens() + wanted.questionTokens + kMinAnswer > limits.tokens)
    return text("tokens", double(spent.tokens()), double(limits.tokens));
  return text("dollars", spent.dollars, limits.dollars);
}

ChatCost Ledger::maxOf(const Allowance &allowance) const {
  return {1, allowance.questionTokens, allowance.answerTokens,
          allowance.seconds,
          dollarsFor(allowance.questionTokens, allowance.answerTokens)};
}

llvm::Expected<Ledger::Allowance>
Ledger::begin(Allowance wanted, const std::function<bool()> &isTooLate) {
  constexpr std::chrono::milliseconds kTick(50);
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (isTooLate())
      return llvm::createStringError(
          "the time ended before this question was sent");
    if (std::optional<Allowance> allowed = fit(wanted)) {
      setAside += maxOf(*allowed);
      return *allowed;
    }
    if (setAside.calls == 0)
      return llvm::createStringError(reached(wanted));
    freed.wait_for(lock, kTick);
  }
}

void Ledger::end(const Allowance &allowance, const ChatCost &cost) {
  std::lock_guard<std::mutex> lock(mutex);
  setAside -= maxOf(allowance);
  spent += cost;
  freed.notify_all();
}

ChatCost Ledger::total() const {
  std::lock_guard<std::mutex> lock(mutex);
  return spent;
}
