//===- ChatFormsTest.cpp - Tests of the forms that an endpoint supports ---===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of answers and the request fields that an endpoint supports are
// determined once.
//
//===----------------------------------------------------------------------===//

#include "ChatFixture.h"

using namespace hone;
using namespace hone::test;
namespace json = llvm::json;

namespace {

class ChatFormsTest : public ChatTest {};

/// A server that keeps to one form only, and silently accepts others.
TEST_F(ChatFormsTest, FindsTheFormThatIsKept) {
  endpoint.provesForm = false;
  for (const char *field :
       {"structured_outputs", "guided_json", "grammar", "json_object", ""}) {
    say = [&](const json::Object &asked) {
      const json::Object *format = asked.getObject("response_format");
      bool isObject = llvm::StringRef(field) == "json_object";
      bool isKept = isObject
                        ? format && *format->getString("type") == "json_object"
                        : asked.get(field) != nullptr;
      if (FakeEndpoint::isProbe(asked))
        return answeredWith(replyWith(!isKept    ? "Hello!"
                                      : isObject ? "{\"greeting\": \"hi\"}"
                                                 : "{\"probe\":\"42\"}"));
      return answeredWith(replyWith(isKept || !*field ? "kept" : "not"));
    };
    chat.reset();
    remarks.clear();
    EXPECT_EQ(ask().text, "kept") << field;
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_NE(remarks[0].find(*field ? field : "follows no answer format"),
              std::string::npos);
    size_t probes = endpoint.bodies.size();
    ask();
    EXPECT_EQ(endpoint.bodies.size(), probes + 1);
  }
}

TEST_F(ChatFormsTest, StepsDownWhereAFormIsRefused) {
  say = [](const json::Object &asked) {
    return asked.get("response_format")
               ? answeredWith("{\"error\": \"schema too large\"}", 400)
               : answeredWith(replyWith("fine"));
  };
  EXPECT_EQ(ask().text, "fine");
  EXPECT_TRUE(sent().get("structured_outputs"));
}

TEST_F(ChatFormsTest, StepsDownWhereAFormBreaksTheServer) {
  endpoint.provesForm = false;
  say = [](const json::Object &asked) {
    if (asked.get("response_format"))
      return answeredWith("Internal Server Error", 500);
    return answeredWith(replyWith(
        FakeEndpoint::isProbe(asked) ? "{\"probe\":\"42\"}" : "fine"));
  };
  EXPECT_EQ(ask().text, "fine");
  EXPECT_TRUE(sent().get("structured_outputs"));
}

TEST_F(ChatFormsTest, KeepsTheFormWhereAQuestionIsTooLong) {
  ask();
  reply = answeredWith(
      R"({"error": {"message": "exceeds the available context size"}})", 400);
  size_t before = endpoint.bodies.size();
  EXPECT_EQ(ask().fault, "expected an answer, but got status 400: exceeds the "
                         "available context size");
  EXPECT_EQ(endpoint.bodies.size(), before + 1);
  reply = answeredWith(replyWith("fine"));
  EXPECT_EQ(ask().text, "fine");
  EXPECT_TRUE(sent().get("response_format"));
}

TEST_F(ChatFormsTest, LeavesOutWhatIsRefused) {
  say = [](const json::Object &asked) {
    for (const char *field : {"max_tokens", "temperature", "seed"})
      if (asked.get(field))
        return answeredWith(
            llvm::formatv(
                "{{\"error\": {{\"message\": \"unsupported '{0}', use "
                "max_completion_tokens\"} }",
                field),
            400);
    return answeredWith(replyWith("fine"));
  };
  endpoint.provesForm = false;
  EXPECT_EQ(ask().text, "fine");
  EXPECT_EQ(*sent().getInteger("max_completion_tokens"), 100);
}

TEST_F(ChatFormsTest, AcceptsAProbeCutOffBeforeItsAnswer) {
  endpoint.provesForm = false;
  say = [](const json::Object &asked) {
    if (!FakeEndpoint::isProbe(asked))
      return answeredWith(replyWith("fine"));
    return answeredWith(R"({"choices": [{"message": {"content": ""},
                            "finish_reason": "length"}]})");
  };
  EXPECT_EQ(ask().text, "fine");
  EXPECT_TRUE(sent().get("response_format"));
}

} // namespace
