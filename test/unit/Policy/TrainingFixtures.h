//===- TrainingFixtures.h - Fixtures of the tests of training ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small table and a small training.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_POLICY_TRAININGFIXTURES_H
#define HONE_TEST_POLICY_TRAININGFIXTURES_H

#include "../Search/Fixtures.h"
#include "hone/Policy/TrainingRun.h"
#include "hone/Space/Catalogue.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cmath>

namespace hone::test {

/// A small table: the cost model's times, and an effect that it ignores.
inline const DenseTable &table() {
  static const DenseTable shapes = [] {
    DenseTable all;
    for (int64_t m : {256, 512, 1024, 2048}) {
      DenseShape shape{problemOf(m, 512, 1024), {}, {}, {}};
      for (const Schedule &schedule : catalogue(shape.problem, h200())) {
        if (shape.schedules.size() == 60)
          break;
        if (checkMemory(schedule, shape.problem))
          continue;
        double fraction = timeOf(schedule) * 1e3 - 1; // 0 to 1
        shape.seconds.push_back(
            estimateSeconds(shape.problem, h200(), schedule) *
            std::exp(fraction));
        shape.schedules.push_back(schedule);
      }
      all.push_back(std::move(shape));
    }
    return all;
  }();
  return shapes;
}

inline TrainingSettings small() {
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

inline std::string trained(TrainingSettings settings,
                           TrainingHooks hooks = {}) {
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

  /// The same bits for the same seed, with any number of threads.
  static void expectEqualBits(TrainingSettings settings) {
    std::string once = trained(settings);
    EXPECT_TRUE(bool(Model::parse(once))) << once.substr(0, 200);
    EXPECT_EQ(trained(settings), once);
    settings.train.threads = 2;
    EXPECT_EQ(trained(settings), once);
    settings.train.seed = 2;
    EXPECT_NE(trained(settings), once);
  }

  /// Two networks, stopped every five steps; `state` has the final state.
  void expectToGoOn(TrainingSettings settings) {
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

  std::string state;
};

} // namespace hone::test

#endif // HONE_TEST_POLICY_TRAININGFIXTURES_H
