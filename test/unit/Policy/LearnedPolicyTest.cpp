//===- LearnedPolicyTest.cpp - Tests of the proposals of a trained model --===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No illegal proposal, no repetition, and the same proposals for the same seed.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/LearnedPolicy.h"
#include "../Search/Fixtures.h"
#include "hone/Search/Search.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

/// Built-in judges, with a writer of random weights.
const Model &withWriter() {
  static const Model model = [] {
    Model both = llvm::cantFail(Model::parse(Model::shipped().str()));
    both.writer = untrainedWriter({0, 8, 2, 1, 8}, 1);
    Network &network = both.writer->networks.front();
    network.initialize(1);
    std::mt19937_64 dice(2);
    for (float &value : network.parameters())
      value += 0.02f * (float(dice() >> 40) * 0x1p-23f - 1);
    return both;
  }();
  return model;
}

struct Way {
  bool leaves = false, writes = false, hasWriter = false;
};
constexpr Way kLearned,
    kHybrid = {true}, kWriter = {false, true, true},
    kWays[] = {
        kLearned, kHybrid, kWriter, {true, false, true}, {false, true, false}};

std::unique_ptr<Policy> policyOf(const Problem &problem, Way way,
                                 uint64_t seed = 1,
                                 std::unique_ptr<Policy> adviser = nullptr,
                                 Within isWithin = {}) {
  LearnedOptions options;
  options.leaves = way.leaves;
  options.writes = way.writes;
  return makeLearnedPolicy(way.hasWriter ? withWriter() : Model::shipped(),
                           Space(problem, h200(), isWithin, allKinds()), seed,
                           options, std::move(adviser));
}

/// Gives the results of all trials under way before it requests more.
std::vector<Schedule> proposalsOf(Policy &policy, size_t count,
                                  const FakeEvaluator::Measure &measure,
                                  bool backwards = false) {
  std::vector<Schedule> all;
  while (all.size() < count) {
    std::vector<Schedule> some, more;
    while (!(more = policy.propose(3)).empty())
      some.insert(some.end(), more.begin(), more.end());
    if (some.empty())
      break;
    EXPECT_TRUE(policy.isWaiting());
    all.insert(all.end(), some.begin(), some.end());
    if (backwards)
      std::reverse(some.begin(), some.end());
    for (const Schedule &schedule : some)
      policy.receive(schedule, measure(schedule));
    EXPECT_FALSE(policy.isWaiting());
  }
  return all;
}

Measurement plain(const Schedule &schedule) { return okIn(timeOf(schedule)); }

std::vector<std::string> textsOf(llvm::ArrayRef<Schedule> schedules) {
  std::vector<std::string> texts;
  for (const Schedule &schedule : schedules)
    texts.push_back(toString(schedule));
  return texts;
}

std::vector<Problem> someProblems() {
  Problem odd = problemOf(333, 1001, 777);
  odd.a.align = odd.b.align = odd.alignC = 2;
  return {problemOf(1, 1, 1), problemOf(512, 512, 2048, Order::row), odd};
}

TEST(LearnedPolicy, ProposesWhatIsLegalAndEachOnce) {
  for (const Problem &problem : someProblems())
    for (Way way : kWays) {
      auto policy = policyOf(problem, way);
      std::set<std::string> seen;
      for (const Schedule &schedule : proposalsOf(*policy, 40, plain)) {
        EXPECT_FALSE(check(schedule, &problem));
        EXPECT_TRUE(seen.insert(toString(schedule)).second)
            << toString(schedule);
      }
      EXPECT_GT(seen.size(), 0u);
    }
}

TEST(LearnedPolicy, TheOrderOfRepliesDoesNotMatter) {
  Problem problem = problemOf(1024, 768, 512);
  for (Way way : kWays) {
    auto one = policyOf(problem, way), other = policyOf(problem, way);
    EXPECT_EQ(textsOf(proposalsOf(*one, 40, plain)),
              textsOf(proposalsOf(*other, 40, plain, /*backwards=*/true)));
  }
  auto one = policyOf(problem, kHybrid), other = policyOf(problem, kHybrid, 2);
  EXPECT_NE(textsOf(proposalsOf(*one, 40, plain)),
            textsOf(proposalsOf(*other, 40, plain)));
}

TEST(LearnedPolicy, FailuresDoNotStopIt) {
  auto policy = policyOf(problemOf(512, 512, 512), kHybrid);
  size_t count = 0;
  auto measure = [&](const Schedule &schedule) {
    Measurement result = plain(schedule);
    if (count++ % 2)
      result.status = Status::compileError;
    return result;
  };
  EXPECT_GE(proposalsOf(*policy, 30, measure).size(), 30u);
}

TEST(LearnedPolicy, EndsWhereThereIsNothingElse) {
  Problem problem = problemOf(512, 512, 512);
  Space space(problem, h200(), {}, allKinds());
  std::set<std::string> few;
  for (const Schedule &schedule : space.listed().take_front(12))
    few.insert(toString(schedule));
  Within isWithin = [&](const Problem &, const Schedule &schedule) {
    return few.count(toString(schedule)) > 0;
  };
  for (Way way : kWays) {
    auto policy = policyOf(problem, way, 1, nullptr, isWithin);
    std::vector<std::string> texts = textsOf(proposalsOf(*policy, 1000, plain));
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()), few);
    EXPECT_EQ(texts.size(), few.size());
    EXPECT_FALSE(policy->isWaiting());
  }
}

/// A build's choice is tried, whatever the result of the default.
TEST(LearnedPolicy, BeginsWithTheDefaultAndTheFavourite) {
  const Problem problem = problemOf(136, 5904, 4816);
  for (Way way : {kLearned, kHybrid}) {
    std::unique_ptr<Policy> policy = policyOf(problem, way);
    std::vector<Schedule> first = policy->propose(8);
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(toString(first[0]), toString(defaultSchedule(problem, h200())));
    EXPECT_TRUE(policy->isWaiting());
    // Of the two, the second has the better judgement before any result.
    EXPECT_EQ(toString(policyOf(problem, way)->ranked(first).front()),
              toString(first[1]));
  }
}

/// A list of eight is written whole, so the judges' favourite comes first,
/// whatever the writer's odds are.
TEST(LearnedPolicy, JudgesRankWhatAWriterWrites) {
  const Problem problem = problemOf(512, 512, 512);
  Space whole(problem, h200(), {}, allKinds());
  // Without the default, which every search measures first.
  std::string usual = toString(defaultSchedule(problem, h200()));
  std::set<std::string> few;
  for (const Schedule &schedule : whole.listed())
    if (few.size() < 8 && toString(schedule) != usual)
      few.insert(toString(schedule));
  Within isWithin = [&](const Problem &, const Schedule &schedule) {
    return few.count(toString(schedule)) > 0;
  };
  Space space(problem, h200(), isWithin, allKinds());
  auto policy = policyOf(problem, kWriter, 1, nullptr, isWithin);
  std::string favourite =
      toString(policy->ranked(space.listed().vec()).front());
  EXPECT_EQ(toString(*writtenSchedule(withWriter(), space)), favourite);
  EXPECT_EQ(toString(policy->propose(1).front()), favourite);
}

TEST(LearnedPolicy, OnlyHybridsAndWritersLeaveTheList) {
  Problem problem = problemOf(768, 768, 768);
  // The default competes, in the catalogue or not.
  std::set<std::string> listed = {toString(defaultSchedule(problem, h200()))};
  Space space(problem, h200(), {}, allKinds());
  for (const Schedule &schedule : space.listed())
    listed.insert(toString(schedule));
  for (Way way : kWays) {
    auto policy = policyOf(problem, way);
    bool hasLeft = false;
    for (const std::string &text : textsOf(proposalsOf(*policy, 64, plain)))
      hasLeft |= !listed.count(text);
    EXPECT_EQ(hasLeft, way.leaves || way.writes);
  }
}

/// Proposes one legal and one illegal schedule.
class Adviser : public Policy {
public:
  Adviser(std::vector<Schedule> advice, std::map<std::string, Status> &received)
      : advice(std::move(advice)), received(received) {}
  std::vector<Schedule> propose(size_t) override {
    return std::exchange(advice, {});
  }
  void receive(const Schedule &schedule, const Measurement &result) override {
    received.emplace(toString(schedule), result.status);
  }

private:
  std::vector<Schedule> advice;
  std::map<std::string, Status> &received;
};

TEST(LearnedPolicy, WhatAnAdviserProposesIsTried) {
  Problem problem = problemOf(512, 512, 512);
  Space space(problem, h200(), {}, allKinds());
  // The model's lowest-ranked schedule, and one that breaks a law.
  Schedule last = space.ranked().back(), broken = last;
  broken.numbers().front() = 7;
  ASSERT_TRUE(check(broken, &problem));
  std::map<std::string, Status> received;
  auto policy = policyOf(
      problem, kHybrid, 1,
      std::make_unique<Adviser>(std::vector<Schedule>{broken, last}, received));
  std::vector<Schedule> some;
  for (int round = 0; round < 3; ++round)
    for (const Schedule &schedule : policy->propose(8)) {
      some.push_back(schedule);
      policy->receive(schedule, schedule == broken
                                    ? failed(Status::illegal, "a law")
                                    : plain(schedule));
    }
  EXPECT_TRUE(llvm::is_contained(some, last));
  // A search records the illegal one, without a trial.
  EXPECT_TRUE(llvm::is_contained(some, broken));
  EXPECT_EQ(policy->originOf(broken), "advice");
  for (const Schedule &schedule : some)
    EXPECT_TRUE(received.count(toString(schedule))) << toString(schedule);
  EXPECT_EQ(received.at(toString(broken)), Status::illegal);
  EXPECT_FALSE(policy->propose(8).empty());
}

/// A record has the proposer of its trial, and one trial in 24 is random.
TEST(LearnedPolicy, RecordsHaveTheProposer) {
  FakeEvaluator evaluator;
  std::map<std::string, int64_t> received;
  SearchOptions options;
  options.policy = "hybrid";
  options.trials = 48;
  options.makePolicy = llvm::cantFail(policyMaker("hybrid", 1));
  SearchHooks hooks;
  hooks.received = [&](const Record &record) {
    if (record.grade == Grade::trial)
      ++received[record.provenance.policy];
  };
  Search search(evaluator, nullptr, options, hooks);
  std::vector<SearchResult> results =
      llvm::cantFail(search.run({problemOf(512, 512, 512)}));
  ASSERT_EQ(results.size(), 1u);
  std::map<std::string, int64_t> by = results.front().byProposer;
  int64_t sum = 0;
  for (const auto &[name, trials] : by)
    sum += trials;
  EXPECT_EQ(sum, results.front().trials);
  EXPECT_EQ(by["default"], 1);
  EXPECT_GT(by["hybrid/catalogue"], 0);
  EXPECT_GT(by["hybrid/children"], 0);
  EXPECT_NEAR(double(by["hybrid/luck"]), 2, 1);
  for (const auto &[name, trials] : by)
    EXPECT_GE(received[name], trials) << name;
  EXPECT_TRUE(by.count(results.front().proposer)) << results.front().proposer;
}

TEST(LearnedPolicy, ProposalsHaveOriginsIfThereAreSeveral) {
  for (Way way : {kLearned, kHybrid}) {
    auto policy = policyOf(problemOf(512, 512, 512), way);
    for (const Schedule &schedule : proposalsOf(*policy, 16, plain))
      EXPECT_EQ(policy->originOf(schedule).empty(), !way.leaves);
  }
}

} // namespace
