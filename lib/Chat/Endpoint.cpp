//===- Endpoint.cpp - One question, with retries --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Endpoint.h. `send` redacts all text of a server before any other use.
//
//===----------------------------------------------------------------------===//

#include "Endpoint.h"
#include "hone/Chat/Answer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <thread>

using namespace hone;
using namespace hone::detail;
using llvm::formatv;
using llvm::StringRef;

static constexpr int kMaxAttempts = 4;
static constexpr int kMaxLost = 3;

/// URLs are accepted with or without their last part.
static std::string addressOf(StringRef url) {
  constexpr llvm::StringLiteral kPath = "/chat/completions";
  StringRef base = url.rtrim('/');
  return base.ends_with(kPath) ? base.str() : (base + kPath).str();
}

Endpoint::Endpoint(const ChatOptions &options)
    : options(options), relay(Relay::of(options.url)),
      address(addressOf(options.url)), ledger(options.limits),
      jitter(std::random_device()()) {}

std::string Endpoint::whyOut() const {
  std::lock_guard<std::mutex> lock(mutex);
  return out;
}

std::vector<std::string> Endpoint::takeNews() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(news, {});
}

Dialect Endpoint::dialectNow() const {
  std::lock_guard<std::mutex> lock(mutex);
  return dialect;
}

void Endpoint::leave(const std::string &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (out.empty())
    out = why;
}

static ChatAnswer lost(const std::string &fault) {
  ChatAnswer answer;
  answer.fault = fault;
  return answer;
}

//===----------------------------------------------------------------------===//
// A question
//===----------------------------------------------------------------------===//

/// One attempt, because a second one would have the same result. An open
/// question does not stop it: the next one may be answered.
ChatAnswer Endpoint::askRelay(const ChatQuestion &question) {
  Ledger::Allowance wanted;
  wanted.questionTokens =
      tokensOf(question.system.size() + question.text.size());
  wanted.answerTokens = question.answerTokens;
  wanted.seconds = std::max(options.waitSeconds, 1.0);
  auto allowed = ledger.begin(wanted, [&] { return isCancelled.load(); });
  if (!allowed) {
    ChatAnswer answer = lost(llvm::toString(allowed.takeError()));
    if (!isCancelled)
      leave(answer.fault);
    return answer;
  }
  double seconds = std::min(options.waitSeconds, allowed->seconds);
  ChatAnswer answer = relay->ask(question, options.model, seconds, isCancelled);
  answer.cost.dollars =
      ledger.dollarsFor(answer.cost.questionTokens, answer.cost.answerTokens);
  ledger.end(*allowed, answer.cost);
  return answer;
}

ChatAnswer Endpoint::ask(const ChatQuestion &question) {
  if (relay)
    return askRelay(question);
  auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(options.waitSeconds));
  std::optional<ChatAnswer> inVain = probe(deadline);
  ChatAnswer answer = inVain ? *inVain : exchange(question, deadline);
  std::lock_guard<std::mutex> lock(mutex);
  lostInARow = answer.isOk() ? 0 : lostInARow + 1;
  if (lostInARow >= kMaxLost && out.empty())
    out = formatv("{0} ({1} times)", answer.fault, lostInARow);
  return answer;
}

/// Finds the strictest form that the server follows. One thread probes, the
/// others wait. If the probe gets no answer, the question will not either.
std::optional<ChatAnswer> Endpoint::probe(Clock::time_point deadline) {
  std::lock_guard<std::mutex> lock(probing);
  while (!wasProbed && dialectNow().form != Form::free) {
    ChatAnswer answer = exchange(probeQuestion(), deadline);
    if (!answer.isOk() && !answer.isCut)
      return answer;
    std::lock_guard<std::mutex> locked(mutex);
    // A truncated answer shows nothing about the form.
    wasProbed = answer.isCut || keeps(dialect.form, answer.text);
    if (!wasProbed)
      dialect.stepDown();
  }
  if (!wasProbed || dialectNow().form != Form::schema)
    tellForm();
  wasProbed = true;
  return std::nullopt;
}

void Endpoint::tellForm() {
  std::lock_guard<std::mutex> lock(mutex);
  if (std::exchange(wasFormTold, true))
    return;
  news.push_back(
      dialect.form == Form::free
          ? "it follows no answer format; schedules are taken from its text"
          : formatv("it follows the answer format '{0}'",
                    toString(dialect.form))
                .str());
}

/// Repeats until the question is answered, lost, or too late.
ChatAnswer Endpoint::exchange(const ChatQuestion &question,
                              Clock::time_point deadline) {
  ChatCost sum;
  for (int number = 1;; ++number) {
    if (std::string why = whyOut(); !why.empty())
      return lost(why);
    Attempt made = attempt(question, dialectNow(), deadline, number);
    sum += made.answer.cost;
    made.answer.cost = sum;
    if (made.next == Next::out)
      leave(made.answer.fault);
    auto pause = std::chrono::duration<double>(made.pause);
    if (made.next != Next::again || Clock::now() + pause >= deadline ||
        !sleepFor(made.pause))
      return made.answer;
  }
}

bool Endpoint::sleepFor(double seconds) const {
  constexpr double kTick = 0.05;
  for (; seconds > 0 && !isCancelled; seconds -= kTick)
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::min(seconds, kTick)));
  return !isCancelled;
}

//===----------------------------------------------------------------------===//
// An attempt
//===----------------------------------------------------------------------===//

Endpoint::Attempt Endpoint::attempt(const ChatQuestion &question,
                                    const Dialect &used,
                                    Clock::time_point deadline, int number) {
  double left = std::chrono::duration<double>(deadline - Clock::now()).count();
  Ledger::Allowance wanted;
  wanted.questionTokens = tokensOf(
      question.system.size() + question.text.size() + question.schema.size());
  wanted.answerTokens = question.answerTokens;
  wanted.seconds = std::max(left, 1.0);
  auto isTooLate = [&] { return isCancelled || Clock::now() >= deadline; };
  llvm::Expected<Ledger::Allowance> allowed = ledger.begin(wanted, isTooLate);
  if (!allowed)
    return {isTooLate() ? Next::lost : Next::out,
            lost(llvm::toString(allowed.takeError()))};
  auto start = Clock::now();
  HttpReply reply = send(question, used, *allowed);
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  Attempt result = judge(reply, number);
  if (result.next == Next::lost && number < kMaxAttempts + int(Form::free) &&
      adapt(reply, used)) {
    result.next = Next::again;
    result.pause = 0;
  }
  // Redacts again after parsing, because JSON escapes can hide a key.
  result.answer.text = options.key.redact(result.answer.text);
  result.answer.fault = options.key.redact(result.answer.fault);
  result.answer.cost = costOf(result, reply, *allowed, seconds);
  ledger.end(*allowed, result.answer.cost);
  return result;
}

HttpReply Endpoint::send(const ChatQuestion &question, const Dialect &used,
                         const Ledger::Allowance &allowed) {
  HttpReply reply = options.post(
      {address, bodyOf(question, options.model, used, allowed.answerTokens),
       options.key, allowed.seconds, [&] { return isCancelled.load(); }});
  for (std::string *said : {&reply.body, &reply.contentType, &reply.location})
    *said = options.key.redact(*said);
  return reply;
}

static bool isBusy(long status) {
  return status == 408 || status == 429 || (status >= 500 && status != 501);
}

Endpoint::Attempt Endpoint::judge(const HttpReply &reply, int number) {
  auto again = [&](std::string fault) -> Attempt {
    Next next = number < kMaxAttempts ? Next::again : Next::lost;
    if (reply.retryAfter)
      fault += formatv("; it asks for a pause of {0:f0} s", *reply.retryAfter);
    return {next, lost(fault), pauseBefore(number, reply.retryAfter)};
  };
  if (isCancelled)
    return {Next::lost, lost("cancelled")};
  if (reply.ending != HttpReply::answered)
    return again(reply.fault);
  if (reply.status == 200) {
    llvm::Expected<ChatAnswer> answer = readReply(reply);
    if (!answer)
      return {Next::lost, lost(llvm::toString(answer.takeError()))};
    return {answer->isOk() ? Next::done : Next::lost, *answer};
  }
  std::string said = errorOf(reply);
  if (isBusy(reply.status))
    return again("expected an answer, but got " + said);
  if (reply.status >= 300 && reply.status < 400)
    return {Next::out,
            lost(formatv("expected an answer, but got a redirect to {0}; "
                         "redirects are not followed, use the address itself",
                         printable(originOf(reply.location), 80)))};
  if (reply.status == 401 || reply.status == 403)
    return {Next::out,
            lost("expected an answer, but got " + said +
                 "; use another key with --llm-key-file or HONE_LLM_KEY")};
  if (reply.status == 404)
    return {Next::out, lost("expected an answer, but got " + said +
                            "; use another --llm-url or --llm-model")};
  return {Next::lost, lost("expected an answer, but got " + said)};
}

/// After an error that may be about an unsupported field, selects another form
/// of the request; some servers fail on a form. If several threads get the same
/// error, only the first changes the dialect.
bool Endpoint::adapt(const HttpReply &reply, const Dialect &used) {
  if (reply.ending != HttpReply::answered ||
      !llvm::is_contained({400, 422, 500, 501}, reply.status))
    return false;
  // Too long a question is too long in every form.
  if (StringRef(reply.body).contains_insensitive("context"))
    return false;
  std::lock_guard<std::mutex> lock(mutex);
  if (dialect.form != used.form ||
      dialect.saysCompletion != used.saysCompletion ||
      dialect.hasTemperature != used.hasTemperature ||
      dialect.hasSeed != used.hasSeed)
    return true;
  return dialect.learn(reply.body) || dialect.stepDown();
}

ChatCost Endpoint::costOf(const Attempt &attempt, const HttpReply &reply,
                          const Ledger::Allowance &allowed,
                          double seconds) const {
  ChatCost cost = attempt.answer.cost;
  cost.calls = 1;
  cost.seconds = seconds;
  if (reply.ending == HttpReply::broken) {
    cost.questionTokens = allowed.questionTokens;
    cost.answerTokens = allowed.answerTokens;
  } else if (reply.ending == HttpReply::answered && reply.status == 200) {
    if (cost.questionTokens == 0)
      cost.questionTokens = allowed.questionTokens;
    if (cost.answerTokens == 0)
      cost.answerTokens =
          std::min(tokensOf(reply.body.size()), allowed.answerTokens);
  }
  cost.dollars = ledger.dollarsFor(cost.questionTokens, cost.answerTokens);
  return cost;
}

/// The server's requested pause, or a pause that doubles; longer by up to a
/// half, so that requests that failed together are not repeated together.
double Endpoint::pauseBefore(int number, std::optional<double> retryAfter) {
  double pause =
      std::min(options.firstPause * double(1 << std::min(number - 1, 10)),
               options.longestPause);
  pause = std::max(pause, retryAfter.value_or(0));
  std::lock_guard<std::mutex> lock(mutex);
  double share =
      double(jitter() - jitter.min()) / double(jitter.max() - jitter.min());
  return pause * (1 + 0.5 * share);
}
