//===- Fixtures.h - Fixtures of the tests of the chat -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems, and an endpoint whose replies a test defines.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_CHAT_FIXTURES_H
#define HONE_TEST_CHAT_FIXTURES_H

#include "../Search/Fixtures.h"
#include "../Toy.h"
#include "hone/Chat/Chat.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <mutex>

namespace hone::test {

inline Schedule scheduleOf(llvm::StringRef text) {
  return llvm::cantFail(parseSchedule(text));
}

/// The body of a good reply.
inline std::string replyWith(llvm::StringRef content,
                             int64_t questionTokens = 0,
                             int64_t answerTokens = 0) {
  llvm::json::Object usage{{"prompt_tokens", questionTokens},
                           {"completion_tokens", answerTokens}};
  llvm::json::Object message{{"role", "assistant"}, {"content", content}};
  llvm::json::Object choice{{"message", std::move(message)},
                            {"finish_reason", "stop"}};
  llvm::json::Object reply{{"choices", llvm::json::Array{std::move(choice)}},
                           {"usage", std::move(usage)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(reply)));
}

inline HttpReply answeredWith(std::string body, long status = 200) {
  HttpReply reply;
  reply.ending = HttpReply::answered;
  reply.status = status;
  reply.contentType = "application/json";
  reply.body = std::move(body);
  return reply;
}

/// Gives a test's answers, and checks that each keeps to its form, unless the
/// test turns that off.
class FakeEndpoint {
public:
  /// The question, as JSON.
  using Answerer = std::function<HttpReply(const llvm::json::Object &)>;

  explicit FakeEndpoint(Answerer answer) : answer(std::move(answer)) {}

  std::function<HttpReply(const HttpRequest &)> post() {
    return [this](const HttpRequest &request) {
      std::lock_guard<std::mutex> lock(mutex);
      llvm::json::Value body = llvm::cantFail(llvm::json::parse(request.body));
      const llvm::json::Object &asked = *body.getAsObject();
      bodies.push_back(request.body);
      headers.push_back(request.key.isEmpty() ? "" : request.key.header());
      if (provesForm && isProbe(asked))
        return answeredWith(replyWith("{\"probe\":\"42\"}"));
      return answer(asked);
    };
  }
  static bool isProbe(const llvm::json::Object &asked) {
    return textOf(asked).contains("Greet the world");
  }
  static llvm::StringRef textOf(const llvm::json::Object &asked) {
    return *(*asked.getArray("messages"))[1].getAsObject()->getString(
        "content");
  }

  bool provesForm = true;
  std::vector<std::string> bodies, headers;

private:
  Answerer answer;
  std::mutex mutex;
};

} // namespace hone::test

#endif // HONE_TEST_CHAT_FIXTURES_H
