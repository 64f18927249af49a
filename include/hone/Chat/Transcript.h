//===- Transcript.h - A file of questions and answers -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with one line of JSON for each question: its hash, the question, and
// the answer or failure. A run with this file gets the same answers without a
// server, as long as its questions are the same, which is so if its
// measurements are the same (a rehearsal, a replayed table).
//
// The hash covers the whole question: model, messages, form of the answer, and
// settings. It does not depend on the way in which a server enforces the form,
// or on its address. Neither URL nor key is in the file.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_TRANSCRIPT_H
#define HONE_CHAT_TRANSCRIPT_H

#include "hone/Chat/Ledger.h"
#include <map>

namespace hone {

/// One question to a language model.
struct ChatQuestion {
  std::string system, text; ///< the system message, and the question
  /// The form of the answer, as a JSON schema and in GBNF (Grammar.h).
  std::string schema, grammar;
  int64_t answerTokens = 4096; ///< max
  double temperature = 0.7;
  int64_t seed = 1;
  /// For the name of a file (lib/Chat/Relay.h); no part of the question.
  std::string topic = {};

  std::string hash(llvm::StringRef model) const;
};

/// The answer to a question.
struct ChatAnswer {
  std::string text;
  std::string fault;  ///< why there is no text; else empty
  bool isCut = false; ///< ended at the max number of tokens
  ChatCost cost;

  bool isOk() const { return fault.empty(); }
};

class Transcript {
public:
  /// Reads a file. An incomplete last line is skipped; any other unreadable
  /// line is an error.
  static llvm::Expected<Transcript> read(const std::string &path);
  /// The answer to a question. If the file has the same question several times,
  /// calls return its answers in order, and then always the last one.
  std::optional<ChatAnswer> find(const std::string &hash);
  /// The model of its first line; empty if there is none.
  const std::string &model() const { return firstModel; }

  /// Appends one line to a file.
  static llvm::Error append(const std::string &path, llvm::StringRef model,
                            const ChatQuestion &question,
                            const ChatAnswer &answer);

private:
  struct Answers {
    std::vector<ChatAnswer> all;
    size_t next = 0;
  };
  std::map<std::string, Answers> answers; ///< by hash
  std::string firstModel;
};

} // namespace hone

#endif // HONE_CHAT_TRANSCRIPT_H
