//===- LedgerTest.cpp - Tests of a chat's caps and costs ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Ledger.h"
#include "gtest/gtest.h"
#include <atomic>
#include <thread>
#include <vector>

using namespace hone;

namespace {

bool never() { return false; }

std::string refusal(Ledger &ledger, Ledger::Allowance wanted) {
  auto allowed = ledger.begin(wanted, never);
  return allowed ? "" : llvm::toString(allowed.takeError());
}

ChatLimits limitsOf(int64_t calls, int64_t tokens, double seconds) {
  ChatLimits limits;
  limits.calls = calls;
  limits.tokens = tokens;
  limits.seconds = seconds;
  return limits;
}

TEST(Ledger, CountsWhatWasUsed) {
  Ledger ledger(limitsOf(10, 10000, 100));
  auto allowed = llvm::cantFail(ledger.begin({1000, 2000, 30}, never));
  EXPECT_EQ(allowed.answerTokens, 2000);
  ledger.end(allowed, {1, 900, 100, 2.5, 0});
  EXPECT_EQ(ledger.total().tokens(), 1000);
  EXPECT_EQ(ledger.total().str(), "1 calls, 1000 tokens, 2.5 s");
}

TEST(Ledger, RefusesWhatWouldNotFit) {
  Ledger calls(limitsOf(1, 10000, 100));
  calls.end(llvm::cantFail(calls.begin({1, 200, 1}, never)), {1, 1, 1, 1, 0});
  EXPECT_EQ(refusal(calls, {1, 200, 1}),
            "another question may exceed the limit of 1 calls; 1 are used");
  Ledger tokens(limitsOf(9, 1500, 100));
  EXPECT_EQ(refusal(tokens, {1500, 200, 1}),
            "another question may exceed the limit of 1500 tokens; 0 are used");
  Ledger seconds(limitsOf(9, 10000, 10));
  seconds.end(llvm::cantFail(seconds.begin({1, 200, 9.5}, never)),
              {1, 1, 1, 9.5, 0});
  EXPECT_NE(refusal(seconds, {1, 200, 5}).find("seconds"), std::string::npos);
}

TEST(Ledger, GivesLessWhereLessIsLeft) {
  Ledger ledger(limitsOf(9, 1500, 10));
  auto allowed = llvm::cantFail(ledger.begin({1000, 4000, 60}, never));
  EXPECT_EQ(allowed.answerTokens, 500);
  EXPECT_EQ(allowed.seconds, 10);
}

TEST(Ledger, CountsDollars) {
  ChatLimits limits = limitsOf(9, 1000000, 100);
  limits.dollars = 0.01;
  limits.questionPrice = 1; // a thousand tokens: 0.001
  limits.answerPrice = 4;
  Ledger ledger(limits);
  auto allowed = llvm::cantFail(ledger.begin({2000, 4000, 1}, never));
  EXPECT_EQ(allowed.answerTokens, 2000); // (0.01 - 0.002) / 4e-6
  ledger.end(allowed, {1, 2000, 1500, 1, ledger.dollarsFor(2000, 1500)});
  EXPECT_DOUBLE_EQ(ledger.total().dollars, 0.008);
  EXPECT_NE(refusal(ledger, {2000, 4000, 1}).find("dollars"),
            std::string::npos);
  EXPECT_EQ(ledger.total().str(), "1 calls, 3500 tokens, 1.0 s, $0.0080");
}

/// Holds for any number of concurrent questions, and for any cost of their
/// calls.
TEST(Ledger, NoCapIsEverExceeded) {
  ChatLimits limits = limitsOf(20, 9000, 50);
  limits.dollars = 0.02;
  limits.questionPrice = limits.answerPrice = 3;
  Ledger ledger(limits);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      while (true) {
        auto allowed = ledger.begin({300, 1000, 4}, never);
        if (!allowed)
          return llvm::consumeError(allowed.takeError());
        ++made;
        int64_t used = thread % 2 ? allowed->answerTokens : 10;
        ledger.end(*allowed, {1, 300, used, allowed->seconds,
                              ledger.dollarsFor(300, used)});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  ChatCost total = ledger.total();
  EXPECT_EQ(total.calls, made);
  EXPECT_GT(total.calls, 3);
  EXPECT_LE(total.calls, 20);
  EXPECT_LE(total.tokens(), 9000);
  EXPECT_LE(total.seconds, 50);
  EXPECT_LE(total.dollars, 0.02);
}

TEST(Ledger, WaitsForOthersUntilItIsTooLate) {
  Ledger ledger(limitsOf(1, 10000, 100));
  auto first = llvm::cantFail(ledger.begin({1, 200, 1}, never));
  int asked = 0;
  auto second = ledger.begin({1, 200, 1}, [&] { return ++asked > 3; });
  ASSERT_FALSE(!!second);
  EXPECT_EQ(llvm::toString(second.takeError()),
            "the time ended before this question was sent");
  ledger.end(first, {1, 1, 1, 1, 0});
}

} // namespace
