//===- TrainingTest.cpp - Learning, stopping, going on --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training is the same to the bit for the same seed, on one thread or two,
// and whether or not it was stopped on its way.
//
//===----------------------------------------------------------------------===//

#include "../Search/Fixtures.h"
#include "hone/Policy/TrainingRun.h"
#include "hone/Search/Catalogue.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

/// A small table: the cost model's times, and what it does not know of.
const DenseTable &table() {
  static const DenseTable shapes = [] {
    DenseTable all;
    for (int64_t m : {256, 512, 1024, 2048}) {
      DenseShape shape{problemOf(m, 512, 1024), {}, {}};
      for (const Schedule &schedule : catalogue(shape.problem, h200())) {
        if (shape.schedules.size() == 60)
          break;
        if (checkMemory(schedule, shape.problem))
          continue;
        double luck = timeOf(schedule) * 1e3 - 1; // 0 to 1
        shape.seconds.push_back(
            estimateSeconds(shape.problem, h200(), schedule) * std::exp(luck));
        shape.schedules.push_back(schedule);
      }
      all.push_back(std::move(shape));
    }
    return all;
  }();
  return shapes;
}

TrainingSettings small() {
  TrainingSettings settings;
  settings.shape = {0, 8, 2, 1, 8};
  settings.synthetic = 0;
  settings.recorded = 12;
  settings.every = 4;
  settings.hold = settings.seal = {};
  settings.train.tasks = 4;
  settings.train.candidates = 24;
  settings.train.context = 6;
  return settings;
}

std::string trained(TrainingSettings settings, TrainingHooks hooks = {}) {
  TrainingRun run(std::move(settings), h200(), std::move(hooks));
  run.add(table());
  llvm::Expected<Model> model = run.train();
  return model ? model->str() : llvm::toString(model.takeError());
}

class Training : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("training", "state", path));
    state = path.str().str();
    llvm::sys::fs::remove(state);
  }
  void TearDown() override { llvm::sys::fs::remove(state); }

  std::string state;
};

TEST_F(Training, EqualSeedsAndAnyThreadsAreEqualBits) {
  TrainingSettings settings = small();
  std::string once = trained(settings);
  EXPECT_EQ(once.rfind("{", 0), 0u) << once.substr(0, 200);
  EXPECT_EQ(trained(settings), once);
  settings.train.threads = 2;
  EXPECT_EQ(trained(settings), once);
  settings.train.seed = 2;
  EXPECT_NE(trained(settings), once);
}

TEST_F(Training, WhatWasStoppedGoesOnWhereItWas) {
  TrainingSettings settings = small();
  settings.networks = 2;
  settings.synthetic = 2;
  std::string whole = trained(settings);
  settings.state = state;
  for (int stops = 0; stops < 4; ++stops) {
    int64_t steps = 0;
    TrainingHooks hooks;
    hooks.step = [&](llvm::StringRef, int64_t, int64_t) { ++steps; };
    hooks.shouldStop = [&] { return steps >= 5; };
    EXPECT_NE(trained(settings, hooks), whole);
  }
  EXPECT_EQ(trained(settings), whole);
}

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
  settings.recorded = 200;
  settings.every = 20;
  settings.train.rate = 1e-2;
  std::vector<double> losses;
  TrainingHooks hooks;
  hooks.point = [&](const CurvePoint &point) { losses.push_back(point.loss); };
  trained(settings, hooks);
  ASSERT_EQ(losses.size(), 10u);
  EXPECT_LT(losses[8] + losses[9], 0.9 * (losses[0] + losses[1]));
}

TEST_F(Training, SyntheticTasksAreNumbers) {
  std::mt19937_64 dice(1);
  size_t names = Reader::names().size();
  for (int count = 0; count < 20; ++count) {
    Task task = drawTask(h200(), dice);
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
}

//===----------------------------------------------------------------------===//
// Online
//===----------------------------------------------------------------------===//

struct OnlineFixture : testing::Test {
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
    model.networks.front().initialize(1);
    for (const DenseShape &shape : table())
      problems.push_back(shape.problem);
  }

  FakeEvaluator evaluator;
  OnlineOptions options;
  std::vector<Problem> problems;
  Model model{{0, 16, 2, 1, 16}, 1};
};

TEST_F(OnlineFixture, RewardsRiseAndNothingIsTimedTwice) {
  Online online(model, 0, options, problems, evaluator);
  double early = 0, late = 0;
  for (int step = 0; step < 60; ++step) {
    OnlineStep report = llvm::cantFail(online.step());
    EXPECT_EQ(report.measured, evaluator.replies);
    if (step < 15)
      early += report.reward;
    if (step >= 45)
      late += report.reward;
  }
  EXPECT_GT(late, early);
  std::set<std::string> seen;
  for (const Question &question : evaluator.asked)
    EXPECT_TRUE(seen.insert(question.problem.str() + " " +
                            toString(question.schedules.front()))
                    .second);
}

/// All phases of two networks, on an evaluator that counts.
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
  // There is nothing left to do, for either network.
  EXPECT_EQ(stopped.train(state), once);
  EXPECT_EQ(stopped.evaluator.replies, whole.evaluator.replies);
}

TEST_F(OnlineFixture, ABrokenStateOfItIsAnError) {
  Online online(model, 0, options, problems, evaluator);
  llvm::cantFail(online.step());
  std::string good = online.state();
  size_t line = good.find('\n');
  for (std::string bad :
       {std::string(), std::string("{}\n"), good.substr(0, line / 2),
        good.substr(0, line + 8), good.substr(0, good.size() - 1),
        "{\"hone-online\":1,\"memory\":[],\"dice\":\"x\"}" +
            good.substr(line)}) {
    Model other = model;
    Online again(other, 0, options, problems, evaluator);
    std::string error = llvm::toString(again.restore(bad));
    EXPECT_EQ(error.rfind("expected the state of ", 0), 0u) << error;
  }
}

/// Tables may change between two runs.
TEST_F(OnlineFixture, WhatIsNotThereAnyMoreIsForgotten) {
  Online online(model, 0, options, problems, evaluator);
  for (int step = 0; step < 4; ++step)
    llvm::cantFail(online.step());
  std::string state = online.state();
  Online fewer(model, 0, options, {problems.front()}, evaluator);
  ASSERT_FALSE(bool(fewer.restore(state)));
  for (const Task &task : fewer.timed())
    EXPECT_TRUE(task.problem == problems.front());
  EXPECT_EQ(fewer.steps(), 4);
  llvm::cantFail(fewer.step());
}

TEST_F(OnlineFixture, AnEvaluatorThatFailsIsAnError) {
  evaluator.failsAfter = 5;
  Online online(model, 0, options, problems, evaluator);
  llvm::Error error = llvm::Error::success();
  for (int step = 0; step < 5 && !error; ++step) {
    llvm::consumeError(std::move(error));
    error = online.step().takeError();
  }
  EXPECT_EQ(llvm::toString(std::move(error)), "no GPU answers");
}

} // namespace
