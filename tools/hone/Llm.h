//===- Llm.h - Options of a large language model ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command line says of an endpoint, for every command that may ask one.
// docs/Chat.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LLM_H
#define HONE_TOOLS_LLM_H

#include "Options.h"
#include "hone/Chat/Chat.h"
#include "hone/Search/Search.h"

namespace hone {

struct LlmOptions {
  ChatOptions chat;
  std::string keyFile, price;

  void addTo(OptionList &list);
  /// True if the command line names an endpoint or a transcript.
  bool isGiven() const { return !chat.url.empty() || !chat.replay.empty(); }
  /// With the key of the file, or of the environment.
  llvm::Expected<std::unique_ptr<Chat>> open() const;
  /// Has a search of so many problems ask `chat`, and nobody else.
  void askIn(SearchOptions &search, Chat &chat, size_t problems) const;
};

/// What people should know since the last call; at the end what it cost, too.
std::vector<std::string> remarksOf(Chat &chat, bool isOver);
/// How many trials were of schedules that it proposed.
std::string shareOf(Chat &chat, llvm::ArrayRef<SearchResult> results);

} // namespace hone

#endif // HONE_TOOLS_LLM_H
