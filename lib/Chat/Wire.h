//===- Wire.h - Wire format of requests and answers -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Endpoints agree on `POST .../chat/completions` and differ in how a request
// forces the form of an answer:
//
// | form        | field                                          | servers    |
// |-------------|------------------------------------------------|------------|
// | schema      | response_format: json_schema                   | most       |
// | structured  | structured_outputs: {json: ...}                | vLLM       |
// | guided      | guided_json                                    | older vLLM |
// | grammar     | grammar: GBNF                                  | llama.cpp  |
// | object      | response_format: json_object                   | most       |
// | free        | none: the question describes the form          | all        |
//
// They are tried in this order, the strictest first, until a server follows
// one. Some servers accept a field silently and ignore it, so the test is an
// answer that only the form can explain.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_WIRE_H
#define HONE_LIB_CHAT_WIRE_H

#include "hone/Chat/Http.h"
#include "hone/Chat/Transcript.h"

namespace hone::detail {

enum class Form { schema, structured, guided, grammar, object, free };
llvm::StringRef toString(Form form);

/// The fields that a server accepts.
struct Dialect {
  Form form = Form::schema;
  /// `max_completion_tokens` instead of `max_tokens`.
  bool saysCompletion = false;
  bool hasTemperature = true, hasSeed = true;

  /// Selects the next weaker form; false if there is none.
  bool stepDown();
  /// Adapts to a server's error; false if the error names none of these fields.
  bool learn(llvm::StringRef error);
};

/// The body of a request.
std::string bodyOf(const ChatQuestion &question, llvm::StringRef model,
                   const Dialect &dialect, int64_t answerTokens);

/// A question whose answer shows whether the server follows the form.
ChatQuestion probeQuestion();
bool keeps(Form form, llvm::StringRef answer);

/// The answer in a reply with status 200. Tokens are 0 if the reply has no
/// counts.
llvm::Expected<ChatAnswer> readReply(const HttpReply &reply);
/// The server's error text: short and printable. Redacted by the caller.
std::string errorOf(const HttpReply &reply);

} // namespace hone::detail

#endif // HONE_LIB_CHAT_WIRE_H
