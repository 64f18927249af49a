//===- ChatFixture.h - Fixture of a chat with a fake endpoint ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests of the chat itself: send questions, and check the
// requests.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_CHAT_CHATFIXTURE_H
#define HONE_TEST_CHAT_CHATFIXTURE_H

#include "Fixtures.h"
#include "gtest/gtest.h"

namespace hone::test {

inline constexpr const char *kText = "sk-0123456789abcdefSECRET";

class ChatTest : public testing::Test {
protected:
  ChatTest() {
    options.url = "http://localhost/v1";
    options.model = "model";
    options.key = llvm::cantFail(Key::make(kText));
    options.firstPause = 0.001;
    options.waitSeconds = 5;
  }
  std::unique_ptr<Chat> open() {
    options.post = endpoint.post();
    return llvm::cantFail(Chat::open(options));
  }
  ChatAnswer ask() {
    if (!chat)
      chat = open();
    ChatAnswer answer = chat->ask(question).get();
    for (std::string &remark : chat->takeRemarks())
      remarks.push_back(std::move(remark));
    return answer;
  }
  /// A field of the last request, or of an earlier one.
  llvm::json::Object sent(size_t fromEnd = 0) {
    const std::string &body =
        endpoint.bodies[endpoint.bodies.size() - 1 - fromEnd];
    return *llvm::cantFail(llvm::json::parse(body)).getAsObject();
  }

  HttpReply reply = answeredWith(replyWith("fine", 1000, 50));
  FakeEndpoint endpoint = FakeEndpoint(
      [this](const llvm::json::Object &asked) { return say(asked); });
  /// The endpoint's answer; else `reply`.
  std::function<HttpReply(const llvm::json::Object &)> say =
      [this](const llvm::json::Object &) { return reply; };
  ChatOptions options;
  ChatQuestion question = {
      "you", "what?", "{\"type\":\"object\"}", "root ::= \"x\"", 100, 0.5, 7};
  std::unique_ptr<Chat> chat;
  std::vector<std::string> remarks;
};

} // namespace hone::test

#endif // HONE_TEST_CHAT_CHATFIXTURE_H
