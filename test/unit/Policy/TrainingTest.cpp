//===- TrainingTest.cpp - Tests of training and its resumption ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training is the same to the bit for the same seed, on one thread or two,
// and whether or not it was stopped on its way.
//
//===----------------------------------------------------------------------===//

#include "TrainingFixtures.h"
#include "hone/Policy/Objective.h"
#include "hone/Policy/WriterTrainer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

TEST_F(Training, EqualSeedsAndAnyThreadsAreEqualBits) {
  expectEqualBits(small());
}

TEST_F(Training, WhatWasStoppedGoesOnWhereItWas) { expectToGoOn(small()); }

TEST_F(Training, ABrokenStateIsAnError) {
  TrainingSettings settings = small();
  settings.state = state;
  trained(settings);
  auto buffer = llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(state)));
  std::string good = buffer->getBuffer().str();
  size_t line = good.find('\n');
  for (std::string bad :
       {std::string(), good.substr(0, 9), good.substr(0, line + 40),
        good.substr(0, good.size() - 1), "dreams" + good.substr(8),
        "recorded 9" + good.substr(10), std::string("recorded 0 -1\n"),
        std::string("recorded 0 99999999999999999999\n")}) {
    std::error_code code;
    llvm::raw_fd_ostream(state, code) << bad;
    EXPECT_EQ(trained(settings).rfind("expected ", 0), 0u)
        << bad.substr(0, line);
  }
}

TEST_F(Training, LossFalls) {
  TrainingSettings settings = small();
  settings.recorded = 400;
  settings.every = 40;
  settings.train.rate = 1e-2;
  std::vector<double> losses;
  TrainingHooks hooks;
  hooks.point = [&](const CurvePoint &point) { losses.push_back(point.loss); };
  trained(settings, hooks);
  ASSERT_EQ(losses.size(), 10u);
  EXPECT_LT(losses[8] + losses[9], 0.95 * (losses[0] + losses[1]));
}

TEST_F(Training, SyntheticTasksAreNumbers) {
  std::mt19937_64 dice(1);
  size_t names = Reader::names().size();
  std::set<int64_t> processors;
  for (int count = 0; count < 20; ++count) {
    Arch machine = count % 2 ? drawMachine(h200(), dice) : h200();
    EXPECT_GE(machine.processors, 8);
    EXPECT_GT(machine.memoryGBs, 0);
    processors.insert(machine.processors);
    Task task = drawTask(machine, dice);
    EXPECT_GE(task.size(), 16u);
    EXPECT_EQ(task.size(), task.logSeconds.size());
    for (const Reading &reading : task.readings) {
      ASSERT_EQ(reading.numbers.size(), names);
      EXPECT_TRUE(std::isfinite(reading.logEstimate));
      for (float number : reading.numbers)
        ASSERT_TRUE(std::isfinite(number));
    }
    for (double time : task.logSeconds)
      EXPECT_TRUE(std::isfinite(time));
  }
  EXPECT_GT(processors.size(), 5u);
}

//===----------------------------------------------------------------------===//
// Online
//===----------------------------------------------------------------------===//

/// A network that judges, or one that writes.
struct OnlineFixture : testing::TestWithParam<bool> {
  OnlineFixture() {
    options.isWithin = [](const Problem &problem, const Schedule &schedule) {
      for (const DenseShape &shape : table())
        if (shape.problem == problem)
          return llvm::is_contained(shape.schedules, schedule);
      return false;
    };
    evaluator.measure = [](const Schedule &one) { return okIn(timeOf(one)); };
    options.train.tau = 0.2;
    options.train.rate = 1e-2;
    options.train.steps = 60;
    options.problems = 2;
    std::vector<Reading> sample;
    for (const Task &task : tasksOf(table(), h200()))
      sample.insert(sample.end(), task.readings.begin(), task.readings.end());
    model.normalizeBy(sample);
    for (const DenseShape &shape : table())
      problems.push_back(shape.problem);
    std::vector<Reading> words;
    for (const Task &task : tasksOf(table(), h200()))
      llvm::append_range(words, wordsOf(task));
    writer.normalizeBy(words);
    beginWith(1);
  }

  void beginWith(uint64_t seed) {
    model.networks.front().initialize(seed);
    writer.networks.front().initialize(seed);
    evaluator.asked.clear();
  }

  /// The expected worth of a draw over all candidates: best time over its time.
  double expected() const {
    double sum = 0;
    for (const DenseShape &shape : table()) {
      Task task = taskOf(shape, h200());
      double best = 1;
      for (const Schedule &schedule : task.schedules)
        best = std::min(best, timeOf(schedule));
      for (auto [schedule, odds] :
           llvm::zip_equal(task.schedules, oddsOf(task)))
        sum += odds * best / timeOf(schedule);
    }
    return sum / double(table().size());
  }

  std::vector<double> oddsOf(const Task &task) const {
    std::vector<double> odds;
    if (!GetParam()) {
      for (double logSeconds : model.judge({}, task.readings))
        odds.push_back(-logSeconds / options.train.tau);
      return softmaxOf(odds);
    }
    Language language;
    Trie mask(language, task.schedules, task.readings);
    Writer speaker(writer, language, mask, {});
    for (const Schedule &schedule : task.schedules)
      odds.push_back(std::exp(*speaker.logOddsOf(schedule)));
    return odds;
  }

  std::unique_ptr<Online> make() {
    return GetParam()
               ? makeOnlineWriter(writer, 0, options, problems, evaluator)
               : makeOnline(model, 0, options, problems, evaluator);
  }

  FakeEvaluator evaluator;
  OnlineOptions options;
  std::vector<Problem> problems;
  Model model{{0, 16, 2, 1, 16}, 1};
  Ensemble writer = untrainedWriter({0, 16, 2, 1, 16}, 1);
};

TEST_P(OnlineFixture, DrawsImproveAndNothingIsTimedTwice) {
  // A single network may start near its optimum.
  constexpr int kNetworks = 4;
  double gain = 0;
  for (int seed = 1; seed <= kNetworks; ++seed) {
    beginWith(seed);
    size_t before = evaluator.replies;
    std::unique_ptr<Online> online = make();
    gain -= expected() / kNetworks;
    for (int step = 0; step < 60; ++step) {
      OnlineStep report = llvm::cantFail(online->step());
      EXPECT_EQ(report.measured, evaluator.replies - before);
    }
    gain += expected() / kNetworks;
    std::set<std::string> seen;
    for (const Question &question : evaluator.asked)
      EXPECT_TRUE(seen.insert(question.problem.str() + " " +
                              toString(question.schedules.front()))
                      .second);
  }
  EXPECT_GT(gain, 0.02);
}

/// All phases of two networks, on an evaluator that counts trials.
struct OnlineRun {
  std::string train(const std::string &state, int64_t stopAfter = 0) {
    TrainingSettings settings = small();
    settings.networks = 2;
    settings.recorded = 3;
    settings.online = 9;
    settings.every = 4;
    settings.state = state;
    settings.reinforce.problems = 2;
    settings.reinforce.isWithin = [](const Problem &, const Schedule &one) {
      return llvm::is_contained(table().front().schedules, one);
    };
    int64_t steps = 0;
    TrainingHooks hooks;
    hooks.step = [&](llvm::StringRef, int64_t, int64_t) { ++steps; };
    hooks.shouldStop = [&] { return stopAfter && steps >= stopAfter; };
    TrainingRun run(settings, h200(), hooks);
    run.add(table());
    run.useEvaluator(evaluator);
    llvm::Expected<Model> model = run.train();
    return model ? model->str() : llvm::toString(model.takeError());
  }
  FakeEvaluator evaluator;
  OnlineRun() {
    evaluator.measure = [](const Schedule &one) {
      Measurement result = okIn(timeOf(one));
      if (int64_t(timeOf(one) * 1e7) % 5 == 0)
        result.status = Status::fault;
      return result;
    };
  }
};

TEST_F(Training, OnlineGoesOnWhereItWasAndTimesNothingTwice) {
  OnlineRun whole, stopped;
  std::string once = whole.train("");
  EXPECT_EQ(once.rfind("{", 0), 0u) << once.substr(0, 200);
  size_t stops = 0;
  for (std::string text; text != once && stops < 12; ++stops) {
    text = stopped.train(state, /*stopAfter=*/5);
    EXPECT_EQ(text.rfind("{", 0), 0u) << text.substr(0, 200);
  }
  // Twice twelve steps, five at a time.
  EXPECT_EQ(stops, 5u);
  EXPECT_EQ(stopped.evaluator.replies, whole.evaluator.replies);
  // No work is left for either network.
  EXPECT_EQ(stopped.train(state), once);
  EXPECT_EQ(stopped.evaluator.replies, whole.evaluator.replies);
}

TEST_P(OnlineFixture, ABrokenStateOfItIsAnError) {
  std::unique_ptr<Online> online = make();
  llvm::cantFail(online->step());
  std::string good = online->state();
  size_t line = good.find('\n');
  for (std::string bad :
       {std::string(), std::string("{}\n"), good.substr(0, line / 2),
        good.substr(0, line + 8), good.substr(0, good.size() - 1),
        "{\"hone-online\":1,\"memory\":[],\"dice\":\"x\"}" +
            good.substr(line)}) {
    std::string error = llvm::toString(make()->restore(bad));
    EXPECT_EQ(error.rfind("expected the state of ", 0), 0u) << error;
  }
}

/// Tables may change between two runs.
TEST_P(OnlineFixture, WhatIsNotThereAnyMoreIsForgotten) {
  std::unique_ptr<Online> online = make();
  for (int step = 0; step < 4; ++step)
    llvm::cantFail(online->step());
  std::string state = online->state();
  problems.resize(1);
  std::unique_ptr<Online> fewer = make();
  ASSERT_FALSE(bool(fewer->restore(state)));
  for (const Task &task : fewer->timed())
    EXPECT_TRUE(task.problem == problems.front());
  EXPECT_EQ(fewer->steps(), 4);
  llvm::cantFail(fewer->step());
}

TEST_P(OnlineFixture, AnEvaluatorThatFailsIsAnError) {
  evaluator.failsAfter = 5;
  std::unique_ptr<Online> online = make();
  llvm::Error error = llvm::Error::success();
  for (int step = 0; step < 5 && !error; ++step) {
    llvm::consumeError(std::move(error));
    error = online->step().takeError();
  }
  EXPECT_EQ(llvm::toString(std::move(error)), "no GPU answers");
}

/// Every time is better than every failure, and a failure that a build notices
/// late is worse than one that a law prevents.
TEST(Rewards, FollowTheTable) {
  Rewards rewards;
  double best = logOf(1e-5);
  auto rewardOf = [&](Status status, double seconds, int64_t spilled) {
    Measurement result;
    result.status = status;
    result.times.median = seconds;
    result.spillBytes = spilled;
    return rewards.of(result, best);
  };
  EXPECT_EQ(rewardOf(Status::ok, 1e-5, 0), 0);
  EXPECT_NEAR(rewardOf(Status::ok, 2e-5, 0), -0.6931, 1e-4);
  const double inOrder[] = {
      rewardOf(Status::ok, 1e-5, 0),   rewardOf(Status::ok, 3e-5, 0),
      rewardOf(Status::illegal, 0, 0), rewardOf(Status::compileError, 0, 0),
      rewardOf(Status::fault, 0, 0),   rewardOf(Status::ok, 1e-5, 8),
      rewardOf(Status::wrong, 0, 0)};
  EXPECT_TRUE(std::is_sorted(std::begin(inOrder), std::end(inOrder),
                             std::greater<double>()));
  EXPECT_EQ(rewardOf(Status::timeout, 0, 0), rewardOf(Status::fault, 0, 0));
}

INSTANTIATE_TEST_SUITE_P(, OnlineFixture, testing::Bool(),
                         [](const auto &info) {
                           return std::string(info.param ? "writes" : "judges");
                         });

} // namespace
