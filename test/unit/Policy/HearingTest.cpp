//===- HearingTest.cpp - Tests of proposals that use measurements ---------===//
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

/// Candidates of a machine that no network was trainedModel on.
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

Model trainedModel(bool hears) {
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
  options.hasContext = hears;
  Trainer trainer(model, 0, options);
  std::vector<Task> drawn(options.tasks);
  size_t next = 0;
  for (int64_t step = 0; step < options.steps; ++step)
    trainer.step([&](std::mt19937_64 &dice) -> const Task & {
      return drawn[next++ % drawn.size()] = drawMachine(dice);
    });
  return model;
}

TEST(Hearing, BeatsNotHearingAfterFourMeasurements) {
  const std::vector<Task> unseen = machines(/*seed=*/2, 100);
  auto qualityAt4 = [&](const Model &model, bool hears) {
    return qualityOf(replay(model, unseen, 4, hears)).mean;
  };
  Model hearing = trainedModel(/*hears=*/true),
        deaf = trainedModel(/*hears=*/false);
  double heard = qualityAt4(hearing, true);
  EXPECT_GT(heard, 0.98);
  // The same network without results, and one trainedModel without a context.
  EXPECT_GT(heard, qualityAt4(hearing, false) + 0.01);
  EXPECT_GT(heard, qualityAt4(deaf, false) + 0.01);
  // Its first proposal is not worse for that.
  EXPECT_NEAR(qualityOf(replay(hearing, unseen, 1, false)).mean,
              qualityOf(replay(deaf, unseen, 1, false)).mean, 0.1);
}

} // namespace
