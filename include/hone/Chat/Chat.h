//===- Chat.h - Client of a large language model ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends questions to any server with OpenAI's chat completions API, in the
// background:
//
//   ChatOptions options;
//   options.url = "http://localhost:8080/v1";
//   options.model = "qwen3-8b";
//   auto chat = Chat::open(std::move(options));
//   std::shared_future<ChatAnswer> answer = (*chat)->ask(question);
//
// Every question is answered, at most `waitSeconds` after its turn: with a text
// or with a fault.
//
// | reply of a server               | reaction                               |
// |---------------------------------|----------------------------------------|
// | cannot enforce the form of an   | the next weaker form (lib/Chat/Wire.h);|
// | answer                          | determined once, by a probe            |
// | 400, 422, 501; 500 each time    | sent again without the field that the  |
// |                                 | reply names, or in a weaker form       |
// | 408, 429, 5xx, no connection,   | sent again, after Retry-After or a     |
// | half an answer                  | pause that grows; at most four times   |
// | 401, 403, 404, a redirect       | no more requests in this run           |
// | another status, no JSON, no     | the question is lost                   |
// | text, silence                   |                                        |
// | three questions lost in a row   | no more requests in this run           |
// | a cap is reached (Ledger.h)     | the same                               |
//
// A failure is reported once as a remark, without the key. Further questions
// are still answered, with a fault, so callers need no special case.
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
  /// "http://host/v1", "program:CMD" or "folder:DIR" (lib/Chat/Relay.h); empty:
  /// a transcript only.
  std::string url;
  std::string model;
  Key key;
  ChatLimits limits;
  double waitSeconds = 60;     ///< for an answer, including all attempts
  int64_t answerTokens = 4096; ///< of one answer, including its reasoning
  std::string record, replay;  ///< files; see Transcript.h
  /// The function that sends requests, and the pauses between attempts; tests
  /// replace them.
  std::function<HttpReply(const HttpRequest &)> post = postJson;
  double firstPause = 1, longestPause = 60; ///< seconds
};

class Chat {
public:
  /// An error if the options contradict each other or a file cannot be read.
  /// Nothing is sent yet.
  static llvm::Expected<std::unique_ptr<Chat>> open(ChatOptions options);
  /// Cancels requests that are under way, as `finish` does.
  ~Chat();
  /// The end of a run: cancels requests that are under way, within a second or
  /// so. Afterwards `cost` includes their possible cost, and every further
  /// question has a fault.
  void finish();

  const std::string &model() const;
  int64_t answerTokens() const;
  double waitSeconds() const;
  /// An answer from a transcript is ready at once, so a replayed run does not
  /// depend on time.
  std::shared_future<ChatAnswer> ask(ChatQuestion question);
  /// True if every further answer will have the same fault.
  bool isOut() const;

  /// Remarks for users since the last call. Thread-safe.
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
