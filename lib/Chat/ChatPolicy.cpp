//===- ChatPolicy.cpp - Proposals of a language model ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChatPolicy.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/ChatPolicy.h"
#include "hone/Chat/Grammar.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <utility>

using namespace hone;
using llvm::formatv;

/// A model may list some more schedules than requested, but not all that it
/// can.
static constexpr size_t kTakenOverAsked = 2;
/// Extra seconds, so that the request's own timeout comes first, with its
/// reason.
static constexpr double kGrace = 2;

ChatPolicy::ChatPolicy(Chat &chat, Problem given, Arch onArch,
                       ChatPolicyOptions with)
    : chat(chat), problem(std::move(given)), arch(std::move(onArch)),
      options(std::move(with)), kinds(kindsFor(problem, arch, options.kinds)),
      isClosed(kinds.empty()) {
  // Every search measures the default. This policy waits for its time: without
  // the wait, the first question to include it would depend on timing.
  Schedule fallback = defaultSchedule(problem, arch, options.kinds);
  if (!isClosed && !check(fallback, &problem, &arch))
    queue.push_back(std::move(fallback));
}

//===----------------------------------------------------------------------===//
// Proposals and measurements
//===----------------------------------------------------------------------===//

std::vector<Schedule> ChatPolicy::propose(size_t count) {
  llvm::erase_if(queue, [&](const Schedule &schedule) {
    return received.count(toString(schedule)) != 0;
  });
  // A recorded answer is available at once, and may have nothing new.
  for (takeAnswer(); mayAsk(); takeAnswer())
    ask();
  if (pending.valid() && isLate())
    chat.remark("too many questions are under way; the search continues "
                "without this answer");
  std::vector<Schedule> some;
  for (; some.size() < count && !queue.empty(); queue.pop_front()) {
    some.push_back(queue.front());
    awaited.insert(toString(some.back()));
  }
  return some;
}

void ChatPolicy::receive(const Schedule &schedule, const Measurement &result) {
  std::string text = toString(schedule);
  awaited.erase(text);
  known.insert(text);
  received.insert_or_assign(text, Attempted{schedule, result});
  double seconds = result.times.median;
  if (result.isOk() && (best == 0 || seconds < best))
    best = seconds;
}

bool ChatPolicy::isComputing() const { return pending.valid() && !isLate(); }

bool ChatPolicy::isLate() const {
  return std::chrono::duration<double>(Clock::now() - asked).count() >
         chat.waitSeconds() + kGrace;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

bool ChatPolicy::mayAsk() const {
  return !isClosed && !pending.valid() && queue.empty() && awaited.empty() &&
         round < options.rounds && inVain < kMaxInVain && !isStuck();
}

/// All results of the last round have arrived when this is called.
bool ChatPolicy::isStuck() const {
  bool wasInVain = round > 0 && best == bestWhenAsked;
  return withoutGain + wasInVain >= kMaxWithoutGain;
}

void ChatPolicy::ask() {
  if (round > 0)
    withoutGain = best == bestWhenAsked ? withoutGain + 1 : 0;
  ++round;
  bestWhenAsked = best;
  std::vector<Attempted> tried;
  for (const auto &[text, one] : received)
    tried.push_back(one);
  PromptFacts facts = {
      problem,          arch,         kinds, tried, refused, options.perRound,
      options.isWithin, options.hints};
  ChatQuestion question;
  question.topic =
      formatv("{0}x{1}x{2} round {3} on {4}: {5}", problem.m, problem.n,
              problem.k, round, arch.chip, problem.str());
  question.system = systemText();
  if (start.empty())
    start = questionStart(facts);
  question.text = start + questionEnd(facts);
  question.schema = jsonSchema(kinds, options.perRound);
  question.grammar = gbnf(kinds, options.perRound);
  question.answerTokens = chat.answerTokens();
  question.seed = options.seed;
  asked = Clock::now();
  pending = chat.ask(std::move(question));
}

void ChatPolicy::close(const std::string &why) {
  isClosed = true;
  chat.remark(why + "; it gets no further question about this problem");
}

/// Takes the answer if it has arrived.
void ChatPolicy::takeAnswer() {
  if (!pending.valid() ||
      pending.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return;
  ChatAnswer said = std::exchange(pending, {}).get();
  if (!said.isOk())
    return close(said.fault);
  llvm::Expected<Suggestions> answer = parseAnswer(
      said.text, {problem, arch, kinds, kTakenOverAsked * options.perRound});
  if (answer)
    return take(*answer);
  std::string why = llvm::toString(answer.takeError());
  chat.remark(why + (said.isCut ? ", which broke off" : ""));
  refused = {{"your whole answer", why}};
  ++inVain;
}

void ChatPolicy::take(const Suggestions &answer) {
  refused = answer.refused;
  if (answer.surplus)
    chat.remark(formatv("expected {0} schedules, but got {1} more than {2}; "
                        "the rest is ignored",
                        options.perRound, answer.surplus,
                        kTakenOverAsked * options.perRound));
  size_t before = all.size();
  for (const Schedule &schedule : answer.schedules) {
    if (!known.insert(toString(schedule)).second)
      continue;
    if (options.isWithin && !options.isWithin(problem, schedule)) {
      refused.push_back(
          {toString(schedule), "it is outside of the searched set"});
      continue;
    }
    all.push_back({schedule, "chat:" + chat.model(), answer.plan, round});
    queue.push_back(schedule);
  }
  inVain = all.size() > before ? 0 : inVain + 1;
  // The caller checks the laws again, and records that they are broken.
  for (const Refusal &one : answer.refused)
    if (one.schedule && known.insert(toString(*one.schedule)).second)
      queue.push_back(*one.schedule);
  if (inVain > 0)
    chat.remark(refused.empty()
                    ? "expected new schedules, but got only known ones"
                    : "expected new schedules, but got only refused ones: " +
                          refused.front().reason);
}
