//===- SearchFaultsTest.cpp - Tests of a search with faults ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failing candidates, evaluators that disappear, policies with invalid
// proposals: each costs as little as possible, and no result is lost.
//
//===----------------------------------------------------------------------===//

#include "SearchFixture.h"
#include "hone/Schedule/Host.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/CostModel.h"
#include <chrono>
#include <random>
#include <unistd.h>

using namespace hone;
using namespace hone::test;

namespace {

class SearchFaultsTest : public SearchTest {};

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(SearchFaultsTest, AFailureCostsOneCandidate) {
  int64_t count = 0;
  evaluator.measure = [&](const Schedule &schedule) {
    switch (++count % 4) {
    case 1:
      return failed(Status::compileError, "ptxas broke down");
    case 2:
      return failed(Status::fault, "an illegal address");
    case 3:
      return failed(Status::timeout, "it sent no message for 10 s");
    }
    return okIn(timeOf(schedule));
  };
  evaluator.inFinal = [](const Schedule &one) { return okIn(timeOf(one)); };
  SearchResult result = runOne();
  ASSERT_TRUE(result.chosen);
  EXPECT_NE(toString(*result.chosen), usual()); // which did not compile
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 2);
  EXPECT_EQ(result.byStatus[size_t(Status::compileError)], 3);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 3);
  EXPECT_EQ(result.byStatus[size_t(Status::timeout)], 3);
  bool hasReason = false;
  for (const Record &record : stored())
    hasReason |= record.reason == "it sent no message for 10 s";
  EXPECT_TRUE(hasReason);
}

/// The evaluator does not bound the time of a search.
TEST_F(SearchFaultsTest, AnEvaluatorThatNeverAnswersIsLeft) {
  struct Silent : FakeEvaluator {
    void ask(Question) override {}
    llvm::Expected<std::optional<Reply>> next(double) override {
      usleep(10000);
      return std::nullopt;
    }
  } silent;
  options.seconds = 0.1;
  options.overtime = 0.2;
  auto start = std::chrono::steady_clock::now();
  auto results =
      llvm::cantFail(Search(silent, &*database, options, hooks).run({problem}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_FALSE(results.front().isFinished);
  EXPECT_FALSE(results.front().chosen);
}

TEST_F(SearchFaultsTest, WhereNothingWorksNothingIsChosen) {
  evaluator.measure = [](const Schedule &) {
    return failed(Status::fault, "the launch failed");
  };
  SearchResult result = runOne();
  EXPECT_FALSE(result.chosen);
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 11);
  EXPECT_EQ(evaluator.finals(), 0u);
  EXPECT_FALSE(
      llvm::cantFail(database->best(problem, "h200", evaluator.toolchain())));
}

/// A kernel that is right alone and wrong under load fails in the final.
TEST_F(SearchFaultsTest, AFinalistThatTurnsOutWrongIsOut) {
  std::string cheat;
  evaluator.measure = [&](const Schedule &schedule) {
    if (cheat.empty() && toString(schedule) != usual())
      cheat = toString(schedule);
    return okIn(toString(schedule) == cheat ? 0.5e-3 : timeOf(schedule));
  };
  evaluator.inFinal = [&](const Schedule &schedule) {
    return toString(schedule) == cheat
               ? failed(Status::wrong, "the last tile is not there")
               : okIn(timeOf(schedule));
  };
  SearchState last;
  hooks.watch = [&](const SearchState &state) { last = state; };
  SearchResult result = runOne();
  EXPECT_NE(toString(*result.chosen), cheat);
  EXPECT_EQ(last.byStatus, result.byStatus);
  EXPECT_EQ(result.byStatus[size_t(Status::wrong)], 1);
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 10);
  for (const Record &record : stored())
    if (toString(record.schedule) == cheat) {
      EXPECT_EQ(record.status, Status::wrong);
      EXPECT_EQ(record.reason, "the last tile is not there");
    }
}

TEST_F(SearchFaultsTest, AfterAFinalThatAllFailTheNextFastestHaveOne) {
  size_t count = 0;
  evaluator.inFinal = [&](const Schedule &schedule) {
    return ++count <= 5 ? failed(Status::fault, "under load")
                        : okIn(timeOf(schedule));
  };
  SearchResult result = runOne();
  EXPECT_EQ(evaluator.finals(), 2u);
  EXPECT_TRUE(result.chosen);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 5);
  evaluator.inFinal = [&](const Schedule &) {
    return failed(Status::fault, "under load");
  };
  problem = problemOf(1024, 512, 512);
  result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.byStatus[size_t(Status::fault)], 11);
  EXPECT_FALSE(result.chosen);
}

TEST_F(SearchFaultsTest, TimesThatCanNotBeAreWrong) {
  double roofline = rooflineSeconds(problem, h200());
  int64_t count = 0;
  evaluator.measure = [&](const Schedule &schedule) {
    Measurement measured = okIn(timeOf(schedule));
    switch (count++) {
    case 1:
      return okIn(roofline / 2);
    case 2:
      return okIn(0);
    case 3:
      return okIn(std::nan(""));
    case 4:
      measured.times.samples = 0;
      return measured;
    case 5:
      measured.times.p90 = measured.times.median / 2;
      return measured;
    case 6:
      return okIn(roofline * 1.05);
    }
    return measured;
  };
  evaluator.inFinal = [](const Schedule &one) { return okIn(timeOf(one)); };
  SearchResult result = runOne();
  EXPECT_EQ(result.byStatus[size_t(Status::wrong)], 5);
  EXPECT_EQ(result.byStatus[size_t(Status::ok)], 6);
  for (const Record &record : stored())
    if (record.status == Status::wrong)
      EXPECT_NE(record.reason.find("the measurement is at fault"),
                std::string::npos);
}

TEST_F(SearchFaultsTest, AnEvaluatorThatGoesAwayLosesNothing) {
  evaluator.failsAfter = 6;
  EXPECT_EQ(errorOf({problem}), "no GPU answers");
  EXPECT_EQ(stored().size(), 6u);
  evaluator.failsAfter = -1;
  FakeEvaluator fresh;
  evaluator = fresh;
  SearchResult result = runOne();
  EXPECT_EQ(result.known, 6);
  EXPECT_EQ(result.trials, 5);
  EXPECT_TRUE(result.isFinished);
}

TEST_F(SearchFaultsTest, AnEvaluatorThatAnswersSomethingElseIsAnError) {
  struct Confused : FakeEvaluator {
    llvm::Expected<std::optional<Reply>> next(double seconds) override {
      auto reply = FakeEvaluator::next(seconds);
      if (reply && *reply)
        (*reply)->number += 1000;
      return reply;
    }
  } confused;
  auto results = Search(confused, nullptr, options).run({problem});
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(llvm::toString(results.takeError()),
            "expected a reply to a question that is under way, but got 1 "
            "measurements for number 1001");
}

TEST_F(SearchFaultsTest, ADatabaseThatCanNotBeWrittenIsAnError) {
  database.emplace(
      llvm::cantFail(Database::open(folder + "/hone.db", Access::read)));
  EXPECT_NE(errorOf({problem}), "");
  EXPECT_LE(evaluator.replies, 1);
}

TEST_F(SearchFaultsTest, BadInputIsAnError) {
  options.policy = "best";
  EXPECT_EQ(errorOf({problem}),
            "expected a policy, but got 'best'; use default, model, "
            "exhaustive, random or evolution");
  options.policy = "model";
  Problem open = problem;
  open.m = kDynamic;
  EXPECT_EQ(errorOf({problem, open}),
            "expected extents that are known and above 0, but got '" +
                open.str() +
                "'; use extents that the problem has when it runs");
  open.m = 0;
  EXPECT_NE(errorOf({open}), "");
  EXPECT_EQ(evaluator.asked.size(), 0u);
  EXPECT_TRUE(run({}).empty());
}

/// Proposes the given schedules.
class ScriptedPolicy : public Policy {
public:
  explicit ScriptedPolicy(std::function<std::vector<Schedule>(size_t)> script)
      : script(std::move(script)) {}
  std::vector<Schedule> propose(size_t count) override { return script(count); }

private:
  std::function<std::vector<Schedule>(size_t)> script;
};

//===----------------------------------------------------------------------===//
// Policies with invalid proposals
//===----------------------------------------------------------------------===//

/// The evaluator never receives a proposal that breaks a law.
TEST_F(SearchFaultsTest, GarbageNeverReachesTheEvaluator) {
  std::mt19937_64 engine(5);
  auto number = [&](int64_t end) { return int64_t(engine() % end); };
  std::vector<Schedule> known = catalogue(problem, h200());
  options.makePolicy = [&](const Problem &, const Arch &) {
    return std::make_unique<ScriptedPolicy>([&](size_t count) {
      std::vector<Schedule> some;
      while (some.size() < count) {
        Schedule schedule = known[number(known.size())];
        llvm::MutableArrayRef<int64_t> numbers = schedule.numbers();
        for (int64_t changes = number(4); changes > 0; --changes)
          numbers[number(numbers.size())] = number(600) - 20;
        if (number(20) == 0)
          schedule = Host();
        some.push_back(schedule);
      }
      return some;
    });
  };
  options.trials = 200;
  SearchResult result = runOne();
  EXPECT_EQ(evaluator.illegal, 0);
  EXPECT_EQ(result.trials, 201);
  EXPECT_GT(result.byStatus[size_t(Status::illegal)], 100);
  std::vector<std::string> tried = evaluator.trials();
  EXPECT_EQ(std::set<std::string>(tried.begin(), tried.end()).size(), 201u);
  // Stored records can be read back, and name the broken law.
  EXPECT_TRUE(llvm::cantFail(database->verify()).empty());
  size_t illegal = 0;
  for (const Record &record : stored())
    if (record.status == Status::illegal) {
      ++illegal;
      EXPECT_TRUE(llvm::StringRef(record.reason).starts_with("schedule_c"));
    }
  EXPECT_GT(illegal, 50u);
  EXPECT_LE(illegal, size_t(result.byStatus[size_t(Status::illegal)]));
}

TEST_F(SearchFaultsTest, APolicyThatRepeatsItselfEnds) {
  options.makePolicy = [&](const Problem &asked, const Arch &arch) {
    return std::make_unique<ScriptedPolicy>([=](size_t count) {
      return std::vector<Schedule>(count, defaultSchedule(asked, arch));
    });
  };
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(result.trials, 1);
}

TEST_F(SearchFaultsTest, APolicyThatWaitsForNothingEnds) {
  struct Waiting : Policy {
    std::vector<Schedule> propose(size_t) override { return {}; }
    bool isWaiting() const override { return true; }
  };
  options.makePolicy = [](const Problem &, const Arch &) {
    return std::make_unique<Waiting>();
  };
  SearchResult result = runOne();
  EXPECT_TRUE(result.isFinished);
  EXPECT_EQ(toString(*result.chosen), usual());
}

TEST_F(SearchFaultsTest, EveryProposalGetsOneResult) {
  struct Listening : Policy {
    explicit Listening(std::map<std::string, int> &received)
        : received(received) {}
    std::vector<Schedule> propose(size_t count) override {
      std::vector<Schedule> some;
      for (; some.size() < count && at < all.size(); ++at)
        some.push_back(all[at]);
      return some;
    }
    void receive(const Schedule &schedule, const Measurement &) override {
      ++received[toString(schedule)];
    }
    std::map<std::string, int> &received;
    std::vector<Schedule> all;
    size_t at = 0;
  };
  std::map<std::string, int> received;
  std::vector<Schedule> proposed;
  for (const Schedule &schedule : catalogue(problem, h200()))
    if (proposed.size() < 20)
      proposed.push_back(schedule);
  proposed.push_back(Host());                           // illegal here
  proposed.push_back(defaultSchedule(problem, h200())); // tried anyway
  std::string outside = toString(proposed[3]);
  options.isWithin = [&](const Problem &, const Schedule &schedule) {
    return toString(schedule) != outside;
  };
  options.makePolicy = [&](const Problem &, const Arch &) {
    auto policy = std::make_unique<Listening>(received);
    policy->all = proposed;
    return policy;
  };
  options.trials = 50;
  SearchResult result = runOne();
  for (const Schedule &schedule : proposed)
    EXPECT_EQ(received[toString(schedule)], 1) << toString(schedule);
  EXPECT_EQ(result.trials, 20); // 19 and the default
  for (const std::string &text : evaluator.trials())
    EXPECT_NE(text, outside);
}

} // namespace
