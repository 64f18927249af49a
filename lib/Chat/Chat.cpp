//===- Chat.cpp - Chat with a large language model ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Chat.h. Threads and files; lib/Chat/Endpoint.cpp talks to the server.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Chat.h"
#include "Endpoint.h"
#include "llvm/Support/FormatVariadic.h"
#include <condition_variable>
#include <deque>
#include <set>
#include <thread>

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

class Chat::Impl {
public:
  explicit Impl(ChatOptions given)
      : options(std::move(given)), endpoint(options) {}
  ~Impl() { finish(); }

  Error open();
  void finish();
  std::shared_future<ChatAnswer> ask(ChatQuestion question);
  std::vector<std::string> takeRemarks();
  void remark(const std::string &text);
  std::optional<ChatAnswer> recorded(const ChatQuestion &question);
  void work();
  ChatAnswer answer(const ChatQuestion &question);

  const ChatOptions options;
  Endpoint endpoint;

private:
  using Task = std::packaged_task<ChatAnswer()>;
  /// Max concurrent requests.
  static constexpr size_t kAtOnce = 4;
  /// Max remarks, as a server may send a different message each time.
  static constexpr size_t kMaxRemarks = 16;

  std::mutex mutex;
  std::condition_variable wake;
  bool isOver = false;
  size_t idle = 0;
  std::deque<Task> tasks;
  std::vector<std::thread> threads;
  std::optional<Transcript> transcript;
  std::vector<std::string> remarks;
  std::set<std::string> remarked;
  std::mutex writing;
};

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

static Error checkOptions(const ChatOptions &options) {
  const ChatLimits &limits = options.limits;
  if (options.url.empty() && options.replay.empty())
    return llvm::createStringError(
        "expected an endpoint or a transcript to replay, but got "
        "neither");
  if (!options.url.empty())
    if (std::optional<std::string> fault = faultOfUrl(options.url))
      return llvm::createStringError(*fault);
  if (!options.url.empty() && options.model.empty())
    return llvm::createStringError(
        "expected the name of a model for the endpoint, but got "
        "none; use --llm-model");
  if (limits.dollars > 0 && limits.questionPrice + limits.answerPrice <= 0)
    return llvm::createStringError(
        "expected prices of tokens with a cap on dollars, but got "
        "none; use --llm-price");
  return Error::success();
}

Error Chat::Impl::open() {
  if (!options.replay.empty()) {
    if (Error error = Transcript::read(options.replay).moveInto(transcript))
      return error;
  }
  if (!options.url.empty() && !options.key.isEmpty() &&
      !keepsSecrets(options.url))
    remark(formatv("the key goes to {0} unencrypted; use https where others "
                   "can listen",
                   originOf(options.url)));
  return Error::success();
}

/// For a replay, the transcript gives the model's name.
static Error nameModel(ChatOptions &options) {
  if (!options.model.empty())
    return Error::success();
  Expected<Transcript> read = Transcript::read(options.replay);
  if (!read)
    return read.takeError();
  options.model = read->model();
  return Error::success();
}

Expected<std::unique_ptr<Chat>> Chat::open(ChatOptions options) {
  if (Error error = checkOptions(options))
    return std::move(error);
  if (Error error = nameModel(options))
    return std::move(error);
  auto impl = std::make_unique<Impl>(std::move(options));
  if (Error error = impl->open())
    return std::move(error);
  return std::unique_ptr<Chat>(new Chat(std::move(impl)));
}

void Chat::Impl::finish() {
  endpoint.cancel();
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  wake.notify_all();
  // A later question starts a thread of its own, which ends soon.
  for (std::thread &thread : std::exchange(threads, {}))
    thread.join();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::optional<ChatAnswer> Chat::Impl::recorded(const ChatQuestion &question) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!transcript)
    return std::nullopt;
  std::optional<ChatAnswer> found =
      transcript->find(question.hash(options.model));
  if (found || !options.url.empty())
    return found;
  ChatAnswer missing;
  missing.fault = formatv("expected an answer to this question in '{0}', but "
                          "got none; use --llm-url to ask",
                          options.replay);
  return missing;
}

std::shared_future<ChatAnswer> Chat::Impl::ask(ChatQuestion question) {
  if (std::optional<ChatAnswer> known = recorded(question)) {
    std::promise<ChatAnswer> promise;
    promise.set_value(std::move(*known));
    return promise.get_future().share();
  }
  Task task(
      [this, question = std::move(question)] { return answer(question); });
  std::shared_future<ChatAnswer> future = task.get_future().share();
  std::lock_guard<std::mutex> lock(mutex);
  tasks.push_back(std::move(task));
  if (tasks.size() > idle && threads.size() < kAtOnce)
    threads.emplace_back([this] { work(); });
  wake.notify_one();
  return future;
}

/// The main loop of a thread. Tasks left when the chat is closed end at once.
void Chat::Impl::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    ++idle;
    wake.wait(lock, [&] { return isOver || !tasks.empty(); });
    --idle;
    if (tasks.empty())
      return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

ChatAnswer Chat::Impl::answer(const ChatQuestion &question) {
  ChatAnswer answer = endpoint.ask(question);
  for (const std::string &news : endpoint.takeNews())
    remark(news);
  if (options.record.empty() || endpoint.isOver())
    return answer;
  std::lock_guard<std::mutex> lock(writing);
  ChatQuestion shown = question;
  for (std::string *text : {&shown.system, &shown.text})
    *text = options.key.redact(*text);
  if (Error error =
          Transcript::append(options.record, options.model, shown, answer))
    remark(llvm::toString(std::move(error)));
  return answer;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

void Chat::Impl::remark(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string whole =
      formatv("LLM {0}: {1}", options.model, options.key.redact(text));
  if (remarked.size() < kMaxRemarks && remarked.insert(whole).second)
    remarks.push_back(std::move(whole));
}

std::vector<std::string> Chat::Impl::takeRemarks() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(remarks, {});
}

//===----------------------------------------------------------------------===//
// Chat
//===----------------------------------------------------------------------===//

Chat::Chat(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Chat::~Chat() = default;
void Chat::finish() { impl->finish(); }

const std::string &Chat::model() const { return impl->options.model; }
int64_t Chat::answerTokens() const { return impl->options.answerTokens; }
double Chat::waitSeconds() const { return impl->options.waitSeconds; }
bool Chat::isOut() const { return !impl->endpoint.whyOut().empty(); }
ChatCost Chat::cost() const { return impl->endpoint.cost(); }
void Chat::remark(const std::string &text) { impl->remark(text); }

std::vector<std::string> Chat::takeRemarks() { return impl->takeRemarks(); }

std::shared_future<ChatAnswer> Chat::ask(ChatQuestion question) {
  return impl->ask(std::move(question));
}
