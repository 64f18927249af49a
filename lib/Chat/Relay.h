//===- Relay.h - Questions for a program or a folder ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instead of a server, any program may answer, or anything that writes files:
//
// | URL         | a question                                                  |
// |-------------|-------------------------------------------------------------|
// | program:CMD | is on CMD's standard input; the answer on its standard      |
// |             | output. `/bin/sh` runs CMD, once for each question          |
// | folder:DIR  | is DIR/NAME.json; the answer is awaited in DIR/NAME.txt     |
//
// A question is JSON: `system`, `text`, `schema` and `answer_tokens`. NAME is
// made of the question's topic, the problem and the round, not of its text. So
// the next run finds an answer that came late, even if its own times differ. A
// round of many problems takes two runs: the first one writes the questions,
// the second one reads the answers.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_RELAY_H
#define HONE_LIB_CHAT_RELAY_H

#include "hone/Chat/Chat.h"
#include <atomic>

namespace hone::detail {

class Relay {
public:
  /// Nothing for a server's URL.
  static std::optional<Relay> of(llvm::StringRef url);
  /// Why the program or folder cannot be used; nothing if it can.
  std::optional<std::string> fault() const;

  ChatAnswer ask(const ChatQuestion &question, llvm::StringRef model,
                 double seconds, const std::atomic<bool> &isCancelled) const;

private:
  enum class To { program, folder };
  Relay(To to, llvm::StringRef place) : to(to), place(place) {}
  ChatAnswer askProgram(llvm::StringRef text, double seconds,
                        const std::atomic<bool> &isCancelled) const;
  ChatAnswer askFolder(llvm::StringRef text, llvm::StringRef name,
                       double seconds,
                       const std::atomic<bool> &isCancelled) const;

  To to;
  std::string place; ///< the command, or the folder
};

} // namespace hone::detail

#endif // HONE_LIB_CHAT_RELAY_H
