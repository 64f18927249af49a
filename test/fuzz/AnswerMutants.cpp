//===- AnswerMutants.cpp - Fuzzer of answers of language models -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-answers damages the answers of a language model and the replies of
// its endpoint, and reads each mutant in a child process. Accepted schedules
// must keep every law, be distinct, and be no more than requested. Text for
// display must be printable and short.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Mutate.h"
#include "hone/Chat/Answer.h"
#include "hone/Chat/Grammar.h"
#include "hone/Space/Catalogue.h"
#include "lib/Chat/Wire.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace hone;
using namespace hone::fuzz;

static constexpr size_t kMax = 6;

static Problem problemOf(uint64_t number) {
  fuzz::Random random(number);
  Problem problem;
  problem.m = 64 << random.below(7);
  problem.n = 64 << random.below(7);
  problem.k = 64 << random.below(7);
  problem.b.order = random.pick({Order::row, Order::col});
  return problem;
}

static Arch archOf(uint64_t number) {
  return llvm::cantFail(Arch::lookup(number % 3 ? "h200" : "a100"));
}

/// A valid answer, or one with permitted deviations.
static std::string makeAnswer(uint64_t number) {
  fuzz::Random random(number);
  std::vector<Schedule> all = catalogue(problemOf(number), archOf(number));
  std::string text = "{\"plan\": \"fewer loads\", \"schedules\": [";
  for (size_t at = 0; at < 4; ++at) {
    const Schedule &one = all[random.below(all.size())];
    text += at ? ",\n" : "";
    text +=
        "\"" + (random.chance(80) ? toAnswerText(one) : toString(one)) + "\"";
  }
  text += "]}";
  if (random.chance(30))
    text = "<think>{}</think> Here:\n```json\n" + text + "\n```";
  if (random.chance(20))
    text.resize(random.below(text.size()) + 1);
  return text;
}

/// Every second number wraps the answer in a reply.
static std::string makeSeed(uint64_t number) {
  std::string answer = makeAnswer(number);
  if (number % 2)
    return answer;
  llvm::json::Object message{{"role", "assistant"}, {"content", answer}};
  llvm::json::Object choice{{"message", std::move(message)},
                            {"finish_reason", "stop"}};
  return llvm::formatv(
      "{0}", llvm::json::Value(llvm::json::Object{
                 {"choices", llvm::json::Array{std::move(choice)}},
                 {"usage", llvm::json::Object{{"prompt_tokens", 3},
                                              {"completion_tokens", 4}}}}));
}

static bool isPlain(llvm::StringRef text) {
  constexpr size_t kLongest = 420;
  return text.size() <= kLongest && llvm::all_of(text, llvm::isPrint);
}

static bool isSound(llvm::StringRef text, uint64_t number) {
  Problem problem = problemOf(number);
  Arch arch = archOf(number);
  auto answer = parseAnswer(text, {problem, arch, allKinds(), kMax});
  if (!answer)
    return isPlain(llvm::toString(answer.takeError()));
  std::set<std::string> texts;
  for (const Schedule &schedule : answer->schedules) {
    if (!isLegal(schedule, problem, arch) ||
        !texts.insert(toString(schedule)).second)
      return false;
    auto again = parseSchedule(toString(schedule));
    if (!again)
      return llvm::consumeError(again.takeError()), false;
  }
  for (const Refusal &refused : answer->refused)
    if (!isPlain(refused.text) || !isPlain(refused.reason))
      return false;
  return answer->schedules.size() <= kMax && isPlain(answer->plan);
}

static bool isSoundReply(llvm::StringRef text, uint64_t number) {
  HttpReply reply;
  reply.ending = HttpReply::answered;
  reply.status = 200;
  reply.body = text.str();
  if (!isPlain(detail::errorOf(reply)))
    return false;
  auto answer = detail::readReply(reply);
  if (!answer)
    return isPlain(llvm::toString(answer.takeError()));
  return answer->isOk() ? isSound(answer->text, number)
                        : isPlain(answer->fault);
}

int main(int argc, char **argv) {
  fuzz::Options options = fuzz::Options::parse(argc, argv);
  auto seedOf = [&](int64_t number) {
    return fuzz::Random(uint64_t(options.seed) * 1000003 + number).below(64);
  };
  return requireSound(
      options,
      [&](int64_t number) {
        fuzz::Random random(uint64_t(options.seed) * 1000033 + number);
        return FuzzCase{number, damaged(makeSeed(seedOf(number)), random)};
      },
      [&](const FuzzCase &fuzzCase) {
        uint64_t seed = seedOf(fuzzCase.number);
        return seed % 2 ? isSound(fuzzCase.text, seed)
                        : isSoundReply(fuzzCase.text, seed);
      });
}
