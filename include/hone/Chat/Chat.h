//===- Chat.h - A large language model behind an endpoint -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks any server that speaks OpenAI's chat completions, in the background:
//
//   ChatOptions options;
//   options.url = "http://localhost:8080/v1";
//   options.model = "qwen3-8b";
//   auto chat = Chat::open(std::move(options));
//   std::shared_future<ChatAnswer> answer = (*chat)->ask(question);
//
// An answer comes in any case, and is ready within `waitSeconds` of the moment
// when it was the question's turn: with a text, or with what went wrong.
//
// | what a server does              | what happens                           |
// |---------------------------------|----------------------------------------|
// | does not know how to keep the   | the next weaker form (lib/Chat/Wire.h);|
// | form of an answer               | found out once, by a probe             |
// | 400, 422, 501; 500 each time    | asked again without the field that it  |
// |                                 | names, or in a weaker form             |
// | 408, 429, 5xx, no connection,   | asked again, after Retry-After or a    |
// | half an answer                  | pause that grows; at most four times   |
// | 401, 403, 404, a redirect       | it is not asked again in this run      |
// | another status, no JSON, no     | the question is lost                   |
// | text, silence                   |                                        |
// | three questions lost in a row   | it is not asked again in this run      |
// | a cap is reached (Ledger.h)     | the same                               |
//
// What went wrong is a remark, once, without the key; questions go on being
// answered, with a fault, so who asks needs to know nothing of this.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_CHAT_H
#define HONE_CHAT_CHAT_H

#include "hone/Chat/Http.h"
#include "hone/Chat/Transcript.h"
#include <future>
#include <memory>
#include <vector>

namespace hone {

struct ChatOptions {
  std::string url; ///< "http://host/v1"; empty: nothing but a transcript
  std::string model;
  Key key;
  ChatLimits limits;
  double waitSeconds = 60;     ///< for an answer, with all attempts at it
  int64_t answerTokens = 4096; ///< of one answer, thoughts included
  std::string record, replay;  ///< files; see Transcript.h
  /// How requests are sent, and how long is between two attempts; tests have
  /// ways of their own.
  std::function<HttpReply(const HttpRequest &)> post = postJson;
  double firstPause = 1, longestPause = 60; ///< seconds
};

class Chat {
public:
  /// An error where the options contradict each other or a file can not be
  /// read. Nothing is sent yet.
  static llvm::Expected<std::unique_ptr<Chat>> open(ChatOptions options);
  /// Gives up what is under way, as `finish` does.
  ~Chat();
  /// The end of a run: gives up what is under way, within a second or so. What
  /// that may have cost is in `cost` afterwards, and every further question has
  /// a fault.
  void finish();

  const std::string &model() const;
  int64_t answerTokens() const;
  double waitSeconds() const;
  /// What a transcript knows is ready at once; so a run that is replayed does
  /// not depend on time.
  std::shared_future<ChatAnswer> ask(ChatQuestion question);
  /// True where every further answer will have the same fault.
  bool isOut() const;

  /// What people should know, since the last call. Any thread.
  std::vector<std::string> takeRemarks();
  void remark(const std::string &text);
  ChatCost cost() const;

private:
  class Impl;
  explicit Chat(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace hone

#endif // HONE_CHAT_CHAT_H
