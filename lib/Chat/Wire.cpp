//===- Wire.cpp - Wire format of requests and answers ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Wire.h.
//
//===----------------------------------------------------------------------===//

#include "Wire.h"
#include "hone/Chat/Answer.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
using llvm::json::OStream;
namespace json = llvm::json;

StringRef detail::toString(Form form) {
  constexpr llvm::StringLiteral kNames[] = {"response_format json_schema",
                                            "structured_outputs",
                                            "guided_json",
                                            "grammar",
                                            "response_format json_object",
                                            "none"};
  return kNames[size_t(form)];
}

bool Dialect::stepDown() {
  if (form == Form::free)
    return false;
  form = Form(int(form) + 1);
  return true;
}

bool Dialect::learn(StringRef error) {
  if (!saysCompletion && error.contains("max_completion_tokens"))
    return saysCompletion = true;
  if (hasTemperature && error.contains("temperature"))
    return !(hasTemperature = false);
  if (hasSeed && error.contains("seed"))
    return !(hasSeed = false);
  return false;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static void writeForm(OStream &out, const ChatQuestion &question, Form form) {
  auto raw = [&](StringRef name, StringRef text) {
    out.attributeBegin(name);
    out.rawValue(text);
    out.attributeEnd();
  };
  switch (form) {
  case Form::schema:
    out.attributeObject("response_format", [&] {
      out.attribute("type", "json_schema");
      out.attributeObject("json_schema", [&] {
        out.attribute("name", "schedules");
        out.attribute("strict", true);
        raw("schema", question.schema);
      });
    });
    break;
  case Form::structured:
    out.attributeObject("structured_outputs",
                        [&] { raw("json", question.schema); });
    break;
  case Form::guided:
    raw("guided_json", question.schema);
    break;
  case Form::grammar:
    out.attribute("grammar", question.grammar);
    break;
  case Form::object:
    out.attributeObject("response_format",
                        [&] { out.attribute("type", "json_object"); });
    break;
  case Form::free:
    break;
  }
}

std::string detail::bodyOf(const ChatQuestion &question, StringRef model,
                           const Dialect &dialect, int64_t answerTokens) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream out(stream);
  auto message = [&](StringRef role, StringRef content) {
    out.object([&] {
      out.attribute("role", role);
      out.attribute("content", content);
    });
  };
  out.object([&] {
    out.attribute("model", model);
    out.attributeArray("messages", [&] {
      message("system", question.system);
      message("user", question.text);
    });
    out.attribute("stream", false);
    out.attribute(dialect.saysCompletion ? "max_completion_tokens"
                                         : "max_tokens",
                  answerTokens);
    if (dialect.hasTemperature)
      out.attribute("temperature", question.temperature);
    if (dialect.hasSeed)
      out.attribute("seed", question.seed);
    writeForm(out, question, dialect.form);
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

/// No model gives this answer to the greeting below unless the form forces it.
static constexpr llvm::StringLiteral kProof = "{\"probe\":\"42\"}";

ChatQuestion detail::probeQuestion() {
  ChatQuestion question;
  question.system = "You greet people.";
  // Some servers reject the JSON form if the question does not mention JSON.
  question.text = "Greet the world: a JSON object with your greeting.";
  question.schema =
      R"({"type":"object","properties":{"probe":{"type":"string","enum":["42"]}},)"
      R"("required":["probe"],"additionalProperties":false})";
  question.grammar = R"(root ::= "{\"probe\":\"42\"}")";
  question.answerTokens = 512;
  question.temperature = 0;
  return question;
}

bool detail::keeps(Form form, StringRef answer) {
  Expected<json::Value> value = parseUntrustedJson(answer.trim());
  if (!value) {
    llvm::consumeError(value.takeError());
    return form == Form::free;
  }
  if (form == Form::object)
    return value->getAsObject() != nullptr;
  return form == Form::free || *value == *json::parse(kProof);
}

//===----------------------------------------------------------------------===//
// Replies
//===----------------------------------------------------------------------===//

static constexpr size_t kLongestError = 200;

static std::string excerpt(const HttpReply &reply) {
  std::string type = printable(reply.contentType, 40);
  return formatv("{0} '{1}'", type.empty() ? "nothing of a type" : type,
                 printable(reply.body, 60));
}

/// `error.message`, `error`, `message` or `detail`, whichever is a string.
static std::optional<std::string> messageOf(const json::Object &object) {
  if (const json::Object *error = object.getObject("error"))
    return messageOf(*error);
  for (StringRef name : {"error", "message", "detail"})
    if (std::optional<StringRef> text = object.getString(name))
      return text->str();
  return std::nullopt;
}

std::string detail::errorOf(const HttpReply &reply) {
  std::optional<std::string> said;
  if (Expected<json::Value> value = parseUntrustedJson(reply.body)) {
    if (const json::Object *object = value->getAsObject())
      said = messageOf(*object);
  } else {
    llvm::consumeError(value.takeError());
  }
  return formatv("status {0}: {1}", reply.status,
                 said ? printable(*said, kLongestError) : excerpt(reply));
}

/// A plausible count of tokens.
static int64_t tokensIn(const json::Object *usage, StringRef name) {
  constexpr int64_t kMax = 1000000000;
  int64_t tokens = usage ? usage->getInteger(name).value_or(0) : 0;
  return std::clamp<int64_t>(tokens, 0, kMax);
}

static const json::Object *firstChoice(const json::Object &reply) {
  const json::Array *choices = reply.getArray("choices");
  return choices && !choices->empty() ? choices->front().getAsObject()
                                      : nullptr;
}

Expected<ChatAnswer> detail::readReply(const HttpReply &reply) {
  Expected<json::Value> value = parseUntrustedJson(reply.body);
  if (!value) {
    std::string why = llvm::toString(value.takeError());
    return llvm::createStringError(
        formatv("expected an answer in JSON, but got {0}: {1}", excerpt(reply),
                printable(why, 80)));
  }
  const json::Object *object = value->getAsObject();
  const json::Object *choice = object ? firstChoice(*object) : nullptr;
  const json::Object *message = choice ? choice->getObject("message") : nullptr;
  // Some servers report errors with status 200.
  if (object && !message && messageOf(*object))
    return llvm::createStringError("expected an answer, but got " +
                                   errorOf(reply));
  if (!message)
    return llvm::createStringError(formatv(
        "expected 'choices' with a 'message', but got {0}", excerpt(reply)));
  ChatAnswer answer;
  answer.isCut = choice->getString("finish_reason") == StringRef("length");
  answer.text = message->getString("content").value_or("").str();
  const json::Object *usage = object->getObject("usage");
  answer.cost.questionTokens = tokensIn(usage, "prompt_tokens");
  answer.cost.answerTokens = tokensIn(usage, "completion_tokens");
  if (!answer.text.empty())
    return answer;
  std::string refusal = message->getString("refusal").value_or("").str();
  // The model may have used all its tokens for reasoning.
  answer.fault =
      !refusal.empty() ? "expected an answer, but got a refusal: " +
                             printable(refusal, kLongestError)
      : answer.isCut
          ? "expected an answer, but all its tokens went into thoughts; use "
            "more with --llm-answer"
          : "expected an answer, but got an empty one";
  return answer;
}
