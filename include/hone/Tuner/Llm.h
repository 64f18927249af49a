//===- Llm.h - Options of a large language model ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The endpoint options of the command line, for every command that may use a
// model. docs/Policy.md describes them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_LLM_H
#define HONE_TUNER_LLM_H

#include "hone/Chat/Chat.h"
#include "hone/Search/Search.h"

namespace hone {

struct LlmOptions {
  ChatOptions chat;
  std::string keyFile, price;

  /// True if the command line names an endpoint or a transcript.
  bool isGiven() const { return !chat.url.empty() || !chat.replay.empty(); }
  /// An error if options of a model are given without one.
  llvm::Error check() const;
  /// Opens the chat with the key of the file, or of the environment.
  llvm::Expected<std::unique_ptr<Chat>> open() const;
  /// Makes a search of `problems` problems take its proposals from `chat`
  /// alone.
  void askIn(SearchOptions &search, Chat &chat, size_t problems) const;
};

/// Remarks for the user since the last call; at the end also the cost.
std::vector<std::string> remarksOf(Chat &chat, bool isOver);
/// The number of trials whose schedules the model proposed.
std::string shareOf(Chat &chat, llvm::ArrayRef<SearchResult> results);

} // namespace hone

#endif // HONE_TUNER_LLM_H
