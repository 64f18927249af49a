//===- ComparisonTest.cpp - Tests of comparisons between policies ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Qualities computed by hand, in tables of three schedules.
//
//===----------------------------------------------------------------------===//

#include "lib/Lab/Comparison.h"
#include "hone/Policy/Tasks.h"
#include "hone/Space/Catalogue.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

/// Each shape has a different best schedule; `stages = 4` is never bad.
constexpr const char *kTable = R"(schedule;nt f16:f16;512x512x512;1024x512x512
small, tile = 64x64x64, stages = 8;;2;8
small, tile = 64x64x64, stages = 4;;2.5;5
small, tile = 64x64x64, stages = 2;;8;4
)";

DenseTable tableOf(const char *text) {
  return llvm::cantFail(parseDenseTable(text));
}
const Arch &h200() {
  static const Arch arch = llvm::cantFail(Arch::lookup("h200"));
  return arch;
}
std::string stagesOf(const std::vector<Schedule> &list) {
  std::string text;
  for (const Schedule &schedule : list)
    text += std::to_string(schedule["stages"][0]) + " ";
  return text;
}

TEST(Comparison, CoverTakesTheLargestGain) {
  EXPECT_EQ(stagesOf(coverOf(tableOf(kTable), 1)), "4 ");
  // Then 4/5 of the time of one shape can be gained, and 2/2.5 of the other: a
  // tie.
  EXPECT_EQ(coverOf(tableOf(kTable), 2).size(), 2u);
  EXPECT_EQ(coverOf(tableOf(kTable), 9).size(), 3u);
  EXPECT_TRUE(coverOf({}, 9).empty());
}

TEST(Comparison, CoverIsMeasuredInItsOrder) {
  DenseTable table = tableOf(kTable);
  ComparisonOptions options;
  options.policies = {kCoverPolicy.str()};
  options.measurements = {1, 3};
  options.seeds = 2;
  options.peers.cover = coverOf(table, 3);
  std::vector<Standing> all =
      llvm::cantFail(comparePolicies(table, h200(), Model::shipped(), options));
  ASSERT_EQ(all.size(), 3u);
  for (size_t at : {0, 1}) {
    EXPECT_EQ(all[at].measurements, int64_t(at));
    EXPECT_EQ(all[at].qualities,
              (std::vector<std::vector<double>>{{0.8, 0.8}, {0.8, 0.8}}));
    EXPECT_DOUBLE_EQ(all[at].overProblems().value, 0.8);
    EXPECT_DOUBLE_EQ(all[at].quantileOf(0), 0.8);
    EXPECT_DOUBLE_EQ(all[at].lossOf(1), 0.25);
  }
  EXPECT_DOUBLE_EQ(all[2].overProblems().low, 1);
  EXPECT_EQ(all[2].searches(), std::vector<double>(4, 1));
  EXPECT_GT(all[2].proposals, 0);
}

TEST(Comparison, ASearchGoesOnUntilTheGoal) {
  DenseTable table = tableOf(kTable);
  ComparisonOptions options;
  options.policies = {kCoverPolicy.str()};
  options.measurements = {1};
  options.seeds = 2;
  options.goal = 0.9;
  options.max = 7;
  auto untilGoal = [&] {
    auto all = llvm::cantFail(
        comparePolicies(table, h200(), Model::shipped(), options));
    EXPECT_TRUE(all.front().untilGoal.empty());
    return all.back().untilGoal;
  };
  using Counts = std::vector<std::vector<double>>;
  // The second schedule is the best of one shape, the third of the other.
  options.peers.cover = coverOf(table, 3);
  Counts counts = untilGoal();
  llvm::sort(counts);
  EXPECT_EQ(counts, (Counts{{2, 2}, {3, 3}}));
  // A goal that is not reached counts as all possible measurements.
  options.peers.cover.resize(1);
  EXPECT_EQ(untilGoal(), (Counts{{7, 7}, {7, 7}}));
  options.goal = 0.8;
  EXPECT_EQ(untilGoal(), (Counts{{1, 1}, {1, 1}}));
}

/// The file's shapes are neighbours of each other.
TEST(Comparison, NearestTakesWhatWonNearBy) {
  DenseTable table = tableOf("schedule;nt f16:f16;512x512x512;1024x512x512;"
                             "64x64x64;512x512x1024\n"
                             "small, tile = 64x64x64, stages = 8;;2;8;1;2\n"
                             "small, tile = 64x64x64, stages = 4;;3;5;2;3\n"
                             "small, tile = 64x64x64, stages = 2;;8;4;3;4\n");
  Peers peers = peersOf(table, h200(), {kNearestPolicy.str()}, 0);
  ASSERT_EQ(peers.problems.size(), 4u);
  Problem problem = peers.problems.front();
  problem.m = 900;
  problem.n = problem.k = 512;
  EXPECT_EQ(stagesOf(nearestFor(peers, problem, h200(), {})), "2 8 ");
  problem.m = 600;
  EXPECT_EQ(stagesOf(nearestFor(peers, problem, h200(), {})), "8 2 ");
  auto isWithin = [](const Problem &, const Schedule &schedule) {
    return schedule["stages"][0] == 2;
  };
  EXPECT_EQ(stagesOf(nearestFor(peers, problem, h200(), isWithin)), "2 ");
  problem.b.order = Order::row; // none was measured
  EXPECT_TRUE(nearestFor(peers, problem, h200(), {}).empty());
}

/// A proposal from another problem must keep this problem's laws.
TEST(Comparison, PeersProposeNothingIllegal) {
  DenseTable table = tableOf(kTable);
  Peers peers =
      peersOf(table, h200(), {kNearestPolicy.str(), kCoverPolicy.str()}, 9);
  Problem odd = table.front().problem;
  odd.m = odd.n = odd.k = 333;
  odd.a.align = odd.b.align = odd.alignC = 2;
  for (const Problem &problem : {table.front().problem, odd}) {
    std::vector<Schedule> list = nearestFor(peers, problem, h200(), {});
    llvm::append_range(list, coveredFor(peers, problem, h200(), {}));
    EXPECT_EQ(list.empty(), problem == odd);
    for (const Schedule &schedule : list) {
      EXPECT_FALSE(check(schedule, &problem, &h200()));
      EXPECT_FALSE(checkMemory(schedule, problem));
    }
  }
}

TEST(Comparison, EveryPeerSearches) {
  DenseTable table = tableOf(kTable);
  for (DenseShape &shape : table) {
    shape.schedules = shortlist(shape.problem, h200(), 12);
    shape.seconds.assign(shape.schedules.size(), 1e-6);
  }
  ComparisonOptions options;
  for (llvm::StringRef name : peerNames())
    options.policies.push_back(name.str());
  options.measurements = {3};
  options.seeds = 1;
  TreesOptions trees;
  trees.rounds = 3;
  options.peers = peersOf(table, h200(), options.policies, 3, trees);
  std::vector<Standing> all =
      llvm::cantFail(comparePolicies(table, h200(), Model::shipped(), options));
  ASSERT_EQ(all.size(), 2 * peerNames().size());
  // A list may have no schedule of a table; then only the default is measured.
  for (const Standing &standing : all)
    if (standing.measurements > 0)
      EXPECT_EQ(standing.problems(), 2u) << standing.policy;
}

/// Problems differ more than the two policies do, and their bands overlap.
TEST(Comparison, RatiosAreOfEachProblem) {
  Standing one, other;
  for (double quality : {0.5, 0.7, 0.9, 0.6, 0.8, 0.95}) {
    one.qualities.push_back({quality, quality});
    other.qualities.push_back({0.98 * quality});
  }
  one.qualities.push_back({});
  other.qualities.push_back({1});
  EXPECT_EQ(one.problems(), 6u);
  EXPECT_EQ(other.problems(), 7u);
  EXPECT_LT(one.overProblems().low, other.overProblems().high);
  Ratio ratio = one.over(other);
  EXPECT_NEAR(ratio.value, 1 / 0.98, 1e-9);
  EXPECT_NEAR(ratio.low, 1 / 0.98, 1e-9);
  EXPECT_NEAR(ratio.high, 1 / 0.98, 1e-9);
}

/// A second model has a separate search.
TEST(Comparison, TwoModelsSearchTheSameProblems) {
  DenseTable table = tableOf(kTable);
  ComparisonOptions options;
  options.policies = {"learned", kBesidePolicy.str()};
  options.measurements = {1};
  options.seeds = 1;
  options.beside = Model::shipped();
  std::vector<Standing> all =
      llvm::cantFail(comparePolicies(table, h200(), Model::shipped(), options));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].qualities, all[3].qualities);
  EXPECT_DOUBLE_EQ(all[1].over(all[3]).value, 1);
}

/// Policies receive noisy times; qualities use the recorded ones.
TEST(Comparison, QualitiesAreOfRecordedTimes) {
  DenseTable table = tableOf(kTable);
  ComparisonOptions options;
  options.policies = {"exhaustive", "random", "default"};
  options.measurements = {1, 2, 64};
  options.noise = 0.1;
  for (const Standing &standing : llvm::cantFail(
           comparePolicies(table, h200(), Model::shipped(), options)))
    for (double quality : standing.searches()) {
      EXPECT_GT(quality, 0) << standing.policy;
      EXPECT_LE(quality, 1) << standing.policy;
    }
}

TEST(Comparison, JoinsTablesOfTheSameProblem) {
  DenseTable other = tableOf("schedule;nt f16:f16;512x512x512;64x64x64\n"
                             "small, tile = 64x64x64, stages = 8;;1;3\n"
                             "small, tile = 64x64x64, stages = 6;;9;3\n");
  DenseTable all = joinTables({tableOf(kTable), other});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].problem.m, 64); // by work
  EXPECT_EQ(all[1].seconds.size(), 4u);
  EXPECT_DOUBLE_EQ(all[1].best(), 2e-6); // the first table's
}

TEST(Comparison, WhatLinesRuleOutIsLeftOut) {
  DenseTable table = tableOf(kTable);
  ASSERT_FALSE(table.empty());
  DenseShape &shape = table.front();
  const size_t before = joinTables({table}).size();
  // Lines of C that end within 16 bytes: no copy engine stores them.
  shape.problem.n = 4097;
  shape.schedules = {llvm::cantFail(parseSchedule("ws")),
                     llvm::cantFail(parseSchedule("ws, store = threads"))};
  shape.seconds = {1e-6, 2e-6};
  DenseTable joined = joinTables({table});
  auto at = llvm::find_if(
      joined, [](const DenseShape &one) { return one.problem.n == 4097; });
  ASSERT_NE(at, joined.end());
  ASSERT_EQ(at->schedules.size(), 1u);
  EXPECT_EQ(at->seconds.front(), 2e-6);
  shape.schedules.pop_back();
  shape.seconds.pop_back();
  EXPECT_EQ(joinTables({table}).size(), before - 1) << "nothing is left";
}

TEST(Comparison, TenthsAreASplit) {
  DenseTable table = tableOf(kTable);
  for (int64_t tenth = 0; tenth < 10; ++tenth) {
    DenseTable some = tenthsOf(table, {tenth});
    EXPECT_EQ(some.size() + tenthsOf(table, {tenth}, true).size(), 2u);
    for (const DenseShape &shape : some)
      EXPECT_EQ(partOf(shape.problem, 10), size_t(tenth));
  }
}

TEST(Comparison, AnUnknownPolicyIsAnError) {
  ComparisonOptions options;
  options.policies = {"best"};
  auto all =
      comparePolicies(tableOf(kTable), h200(), Model::shipped(), options);
  ASSERT_FALSE(bool(all));
  EXPECT_NE(llvm::toString(all.takeError()).find("got 'best'"),
            std::string::npos);
}

} // namespace
