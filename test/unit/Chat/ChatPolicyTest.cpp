//===- ChatPolicyTest.cpp - Tests of the policy with a language model -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy alone, with an endpoint that is a function; then in a search.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/ChatPolicy.h"
#include "Fixtures.h"
#include "hone/Search/Search.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <thread>

using namespace hone;
using namespace hone::test;
namespace json = llvm::json;

namespace {

/// Answers questions by their number, from 1 on.
class ChatPolicyTest : public testing::Test {
protected:
  ChatPolicyTest() {
    options.url = "http://localhost/v1";
    options.model = "model";
    options.firstPause = 0.001;
    options.waitSeconds = 5;
  }
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("hone-chat", "", made));
    path = made.str().str();
  }
  void TearDown() override {
    policy.reset();
    chat.reset();
    llvm::sys::fs::remove(path);
  }

  void start() {
    options.post = endpoint.post();
    chat = llvm::cantFail(Chat::open(options));
    begin();
  }
  /// The default is slow, and is proposed first of all.
  void begin() {
    policy = std::make_unique<ChatPolicy>(*chat, problem, arch, with);
    for (const Schedule &schedule : policy->propose(8))
      policy->receive(schedule, okIn(1));
  }
  /// The proposals after the policy has stopped waiting.
  std::vector<std::string> propose(size_t count = 8) {
    std::vector<std::string> texts;
    do {
      for (const Schedule &schedule : policy->propose(count))
        texts.push_back(toString(schedule));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (texts.empty() && policy->isComputing());
    return texts;
  }
  void receive(const std::string &text, double seconds) {
    policy->receive(scheduleOf(text), okIn(seconds));
  }
  std::string remarks() {
    std::string all;
    for (const std::string &remark : chat->takeRemarks())
      all += remark + "\n";
    return all;
  }
  /// Four schedules for every question, faster each time.
  static std::string fourOf(int64_t number) {
    std::string all =
        "{\"plan\": \"p" + std::to_string(number) + "\", \"schedules\": [";
    for (int64_t at = 0; at < 4; ++at)
      all += llvm::formatv("{{\"kind\": \"mma_sync\", \"group\": {0}},",
                           10 * number + at)
                 .str();
    all.back() = ']';
    return all + "}";
  }

  int64_t questions = 0;
  std::vector<std::string> texts; ///< of the questions
  std::function<std::string(int64_t)> say = fourOf;
  FakeEndpoint endpoint = FakeEndpoint([this](const json::Object &asked) {
    texts.push_back(FakeEndpoint::textOf(asked).str());
    return answeredWith(replyWith(say(++questions)));
  });
  ChatOptions options;
  ChatPolicyOptions with;
  Problem problem = problemOf(512, 512, 512);
  Arch arch = h200();
  std::unique_ptr<Chat> chat;
  std::unique_ptr<ChatPolicy> policy;
  std::string path;
};

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

TEST_F(ChatPolicyTest, ProposesTheDefaultFirst) {
  options.post = endpoint.post();
  chat = llvm::cantFail(Chat::open(options));
  policy = std::make_unique<ChatPolicy>(*chat, problem, arch, with);
  std::vector<std::string> first = propose();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0], toString(defaultSchedule(problem, arch)));
  EXPECT_TRUE(propose().empty());
  EXPECT_TRUE(policy->isWaiting());
  EXPECT_EQ(questions, 0);
  EXPECT_TRUE(policy->proposals().empty());
}

TEST_F(ChatPolicyTest, MayHaveTheResultOfTheDefault) {
  options.post = endpoint.post();
  chat = llvm::cantFail(Chat::open(options));
  policy = std::make_unique<ChatPolicy>(*chat, problem, arch, with);
  policy->receive(defaultSchedule(problem, arch), okIn(1));
  EXPECT_EQ(propose().size(), 4u);
}

TEST_F(ChatPolicyTest, ProposesTheAnswersSchedules) {
  start();
  std::vector<std::string> first = propose(3);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0], toString(scheduleOf("mma_sync, group = 10")));
  EXPECT_EQ(propose().size(), 1u);
  EXPECT_TRUE(policy->isWaiting());
  ASSERT_EQ(policy->proposals().size(), 4u);
  EXPECT_EQ(policy->proposals()[3].by, "chat:model");
  EXPECT_EQ(policy->proposals()[3].plan, "p1");
  EXPECT_EQ(policy->proposals()[3].round, 1);
}

TEST_F(ChatPolicyTest, SendsResultsWithTheNextQuestion) {
  start();
  std::vector<std::string> first = propose();
  ASSERT_EQ(first.size(), 4u);
  for (size_t at = 0; at < 3; ++at)
    receive(first[at], 1e-3 * double(at + 1));
  EXPECT_TRUE(propose().empty()); // one is under way
  policy->receive(scheduleOf(first[3]),
                  failed(Status::compileError, "it spills"));
  EXPECT_EQ(propose().size(), 4u);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_NE(texts[0].find("Time over the best of 1, which takes 1000000.00 us"),
            std::string::npos);
  EXPECT_NE(texts[1].find("Time over the best of 4, which takes 1000.00 us"),
            std::string::npos);
  EXPECT_NE(texts[1].find("\n3.00 mma_sync"), std::string::npos);
  EXPECT_NE(texts[1].find("# Failed\n1 times build; e.g. mma_sync"),
            std::string::npos);
}

TEST_F(ChatPolicyTest, SendsBackWhyItRefuses) {
  say = [](int64_t number) {
    return number > 1 ? fourOf(number)
                      : "[{\"kind\": \"mma_sync\", \"stages\": 99}, "
                        "{\"kind\": \"mma_sync\", \"stages\": 3}]";
  };
  start();
  std::vector<std::string> first = propose();
  // A search records the illegal one.
  ASSERT_EQ(first.size(), 2u);
  EXPECT_NE(first[1].find("stages = 99"), std::string::npos);
  receive(first[0], 1e-3);
  std::string law = *check(scheduleOf(first[1]), &problem, &arch);
  policy->receive(scheduleOf(first[1]), failed(Status::illegal, law));
  for (const std::string &text : propose())
    receive(text, 1e-4);
  EXPECT_NE(
      texts[1].find("{\"kind\":\"mma_sync\",\"stages\":99}: schedule_c14: "
                    "expected stages to be 2 to 12"),
      std::string::npos);
  EXPECT_EQ(texts[1].find("# Failed"), std::string::npos);
  // Later questions name its law.
  propose();
  EXPECT_NE(texts[2].find("# Failed\n1 times law 14; e.g. mma_sync, stages = "
                          "99: schedule_c14"),
            std::string::npos);
  EXPECT_EQ(policy->proposals().size(), 9u);
}

TEST_F(ChatPolicyTest, StopsWhereNothingGains) {
  start();
  for (double seconds : {3e-3, 2e-3, 2e-3, 2e-3, 1e-3})
    for (const std::string &text : propose())
      receive(text, seconds);
  EXPECT_EQ(questions, 4);
  EXPECT_TRUE(propose().empty());
  EXPECT_FALSE(policy->isComputing());
  EXPECT_FALSE(policy->isWaiting());
}

TEST_F(ChatPolicyTest, StopsAfterItsRounds) {
  with.rounds = 3;
  start();
  for (double seconds : {5e-3, 4e-3, 3e-3, 2e-3, 1e-3})
    for (const std::string &text : propose())
      receive(text, seconds);
  EXPECT_EQ(questions, 3);
}

TEST_F(ChatPolicyTest, StopsWhereNothingIsNew) {
  say = [](int64_t) { return fourOf(1); };
  start();
  for (const std::string &text : propose())
    receive(text, 1e-3);
  EXPECT_TRUE(propose().empty());
  while (policy->isComputing())
    EXPECT_TRUE(propose().empty());
  EXPECT_LE(questions, 3);
  EXPECT_TRUE(policy->hasGivenUp());
  EXPECT_NE(remarks().find("got only known ones"), std::string::npos);
}

TEST_F(ChatPolicyTest, StopsWhereTheModelIsGone) {
  options.limits.calls = 1;
  start();
  EXPECT_TRUE(propose().empty());
  EXPECT_FALSE(policy->isComputing());
  EXPECT_TRUE(policy->hasGivenUp());
  std::string said = remarks();
  EXPECT_NE(said.find("it gets no further question about this problem"),
            std::string::npos);
  // The policy sends no request for another problem, and prints nothing new.
  problem = problemOf(64, 64, 64);
  begin();
  EXPECT_TRUE(propose().empty());
  EXPECT_EQ(remarks(), "");
}

TEST_F(ChatPolicyTest, WaitsNoLongerThanAllowed) {
  options.waitSeconds = 0.1;
  options.post = [](const HttpRequest &request) {
    while (!request.isCancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return HttpReply();
  };
  chat = llvm::cantFail(Chat::open(options));
  begin();
  EXPECT_TRUE(policy->propose(8).empty());
  EXPECT_TRUE(policy->isComputing());
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_FALSE(policy->isComputing());
}

TEST_F(ChatPolicyTest, KnowsWhatItIsGiven) {
  with.isWithin = [](const Problem &, const Schedule &schedule) {
    return schedule["group"].front() != 11;
  };
  start();
  receive("mma_sync, group = 10", 1e-3);
  EXPECT_EQ(propose().size(), 2u);
}

TEST_F(ChatPolicyTest, SendsNoQuestionWhereNoKindRuns) {
  problem.a.type = ElementType::bf16; // with b of f16: nothing multiplies that
  start();
  EXPECT_TRUE(propose().empty());
  EXPECT_EQ(endpoint.bodies.size(), 0u);
}

TEST_F(ChatPolicyTest, KnowsDecisionsThatAreNew) {
  with.kinds = kWithOftenHint;
  say = [](int64_t) {
    return R"([{"kind": "mma_sync", "hint": "last", "often": 3}])";
  };
  start();
  std::vector<Schedule> some;
  while (some.empty() && (some = policy->propose(8), policy->isComputing()))
    std::this_thread::yield();
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0]["often"].front(), 3);
  EXPECT_NE(texts[0].find("\nhint none|first|last: cache hint of the loads"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// In a search
//===----------------------------------------------------------------------===//

class ChatSearchTest : public ChatPolicyTest {
protected:
  /// Texts of the schedules that had a trial, problem by problem.
  std::vector<std::string> search(llvm::ArrayRef<Problem> problems) {
    options.post = endpoint.post();
    chat = llvm::cantFail(Chat::open(options));
    FakeEvaluator evaluator;
    SearchOptions search;
    search.policy = "chat";
    search.model = chat->model();
    search.trials = 12;
    search.makePolicy =
        [&](const Problem &one,
            const Arch &arch) -> llvm::Expected<std::unique_ptr<Policy>> {
      return std::unique_ptr<Policy>(
          std::make_unique<ChatPolicy>(*chat, one, arch, with));
    };
    SearchHooks hooks;
    hooks.received = [&](const Record &record) {
      models.insert(record.provenance.policy + ":" + record.provenance.model);
    };
    results =
        llvm::cantFail(Search(evaluator, nullptr, search, hooks).run(problems));
    return evaluator.trials();
  }

  std::vector<SearchResult> results;
  std::set<std::string> models;
};

TEST_F(ChatSearchTest, WaitsForAnswersAndChooses) {
  EXPECT_GE(search({problem}).size(), 9u);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].isFinished);
  EXPECT_TRUE(results[0].chosen);
  EXPECT_TRUE(models.count("chat:model"));
}

TEST_F(ChatSearchTest, SearchesManyProblemsTogether) {
  options.limits.calls = 1000;
  options.limits.tokens = 10000000;
  std::vector<Problem> problems;
  for (int64_t m = 1; m <= 40; ++m)
    problems.push_back(problemOf(64 * m, 64, 64));
  search(problems);
  for (const SearchResult &result : results)
    EXPECT_TRUE(result.isFinished && result.trials > 4)
        << result.problem.str() << ": " << result.trials;
  EXPECT_EQ(remarks(), "");
}

TEST_F(ChatSearchTest, ChoosesWithoutAModel) {
  say = [](int64_t) { return "I do not know."; };
  EXPECT_EQ(search({problem}).size(), 1u);
  EXPECT_TRUE(results[0].chosen);
}

TEST_F(ChatSearchTest, DoesTheSameWhenItIsReplayed) {
  options.record = path;
  std::vector<std::string> first = search({problem, problemOf(64, 64, 64)});
  int64_t asked = questions;
  ASSERT_GT(asked, 2);
  options.record = "";
  options.replay = path;
  options.url = options.model = "";
  say = [](int64_t) { return ""; };
  std::vector<std::string> second = search({problem, problemOf(64, 64, 64)});
  EXPECT_EQ(search({problem, problemOf(64, 64, 64)}), second);
  EXPECT_EQ(questions, asked);
  // With live answers the order of two problems depends on timing.
  llvm::sort(first);
  llvm::sort(second);
  EXPECT_EQ(second, first);
  EXPECT_EQ(chat->model(), "model");
  EXPECT_EQ(remarks(), "");
}

/// An answer with nothing new is followed by another question, live or
/// replayed.
TEST_F(ChatSearchTest, GoesOnAfterAnAnswerInVain) {
  say = [](int64_t number) {
    return number == 1 ? "I do not know." : fourOf(number);
  };
  options.record = path;
  std::vector<std::string> first = search({problem});
  EXPECT_GT(first.size(), 4u);
  options.record = "";
  options.replay = path;
  options.url = "";
  EXPECT_EQ(search({problem}), first);
}

TEST_F(ChatSearchTest, SaysWhatARecordLacks) {
  options.record = path;
  search({problem});
  options.record = "";
  options.replay = path;
  options.url = "";
  EXPECT_EQ(search({problemOf(64, 64, 64)}).size(), 1u);
  EXPECT_TRUE(results[0].chosen);
  EXPECT_NE(remarks().find("but got none; use --llm-url to ask"),
            std::string::npos);
}

} // namespace
