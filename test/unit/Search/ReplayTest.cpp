//===- ReplayTest.cpp - Tests of searches in a recorded table -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules of the table have results, others are errors, and randomness is the
// same every time. Then policies are compared on an H200's times.
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Search/ReplayEvaluator.h"
#include "hone/Search/Search.h"
#include "hone/Space/Catalogue.h"
#include "hone/Space/Space.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

constexpr const char *kTable = R"(schedule;nt f16:f16;64x64x64;512x512x512
small, tile = 64x64x64, stages = 8;;2.5;7.5
small, tile = 64x64x64, stages = 4;;3;
)";

/// An H200's times.
const DenseTable &denseTable() {
  static const DenseTable table = [] {
    auto buffer =
        llvm::MemoryBuffer::getFile(HONE_SOURCE_DIR "/data/h200/dense.csv");
    return buffer ? llvm::cantFail(parseDenseTable((*buffer)->getBuffer()))
                  : DenseTable();
  }();
  return table;
}

DenseTable smallTable() { return llvm::cantFail(parseDenseTable(kTable)); }
Schedule small(int64_t stages) {
  return llvm::cantFail(parseSchedule("small, tile = 64x64x64, stages = " +
                                      std::to_string(stages)));
}

Reply replyOf(ReplayEvaluator &evaluator, const Problem &problem,
              std::vector<Schedule> schedules) {
  evaluator.ask({7, problem, std::move(schedules)});
  return *llvm::cantFail(evaluator.next(0));
}

std::string errorOf(ReplayEvaluator &evaluator, const Problem &problem,
                    const Schedule &schedule) {
  evaluator.ask({7, problem, {schedule}});
  auto reply = evaluator.next(0);
  return reply ? "" : llvm::toString(reply.takeError());
}

TEST(Replay, AnswersWhatTheTableHas) {
  ReplayEvaluator evaluator(smallTable(), h200());
  EXPECT_FALSE(llvm::cantFail(evaluator.next(0)));
  Problem problem = problemOf(64, 64, 64);
  Reply reply = replyOf(evaluator, problem, {small(8)});
  EXPECT_EQ(reply.number, 7u);
  ASSERT_EQ(reply.measurements.size(), 1u);
  EXPECT_TRUE(reply.measurements[0].isOk());
  EXPECT_DOUBLE_EQ(reply.measurements[0].times.median, 2.5e-6);
  EXPECT_TRUE(reply.rounds.empty());

  reply = replyOf(evaluator, problem, {small(8), small(4)});
  ASSERT_EQ(reply.rounds.size(), 2u);
  EXPECT_EQ(reply.rounds[1], std::vector<double>(7, 3e-6));
  EXPECT_DOUBLE_EQ(reply.measurements[1].times.median, 3e-6);
  EXPECT_TRUE(evaluator.has(problem, small(4)));
  EXPECT_FALSE(evaluator.has(problemOf(512, 512, 512), small(4)));
  EXPECT_EQ(evaluator.toolchain().driver, "replay");
}

TEST(Replay, AMissIsAnErrorThatNamesIt) {
  ReplayEvaluator evaluator(smallTable(), h200());
  Problem known = problemOf(512, 512, 512), other = problemOf(64, 64, 128);
  EXPECT_EQ(errorOf(evaluator, known, small(4)),
            "expected a time of '" + known.str() + ": " + toString(small(4)) +
                "' in the recorded table, but got none; use a search within "
                "the table");
  EXPECT_NE(errorOf(evaluator, other, small(8)).find(other.str()),
            std::string::npos);
  // A search that leaves the table is an error too.
  SearchOptions options;
  options.policy = "random";
  EXPECT_FALSE(llvm::expectedToOptional(
      Search(evaluator, nullptr, options).run({known})));
}

TEST(Replay, ASearchWithinTheTableStaysThere) {
  ReplayEvaluator evaluator(smallTable(), h200());
  SearchOptions options;
  options.isWithin = evaluator.within();
  for (llvm::StringRef name : policyNames()) {
    options.policy = name.str();
    auto results = llvm::cantFail(
        Search(evaluator, nullptr, options).run({problemOf(64, 64, 64)}));
    EXPECT_TRUE(results[0].isFinished) << name.str();
    EXPECT_LE(results[0].trials, 2) << name.str();
  }
}

/// The list drawn for a problem is as closed as a catalogue's.
TEST(Replay, EverythingThatATableHasIsProposed) {
  DenseTable table = llvm::cantFail(parseDenseTable(
      "schedule;nt f16:f16;512x512x512\n"
      "ws, tile = 64x72x64, consumers = 1x1, stages = 3, edge = within;;5\n"
      "ws, tile = 64x88x64, consumers = 1x1, stages = 5;;6\n"));
  Problem problem = problemOf(512, 512, 512);
  for (const Schedule &known : catalogue(problem, h200()))
    EXPECT_FALSE(llvm::is_contained(table[0].schedules, known));
  ReplayEvaluator evaluator(table, h200());
  for (llvm::StringRef name : policyNames()) {
    if (name == "default")
      continue;
    auto policy = llvm::cantFail(
        makePolicy(name, problem, h200(), /*seed=*/1, evaluator.within()));
    auto proposed = policy->propose(10);
    EXPECT_EQ(proposed.size(), 2u) << name.str();
    for (const Schedule &schedule : proposed)
      EXPECT_TRUE(evaluator.has(problem, schedule)) << name.str();
  }
}

/// No tile moved back when the tables were timed. Their default is measured
/// first.
TEST(Replay, ATableMayBeOlderThanTheDefault) {
  Problem problem = problemOf(300, 4096, 4096);
  Schedule now = defaultSchedule(problem, h200());
  Schedule before = now.kind().makeDefault(problem, h200());
  ASSERT_FALSE(now == before);
  auto isOld = [&](const Problem &, const Schedule &one) {
    return one == before;
  };
  EXPECT_TRUE(usualSchedule(problem, h200(), isOld) == before);
  EXPECT_TRUE(usualSchedule(problem, h200(), {}) == now);
}

TEST(Replay, NoiseIsTheSameAgainWhateverTheOrder) {
  ReplayOptions noisy;
  noisy.noise = 0.02;
  Problem problem = problemOf(64, 64, 64);
  auto timesOf = [&](std::vector<int64_t> stages, ReplayOptions options) {
    ReplayEvaluator evaluator(smallTable(), h200(), options);
    std::map<int64_t, std::vector<double>> times;
    for (int64_t count : stages)
      times[count].push_back(replyOf(evaluator, problem, {small(count)})
                                 .measurements[0]
                                 .times.median);
    return times;
  };
  auto times = timesOf({8, 4, 8, 4}, noisy);
  EXPECT_EQ(times, timesOf({4, 4, 8, 8}, noisy));
  EXPECT_NE(times[8][0], times[8][1]);
  noisy.seed = 2;
  EXPECT_NE(times, timesOf({8, 4, 8, 4}, noisy));
}

/// Of 2000 samples a standard deviation is known within 5 %.
TEST(Replay, NoiseIsLogNormalAndAsLargeAsAsked) {
  ReplayOptions noisy;
  noisy.noise = 0.05;
  noisy.rounds = 2000;
  ReplayEvaluator evaluator(smallTable(), h200(), noisy);
  Reply reply = replyOf(evaluator, problemOf(64, 64, 64), {small(8), small(4)});
  double sum = 0, squares = 0;
  for (double seconds : reply.rounds[0]) {
    double log = std::log(seconds / 2.5e-6);
    sum += log;
    squares += log * log;
  }
  EXPECT_NEAR(sum / 2000, 0, 0.005);
  EXPECT_NEAR(std::sqrt(squares / 2000), 0.05, 0.0025);
}

TEST(Replay, RepliesComeInAnOrderThatTheSeedShuffles) {
  auto orderOf = [](int64_t seed) {
    ReplayOptions options;
    options.underWay = 8;
    options.seed = seed;
    ReplayEvaluator evaluator(smallTable(), h200(), options);
    EXPECT_EQ(evaluator.maxInFlight(), 8u);
    for (uint64_t number = 0; number < 8; ++number)
      evaluator.ask({number, problemOf(64, 64, 64), {small(8)}});
    std::vector<uint64_t> order;
    while (auto reply = llvm::cantFail(evaluator.next(0)))
      order.push_back(reply->number);
    return order;
  };
  std::vector<uint64_t> order = orderOf(1);
  EXPECT_EQ(order, orderOf(1));
  EXPECT_NE(order, orderOf(2));
  EXPECT_FALSE(llvm::is_sorted(order));
  EXPECT_EQ(std::set<uint64_t>(order.begin(), order.end()).size(), 8u);
}

/// The same search ends the same, with the same noise and shuffled replies.
TEST(Replay, ANoisySearchIsRepeatable) {
  ASSERT_FALSE(denseTable().empty());
  auto chosenOf = [](int64_t seed) {
    ReplayOptions noisy;
    noisy.noise = 0.03;
    noisy.underWay = 6;
    noisy.seed = seed;
    ReplayEvaluator evaluator(denseTable(), h200(), noisy);
    SearchOptions options;
    options.trials = 32;
    options.isWithin = evaluator.within();
    std::string all;
    for (const SearchResult &result : llvm::cantFail(
             Search(evaluator, nullptr, options)
                 .run({denseTable()[20].problem, denseTable()[60].problem})))
      all += toString(*result.chosen) + "\n";
    return all;
  };
  EXPECT_EQ(chosenOf(1), chosenOf(1));
}

//===----------------------------------------------------------------------===//
// Policies, compared
//===----------------------------------------------------------------------===//

/// Trials until a policy finds a schedule within a percent of the table's best,
/// over every eighth shape; `trials` where it finds none.
std::vector<double> trialsUntilFound(llvm::StringRef policy, int64_t trials) {
  std::vector<double> counts;
  for (size_t at = 3; at < denseTable().size(); at += 8) {
    const DenseShape &shape = denseTable()[at];
    ReplayEvaluator evaluator(denseTable(), h200());
    SearchOptions options;
    options.policy = policy.str();
    options.trials = trials;
    options.isWithin = evaluator.within();
    int64_t count = 0, found = trials;
    SearchHooks hooks;
    hooks.received = [&](const Record &record) {
      ++count;
      if (record.times.median <= 1.01 * shape.best())
        found = std::min(found, count);
    };
    llvm::cantFail(
        Search(evaluator, nullptr, options, hooks).run({shape.problem}));
    counts.push_back(found);
  }
  return counts;
}

TEST(Replay, EvolutionIsFasterThanRandomAndExhaustive) {
  ASSERT_FALSE(denseTable().empty());
  std::vector<double> evolution = trialsUntilFound("evolution", 64);
  // Half of the shapes within 8 trials, nine tenths within 32, all within 64.
  EXPECT_LE(quantile(evolution, 0.5), 8);
  EXPECT_LE(quantile(evolution, 0.9), 32);
  EXPECT_LT(quantile(evolution, 1), 64);
  for (llvm::StringRef other : {"random", "exhaustive"})
    EXPECT_GE(quantile(trialsUntilFound(other, 64), 0.5), 40) << other.str();
}

} // namespace
