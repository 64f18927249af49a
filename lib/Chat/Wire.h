//===- Wire.h - Questions and answers as endpoints spell them ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Endpoints agree on `POST .../chat/completions` and differ in how an answer is
// made to keep a form:
//
// | form        | field                                           | servers    |
// |-------------|-------------------------------------------------|------------|
// | schema      | response_format: json_schema                    | most       |
// | structured  | structured_outputs: {json: ...}                 | vLLM       |
// | guided      | guided_json                                     | older vLLM |
// | grammar     | grammar: GBNF                                   | llama.cpp  |
// | object      | response_format: json_object                    | most       |
// | free        | none: the question says what is wanted          | all        |
//
// They are tried in this order, the one that binds most first, until a server
// keeps to one. Some servers take a field without a word and ignore it, so what
// counts is an answer that only the form can explain.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_WIRE_H
#define HONE_LIB_CHAT_WIRE_H

#include "hone/Chat/Http.h"
#include "hone/Chat/Transcript.h"

namespace hone::detail {

enum class Form { schema, structured, guided, grammar, object, free };
llvm::StringRef toString(Form form);

/// What a server is known to take.
struct Dialect {
  Form form = Form::schema;
  /// `max_completion_tokens` in place of `max_tokens`.
  bool saysCompletion = false;
  bool hasTemperature = true, hasSeed = true;

  /// The next weaker form; false where there is none.
  bool stepDown();
  /// What an error of the server asks for; false where it asks for nothing of
  /// this.
  bool learn(llvm::StringRef error);
};

/// The body of a request.
std::string bodyOf(const ChatQuestion &question, llvm::StringRef model,
                   const Dialect &dialect, int64_t answerTokens);

/// A question whose answer shows whether a form is kept.
ChatQuestion probeQuestion();
bool keeps(Form form, llvm::StringRef answer);

/// An answer out of a reply with status 200. Tokens are 0 where nobody says.
llvm::Expected<ChatAnswer> readReply(const HttpReply &reply);
/// What a server says went wrong: short and printable. Redacted by the caller.
std::string errorOf(const HttpReply &reply);

} // namespace hone::detail

#endif // HONE_LIB_CHAT_WIRE_H
