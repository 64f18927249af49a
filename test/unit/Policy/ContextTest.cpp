//===- ContextTest.cpp - Tests of proposals that use measurements ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machines are drawn at random. On some of them a property that the estimate
// ignores makes candidates fast, on the others the same property makes them
// slow. It cannot be predicted before a measurement, and one or two results
// show it. A network with a context has to learn this.
//
//===----------------------------------------------------------------------===//

#include "../Search/Fixtures.h"
#include "hone/Policy/Trainer.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hone;
using namespace hone::test;

namespace {

/// Candidates of a machine that no network was trained on.
Task drawMachine(std::mt19937_64 &dice) {
  auto draw = [&] { return 2 * double(dice() >> 11) * 0x1p-53 - 1; };
  Task task{problemOf(64, 64, 64), {}, {}, {}};
  double slope = 0.4 * (draw() > 0 ? 1 : -1);
  for (int count = 0; count < 32; ++count) {
    Reading reading;
    reading.numbers.resize(Reader::names().size());
    reading.numbers[3] = float(draw());
    reading.numbers[7] = float(draw());
    reading.logEstimate = 0.1 * draw();
    task.logSeconds.push_back(reading.logEstimate + slope * reading.numbers[3]);
    task.readings.push_back(std::move(reading));
  }
  return task;
}

std::vector<Task> machines(uint64_t seed, size_t count) {
  std::mt19937_64 dice(seed);
  std::vector<Task> tasks;
  while (tasks.size() < count)
    tasks.push_back(drawMachine(dice));
  return tasks;
}

Model trainedModel(bool hasContext) {
  Model model({0, 16, 2, 1, 16}, 1);
  std::vector<Reading> sample;
  for (const Task &task : machines(/*seed=*/1, 20))
    sample.insert(sample.end(), task.readings.begin(), task.readings.end());
  model.normalizeBy(sample);
  model.networks.front().initialize(1);
  TrainOptions options;
  options.steps = 300;
  options.tasks = 8;
  options.candidates = 16;
  options.context = 6;
  options.rate = 1e-2;
  options.dropout = 0;
  options.hasContext = hasContext;
  Trainer trainer(model, 0, options);
  std::vector<Task> drawn(options.tasks);
  size_t next = 0;
  for (int64_t step = 0; step < options.steps; ++step)
    trainer.step([&](std::mt19937_64 &dice) -> const Task & {
      return drawn[next++ % drawn.size()] = drawMachine(dice);
    });
  return model;
}

TEST(Context, ResultsHelpAfterFourMeasurements) {
  const std::vector<Task> unseen = machines(/*seed=*/2, 100);
  auto qualityAt4 = [&](const Model &model, bool hasResults) {
    return qualityOf(replay(model, unseen, 4, hasResults)).mean;
  };
  Model model = trainedModel(/*hasContext=*/true),
        without = trainedModel(/*hasContext=*/false);
  double quality = qualityAt4(model, true);
  EXPECT_GT(quality, 0.98);
  // The same network without results, and one trained without a context.
  EXPECT_GT(quality, qualityAt4(model, false) + 0.01);
  EXPECT_GT(quality, qualityAt4(without, false) + 0.01);
  // Its first proposal is not worse for that.
  EXPECT_NEAR(qualityOf(replay(model, unseen, 1, false)).mean,
              qualityOf(replay(without, unseen, 1, false)).mean, 0.1);
}

} // namespace
