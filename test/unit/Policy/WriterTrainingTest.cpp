//===- WriterTrainingTest.cpp - Tests of training a writer ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients agree with small steps, a lesson is the cross entropy over whole
// schedules, and a run gives the same bits wherever it was stopped.
//
//===----------------------------------------------------------------------===//

#include "TrainingFixtures.h"
#include "hone/Policy/Objective.h"
#include "hone/Policy/WriterTrainer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using namespace hone::test;

namespace {

TrainOptions plainOptions() {
  TrainOptions options;
  options.dropout = 0;
  options.candidates = 1 << 20; // every word of the trie
  return options;
}

struct WriterLesson : testing::Test {
  WriterLesson() {
    std::mt19937_64 dice(1);
    writer.normalizeBy(wordsOf(task));
    writer.networks.front().initialize(2);
    for (float &value : writer.networks.front().parameters())
      value += 0.05f * (float(dice() >> 40) * 0x1p-23f - 1);
  }

  Task task = taskOf(table().front(), h200());
  Ensemble writer = untrainedWriter({0, 8, 2, 1, 8}, 1);
};

TEST_F(WriterLesson, GradientsAreWhatASmallStepDoes) {
  WriterTrainer trainer(writer, 0, plainOptions());
  std::mt19937_64 dice(3);
  WritingLesson lesson = trainer.lessonOf(task, dice);
  ASSERT_GT(lesson.groups.size(), 5u);
  Vector &weights = writer.networks.front().parameters();
  auto lossOf = [&](Vector &gradient) {
    std::mt19937_64 noise(4);
    return trainer.learn(lesson, gradient, noise);
  };
  Vector gradient = Vector::Zero(weights.size()), unused = gradient;
  lossOf(gradient);
  double max = gradient.cwiseAbs().maxCoeff();
  size_t large = 0;
  for (Eigen::Index at = 0; at < weights.size(); at += 7) {
    constexpr float kStep = 1e-3f;
    float usual = weights[at];
    weights[at] = usual + kStep;
    float above = weights[at];
    double more = lossOf(unused);
    weights[at] = usual - kStep;
    double less = lossOf(unused), width = double(above) - double(weights[at]);
    weights[at] = usual;
    double slope = (more - less) / width;
    ASSERT_NEAR(slope, gradient[at],
                0.02 * std::abs(gradient[at]) + 0.003 * max)
        << at;
    large += std::abs(gradient[at]) > 0.003 * max;
  }
  EXPECT_GT(large, 50u);
}

/// Summed word by word with the weights of the states, it is the sum over whole
/// schedules of - p log q.
TEST_F(WriterLesson, IsTheCrossEntropyOverSchedules) {
  TrainOptions options = plainOptions();
  options.hasContext = false;
  WriterTrainer trainer(writer, 0, options);
  std::mt19937_64 dice(3);
  WritingLesson lesson;
  size_t words = 0; // until nothing is left out
  do {
    lesson = trainer.lessonOf(task, dice);
    words = lesson.softSeconds.size();
  } while (words - lesson.groups.size() + 1 < task.size());
  Vector residual = writer.networks.front().forward(lesson.batch);
  double byWord = 0;
  for (const WritingLesson::Group &group : lesson.groups) {
    std::vector<double> logits, wanted;
    for (size_t at = group.first; at < group.first + group.size; ++at) {
      double said = lesson.softEstimates[at] + double(residual[at]);
      logits.push_back(-said / kWriterTau);
      wanted.push_back(-lesson.softSeconds[at] / kWriterTau);
    }
    byWord += group.weight * crossEntropy(logits, softmaxOf(wanted)).value;
  }
  Language language;
  Trie mask(language, task.schedules, task.readings);
  Writer speaker(writer, language, mask, {});
  std::vector<double> wanted;
  for (double time : task.logSeconds)
    wanted.push_back(-time / kWriterTau);
  double whole = 0;
  for (auto [schedule, odds] :
       llvm::zip_equal(task.schedules, softmaxOf(wanted)))
    whole -= odds * *speaker.logOddsOf(schedule);
  EXPECT_NEAR(byWord, whole, 1e-4 * whole);
}

TEST_F(WriterLesson, WhatIsShownIsNotAskedFor) {
  TrainOptions options = plainOptions();
  options.context = 15;
  WriterTrainer trainer(writer, 0, options);
  std::mt19937_64 dice(5);
  std::set<Eigen::Index> shown;
  size_t whole = 0;
  for (int lessons = 0; lessons < 30; ++lessons) {
    WritingLesson lesson = trainer.lessonOf(task, dice);
    Eigen::Index context = lesson.batch.context.rows();
    EXPECT_EQ(lesson.batch.standing.rows(), context);
    EXPECT_LE(context, 15);
    shown.insert(context);
    // All remaining schedules can be written: they are ends of the trie.
    size_t words = 0;
    for (const WritingLesson::Group &group : lesson.groups) {
      EXPECT_EQ(group.first, words);
      words += group.size;
    }
    size_t schedules = words - lesson.groups.size() + 1;
    EXPECT_LE(schedules, task.size() - size_t(context));
    whole += schedules == task.size() - size_t(context);
    EXPECT_GE(schedules, task.size() / 4);
  }
  // Every other lesson leaves out some more schedules.
  EXPECT_GT(whole, 5u);
  EXPECT_LT(whole, 25u);
  EXPECT_GT(shown.size(), 5u);
  EXPECT_TRUE(shown.count(0));
}

TEST_F(WriterLesson, AFewSchedulesLeaveWordsToChoose) {
  task.schedules.resize(3, task.schedules.front());
  task.readings.resize(3);
  task.logSeconds.resize(3);
  WriterTrainer trainer(writer, 0, plainOptions());
  std::mt19937_64 dice(6);
  for (int lessons = 0; lessons < 100; ++lessons)
    EXPECT_GE(trainer.lessonOf(task, dice).softSeconds.size(), 2u);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TrainingSettings smallWriter() {
  TrainingSettings settings = small();
  settings.writes = true;
  return settings;
}

TEST_F(Training, AWriterIsTheSameForTheSameSeed) {
  expectEqualBits(smallWriter());
}

TEST_F(Training, AWriterThatWasStoppedGoesOnWhereItWas) {
  TrainingSettings settings = smallWriter();
  expectToGoOn(settings);
  settings.networks = 2;
  settings.synthetic = 2;
  settings.state = state;
  // A judge cannot resume from a writer's state.
  settings.writes = false;
  EXPECT_EQ(trained(settings).rfind("expected ", 0), 0u);
}

TEST_F(Training, AWriterLearnsAndTheOthersStay) {
  TrainingSettings settings = small();
  Model judges = llvm::cantFail(Model::parse(trained(settings)));
  settings.writes = true;
  settings.recorded = 150;
  settings.every = 15;
  settings.train.rate = 1e-2;
  std::vector<double> losses;
  TrainingHooks hooks;
  hooks.point = [&](const CurvePoint &point) { losses.push_back(point.loss); };
  TrainingRun run(settings, h200(), hooks);
  run.add(table());
  run.startFrom(judges);
  Model both = llvm::cantFail(run.train());
  ASSERT_EQ(losses.size(), 10u);
  EXPECT_LT(losses[8] + losses[9], 0.9 * (losses[0] + losses[1]));
  ASSERT_TRUE(both.writer);
  both.writer.reset();
  EXPECT_EQ(both.str(), judges.str());
}

/// It corrects trees, but in training each problem has those that have not
/// learned from it: with a single problem, none.
TEST_F(Training, AWriterCorrectsTreesThatLackItsProblem) {
  std::vector<Task> tasks = tasksOf(table(), h200());
  TreesOptions options;
  options.rounds = 20;
  Model judges({0, 8, 2, 1, 8}, 1);
  judges.trees = growTrees(tasks, options);
  TrainingSettings settings = smallWriter();
  auto lossOf = [&](int64_t folds, const DenseTable &learned) {
    double loss = 0;
    TrainingHooks hooks;
    hooks.point = [&](const CurvePoint &point) { loss = point.loss; };
    settings.folds = folds;
    settings.recorded = 1;
    settings.every = 1;
    TrainingRun run(settings, h200(), hooks);
    run.add(learned);
    run.startFrom(judges);
    Model model = llvm::cantFail(run.train());
    EXPECT_TRUE(model.writer);
    return loss;
  };
  double ofCostModel = lossOf(0, table()), ofFolds = lossOf(2, table());
  EXPECT_EQ(ofFolds, lossOf(2, table()));
  EXPECT_LT(ofFolds, ofCostModel);
  const DenseTable one = {table().front()};
  EXPECT_EQ(lossOf(2, one), lossOf(0, one));
}

TEST(WritersReader, HasTheEstimatesOfTrees) {
  Task task = taskOf(table().front(), h200());
  TreesOptions options;
  options.rounds = 20;
  Model model({0, 8, 2, 1, 8}, 1);
  model.trees = growTrees({task}, options);
  const Schedule &schedule = task.schedules.front();
  auto estimate = [&] {
    return model.writersReader(task.problem, h200()).read(schedule).logEstimate;
  };
  double ofCostModel = task.readings.front().logEstimate;
  EXPECT_EQ(estimate(), ofCostModel);
  model.writer = untrainedWriter({0, 8, 2, 1, 8}, 1);
  double off = model.trees->residual(task.readings.front());
  EXPECT_NE(off, 0);
  EXPECT_DOUBLE_EQ(estimate(), ofCostModel + off);
}

/// On its training problems it writes faster schedules than the cost model.
TEST_F(Training, AWriterWritesWhatIsFast) {
  std::vector<Task> tasks = tasksOf(table(), h200());
  auto meanOf = [&](const Ensemble &writer) {
    return qualityOf(replayWriter(writer, tasks, 1, false)).mean;
  };
  TrainingSettings settings = smallWriter();
  settings.shape = {0, 16, 2, 1, 16};
  settings.recorded = 300;
  settings.every = 300;
  settings.train.rate = 1e-2;
  Model model = llvm::cantFail(Model::parse(trained(settings)));
  EXPECT_GT(meanOf(*model.writer), meanOf(untrainedWriter({}, 0)) + 0.03);
}

} // namespace
