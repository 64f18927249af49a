//===- ChatTest.cpp - Tests of a language model's endpoint ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of Chat.h with an endpoint that is a function. Real connections are
// tested by test/tools/chat-faults.test.
//
//===----------------------------------------------------------------------===//

#include "ChatFixture.h"
#include <atomic>
#include <thread>

using namespace hone;
using namespace hone::test;
namespace json = llvm::json;

namespace {

//===----------------------------------------------------------------------===//
// Successful requests
//===----------------------------------------------------------------------===//

TEST_F(ChatTest, Asks) {
  ChatAnswer answer = ask();
  EXPECT_EQ(answer.text, "fine");
  EXPECT_TRUE(answer.isOk());
  EXPECT_TRUE(remarks.empty());
  ASSERT_EQ(endpoint.bodies.size(), 2u); // a probe, and the question
  json::Object asked = sent();
  EXPECT_EQ(*asked.getString("model"), "model");
  EXPECT_EQ(*asked.getInteger("max_tokens"), 100);
  EXPECT_EQ(*asked.getInteger("seed"), 7);
  EXPECT_EQ(*asked.getBoolean("stream"), false);
  const json::Object &format = *asked.getObject("response_format");
  EXPECT_EQ(*format.getString("type"), "json_schema");
  EXPECT_EQ(
      *format.getObject("json_schema")->getObject("schema")->getString("type"),
      "object");
  EXPECT_EQ(endpoint.headers.back(),
            std::string("Authorization: Bearer ") + kText);
  ask();
  EXPECT_EQ(endpoint.bodies.size(), 3u); // no second probe
  EXPECT_EQ(chat->cost().calls, 3);
  EXPECT_GT(chat->cost().tokens(), 2 * 1050);
}

TEST_F(ChatTest, AddsThePathOnce) {
  std::string url;
  options.url = "http://localhost/v1/chat/completions/";
  options.post = [&](const HttpRequest &request) {
    url = request.url;
    return reply;
  };
  llvm::cantFail(Chat::open(options))->ask(question).get();
  EXPECT_EQ(url, "http://localhost/v1/chat/completions");
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(ChatTest, AsksAgainWhereItMayHelp) {
  for (long status : {408, 429, 500, 502, 503, 504}) {
    int left = 2;
    say = [&](const json::Object &) {
      return left-- > 0 ? answeredWith("{}", status) : reply;
    };
    EXPECT_EQ(ask().text, "fine") << status;
  }
  for (HttpReply::Ending ending : {HttpReply::unsent, HttpReply::broken}) {
    int left = 3;
    say = [&](const json::Object &) {
      HttpReply none;
      none.ending = ending;
      none.fault = "expected a connection";
      return left-- > 0 ? none : reply;
    };
    EXPECT_EQ(ask().text, "fine");
  }
}

TEST_F(ChatTest, SendsAtMostFourQuestions) {
  ask();
  size_t before = endpoint.bodies.size();
  reply = answeredWith("{\"error\": {\"message\": \"oops\"}}", 503);
  EXPECT_EQ(ask().fault, "expected an answer, but got status 503: oops");
  EXPECT_EQ(endpoint.bodies.size(), before + 4);
}

TEST_F(ChatTest, ObeysALongRetryAfter) {
  ask();
  size_t before = endpoint.bodies.size();
  reply = answeredWith("{}", 429);
  reply.retryAfter = 3600;
  std::string fault = ask().fault;
  EXPECT_NE(fault.find("it asks for a pause of 3600 s"), std::string::npos);
  EXPECT_EQ(endpoint.bodies.size(), before + 1);
}

TEST_F(ChatTest, WaitsAsLongAsAllowed) {
  ask();
  int left = 1;
  say = [&](const json::Object &) {
    HttpReply busy = answeredWith("{}", 429);
    busy.retryAfter = 0.3;
    return left-- > 0 ? busy : reply;
  };
  auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(ask().isOk());
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  EXPECT_GE(passed.count(), 0.3);
}

TEST_F(ChatTest, GivesUpForGood) {
  for (auto [status, word] :
       std::initializer_list<std::pair<long, const char *>>{
           {401, "key"},
           {403, "key"},
           {404, "--llm-model"},
           {307, "redirect"}}) {
    chat.reset();
    reply = answeredWith("{}", status);
    reply.location = "https://thief.example.com/v1?key=1";
    EXPECT_NE(ask().fault.find(word), std::string::npos) << status;
    size_t before = endpoint.bodies.size();
    EXPECT_TRUE(chat->isOut());
    EXPECT_FALSE(ask().isOk());
    EXPECT_EQ(endpoint.bodies.size(), before);
  }
}

TEST_F(ChatTest, GivesUpAfterThreeLost) {
  reply = answeredWith("<html>", 200);
  for (int lost = 1; lost <= 3; ++lost) {
    EXPECT_FALSE(ask().isOk());
    EXPECT_EQ(chat->isOut(), lost == 3);
  }
  size_t before = endpoint.bodies.size();
  EXPECT_NE(ask().fault.find("(3 times)"), std::string::npos);
  EXPECT_EQ(endpoint.bodies.size(), before);
}

TEST_F(ChatTest, IgnoresTextThatIsNotAnAnswer) {
  for (const char *body :
       {"", "null", "[]", "{}", "{\"choices\": []}", "{\"choices\": [3]}",
        "{\"choices\": [{}]}", "{\"choices\": [{\"message\": 3}]}",
        "{\"choices\": [{\"message\": {\"content\": [\"a\"]}}]}",
        "data: {}\n\n", "<html></html>", "\xff\xfe"}) {
    chat.reset();
    reply = answeredWith(body);
    ChatAnswer answer = ask();
    EXPECT_FALSE(answer.isOk()) << body;
    EXPECT_TRUE(answer.text.empty());
  }
}

TEST_F(ChatTest, SaysWhatARefusalSays) {
  reply = answeredWith("{\"error\": {\"message\": \"no such model\"}}");
  EXPECT_EQ(ask().fault,
            "expected an answer, but got status 200: no such model");
  reply = answeredWith(R"({"choices": [{"message":
      {"content": null, "refusal": "I will not."}}]})");
  EXPECT_NE(ask().fault.find("a refusal: I will not."), std::string::npos);
  reply = answeredWith(R"({"choices": [{"message": {"content": ""},
                           "finish_reason": "length"}]})");
  EXPECT_NE(ask().fault.find("--llm-answer"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// The key
//===----------------------------------------------------------------------===//

/// The key, plain and with JSON escapes.
TEST_F(ChatTest, NeverShowsTheKey) {
  std::string spelled;
  for (const char *at = kText; *at; ++at)
    spelled += llvm::formatv("\\u00{0:x-2}", unsigned(*at));
  for (const std::string &key : {std::string(kText), spelled})
    for (long status : {200, 400, 401, 500}) {
      chat.reset();
      reply = answeredWith("{\"error\": {\"message\": \"bad key " + key +
                               "\"}, \"choices\": [{\"message\": "
                               "{\"content\": \"" +
                               key + "\"}}]}",
                           status);
      reply.contentType = key;
      reply.location = "https://" + key + "/";
      ChatAnswer answer = ask();
      EXPECT_NE((answer.text + answer.fault).find("[key]"), std::string::npos);
      remarks.push_back(answer.text + answer.fault);
    }
  for (const std::string &said : remarks)
    EXPECT_EQ(said.find("SECRET"), std::string::npos) << said;
}

//===----------------------------------------------------------------------===//
// Caps, time, threads
//===----------------------------------------------------------------------===//

TEST_F(ChatTest, KeepsToItsCaps) {
  options.limits.calls = 3;
  for (int number = 0; number < 2; ++number)
    EXPECT_TRUE(ask().isOk());
  EXPECT_EQ(ask().fault,
            "another question may exceed the limit of 3 calls; 3 are used");
  EXPECT_TRUE(chat->isOut());
  EXPECT_EQ(endpoint.bodies.size(), 3u);
}

TEST_F(ChatTest, ChargesForLostAnswers) {
  options.limits.answerPrice = 1000000;
  ask();
  double before = chat->cost().dollars;
  int left = 1;
  say = [&](const json::Object &) {
    HttpReply none;
    none.ending = HttpReply::broken;
    return left-- > 0 ? none : reply;
  };
  ask();
  EXPECT_DOUBLE_EQ(chat->cost().dollars - before, 100 + 50);
}

TEST_F(ChatTest, IgnoresImplausibleCounts) {
  reply = answeredWith(replyWith("fine", -1000, -1000));
  ask();
  EXPECT_GT(chat->cost().tokens(), 0);
  reply = answeredWith(replyWith("fine", INT64_MAX, INT64_MAX));
  ask();
  EXPECT_GT(chat->cost().tokens(), 0);
  EXPECT_NE(ask().fault.find("tokens"), std::string::npos);
}

TEST_F(ChatTest, EndsWhatIsUnderWay) {
  std::atomic<bool> isAsked = false;
  options.post = [&](const HttpRequest &request) {
    isAsked = true;
    while (!request.isCancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    HttpReply none;
    none.ending = HttpReply::broken;
    return none;
  };
  options.waitSeconds = 3600;
  chat = llvm::cantFail(Chat::open(options));
  std::vector<std::shared_future<ChatAnswer>> answers;
  for (int number = 0; number < 20; ++number)
    answers.push_back(chat->ask(question));
  while (!isAsked)
    std::this_thread::yield();
  // A request may be billed although its answer is not read.
  chat->finish();
  EXPECT_GT(chat->cost().calls, 0);
  EXPECT_GT(chat->cost().tokens(), 0);
  EXPECT_FALSE(chat->ask(question).get().isOk());
  for (auto &answer : answers)
    EXPECT_FALSE(answer.get().isOk());
}

TEST_F(ChatTest, AnswersManyAtOnce) {
  chat = open();
  std::vector<std::shared_future<ChatAnswer>> answers;
  for (int number = 0; number < 40; ++number)
    answers.push_back(chat->ask(question));
  for (auto &answer : answers)
    EXPECT_EQ(answer.get().text, "fine");
  EXPECT_EQ(endpoint.bodies.size(), 41u);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TEST_F(ChatTest, WantsOptionsThatGoTogether) {
  auto errorOf = [&] {
    auto opened = Chat::open(options);
    return opened ? "" : llvm::toString(opened.takeError());
  };
  EXPECT_EQ(errorOf(), "");
  options.model = "";
  EXPECT_NE(errorOf().find("name of a model"), std::string::npos);
  options.model = "model";
  options.limits.dollars = 1;
  EXPECT_NE(errorOf().find("prices"), std::string::npos);
  options.limits.answerPrice = 1;
  EXPECT_EQ(errorOf(), "");
  options.url = "ftp://host";
  EXPECT_NE(errorOf().find("URL"), std::string::npos);
  options.url = "";
  EXPECT_NE(errorOf().find("neither"), std::string::npos);
  options.replay = "/no/such/file";
  EXPECT_NE(errorOf().find("/no/such/file"), std::string::npos);
}

TEST_F(ChatTest, SaysWhereOthersCanListen) {
  options.url = "http://example.com/v1";
  EXPECT_EQ(open()->takeRemarks().size(), 1u);
  options.key = Key();
  EXPECT_TRUE(open()->takeRemarks().empty());
}

} // namespace
