//===- Transcript.h - What was asked and answered ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with one line of JSON for each question: its hash, the question, and
// what came of it, a failure too. A run that is given the file again gets the
// same answers without a server, as far as it asks the same questions; which it
// does where its measurements are the same (a rehearsal, a replayed table).
//
// The hash is of everything that is asked: model, messages, form of the answer,
// and settings. It does not depend on how a server is made to keep the form, or
// on where it is. Neither URL nor key is in the file.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_TRANSCRIPT_H
#define HONE_CHAT_TRANSCRIPT_H

#include "hone/Chat/Ledger.h"
#include <map>

namespace hone {

/// One question to a language model.
struct ChatQuestion {
  std::string system, text; ///< what it is to be, and what is asked of it
  /// The form of the answer, as a JSON schema and in GBNF (Grammar.h).
  std::string schema, grammar;
  int64_t answerTokens = 4096; ///< at most
  double temperature = 0.7;
  int64_t seed = 1;

  std::string hash(llvm::StringRef model) const;
};

/// What came of it.
struct ChatAnswer {
  std::string text;
  std::string fault;  ///< why there is no text; else empty
  bool isCut = false; ///< at the most tokens that it may have
  ChatCost cost;

  bool isOk() const { return fault.empty(); }
};

class Transcript {
public:
  /// Reads a file. A last line that was cut off is passed over; another one
  /// that can not be read is an error.
  static llvm::Expected<Transcript> read(const std::string &path);
  /// What was answered to a question; the same question may have been asked
  /// several times, and is answered in that order, by the last one for ever.
  std::optional<ChatAnswer> find(const std::string &hash);
  /// Of its first line; empty where there is none.
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
