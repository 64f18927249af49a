//===- Llm.cpp - Options of a large language model ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Llm.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/Llm.h"
#include "hone/Chat/ChatPolicy.h"
#include "hone/Command/Options.h"
#include "hone/Tuner/LlmHints.h"
#include "hone/Tuner/Tune.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Expected;
using llvm::StringRef;

llvm::Error LlmOptions::check() const {
  const ChatOptions usual;
  auto limits = [](const ChatOptions &of) {
    return std::tuple(of.waitSeconds, of.answerTokens, of.limits.calls,
                      of.limits.tokens, of.limits.seconds, of.limits.dollars);
  };
  bool isAny = !(chat.model + chat.record + keyFile + price).empty() ||
               limits(chat) != limits(usual);
  if (isGiven() || !isAny)
    return llvm::Error::success();
  return llvm::createStringError(
      "expected a language model with options of one (--llm-...), but got "
      "none; use --llm-url and --llm-model, or --llm-replay");
}

static llvm::Error parsePrice(StringRef text, ChatLimits &limits) {
  auto [question, answer] = text.split(':');
  Expected<double> in = parseReal(question), out = parseReal(answer);
  if (in && out) {
    limits.questionPrice = *in;
    limits.answerPrice = *out;
    return llvm::Error::success();
  }
  llvm::consumeError(in.takeError());
  llvm::consumeError(out.takeError());
  return llvm::createStringError(llvm::formatv(
      "--llm-price: expected two prices of a million tokens, of questions and "
      "of answers, but got '{0}'; use e.g. 0.25:2",
      text));
}

Expected<std::unique_ptr<Chat>> LlmOptions::open() const {
  ChatOptions options = chat;
  if (!price.empty())
    if (llvm::Error error = parsePrice(price, options.limits))
      return std::move(error);
  // Removed from the environment in any case: child processes inherit it.
  Expected<Key> key = Key::fromEnvironment();
  if (!keyFile.empty()) {
    llvm::consumeError(key.takeError());
    key = Key::fromFile(keyFile);
  }
  if (!key)
    return key.takeError();
  options.key = std::move(*key);
  return Chat::open(std::move(options));
}

/// The number of questions about each problem. With many problems, each gets
/// one before any gets another.
static int64_t roundsFor(int64_t calls, size_t problems) {
  constexpr int64_t kMax = 6;
  return std::clamp<int64_t>(calls / std::max<size_t>(problems, 1), 1, kMax);
}

void LlmOptions::askIn(SearchOptions &search, Chat &chat,
                       size_t problems) const {
  ChatPolicyOptions with;
  with.rounds = roundsFor(this->chat.limits.calls, problems);
  with.seed = search.seed;
  with.isWithin = search.isWithin;
  search.model = chat.model();
  search.makePolicy =
      [&chat, with](const Problem &problem,
                    const Arch &arch) -> Expected<std::unique_ptr<Policy>> {
    ChatPolicyOptions options = with;
    options.hints = hintsFor(problem, arch);
    llvm::erase_if(options.hints, [&](const PromptHint &hint) {
      return options.isWithin && !options.isWithin(problem, hint.schedule);
    });
    return std::unique_ptr<Policy>(
        std::make_unique<ChatPolicy>(chat, problem, arch, std::move(options)));
  };
}

std::vector<std::string> hone::remarksOf(Chat &chat, bool isOver) {
  // Calls in flight may have a cost, too.
  if (isOver)
    chat.finish();
  std::vector<std::string> remarks = chat.takeRemarks();
  ChatCost cost = chat.cost();
  if (isOver && cost.calls)
    remarks.push_back(llvm::formatv("LLM {0}: {1}", chat.model(), cost.str()));
  return remarks;
}

std::string hone::shareOf(Chat &chat, llvm::ArrayRef<SearchResult> results) {
  int64_t advised = 0, all = 0;
  for (const SearchResult &result : results)
    for (const auto &[proposer, trials] : result.byProposer) {
      bool isAdvice = proposer == kChatPolicy ||
                      StringRef(proposer).rsplit('/').second == "advice";
      advised += isAdvice ? trials : 0;
      all += trials;
    }
  return llvm::formatv("LLM {0}: {1} of {2} trials were of its schedules",
                       chat.model(), advised, all);
}
