//===- TrainingRun.h - The training of a whole model ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three phases in a row; each may be left out.
//
// | phase       | learns from                            | to                |
// |-------------|----------------------------------------|-------------------|
// | `synthetic` | problems on machines that do not exist | adapt to measured |
// |             |                                        | times             |
// | `recorded`  | tables and databases                   | predict this chip |
// | `online`    | its own trials on an evaluator         | go beyond tables  |
//
//   TrainingRun run(settings, arch);
//   run.add(table);
//   Expected<Model> model = run.train();
//
// Shapes are divided into ten parts by their extents. The parts in `seal` are
// left out and never used; those in `hold` are left out of training and used to
// judge it: every `every` steps, a line of the curve shows how close the first
// proposal, the best of four, and the best of four with results one by one,
// come to the best of the table.
//
// A run trains networks that judge schedules (Network.h) or a writer of them
// (Writer.h). If it starts from a model, the other part of that model stays
// unchanged.
//
// With a path for its state, a run that was stopped continues where it stopped,
// and ends with the same weights.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TRAININGRUN_H
#define HONE_POLICY_TRAININGRUN_H

#include "hone/Policy/GrowTrees.h"
#include "hone/Policy/Online.h"

namespace hone {

struct TrainingSettings {
  NetworkShape shape; ///< `inputs` follow from the numbers read
  int64_t networks = 1;
  bool writes = false; ///< trains a writer; the other networks stay
  int64_t synthetic = 0, recorded = 4000, online = 0; ///< steps of each phase
  TrainOptions train;
  OnlineOptions reinforce; ///< the steps of its `train` are `online`
  /// Options of the trees that are grown at the end, from the networks'
  /// training data.
  std::optional<TreesOptions> trees;
  std::vector<int64_t> hold = {2, 3}, seal = {0, 1};
  /// Judge by these chips and parts, not by the tenths in `hold`.
  std::vector<std::string> holdChips;
  /// A writer corrects the estimates of trees. In training each problem has
  /// those of trees that have not learned from it; there are as many such trees
  /// as folds. With 0, or if the run starts without trees, it learns to correct
  /// the cost model.
  int64_t folds = 4;
  int64_t every = 500; ///< steps between lines of the curve
  std::string state;   ///< a path; empty: none is kept
};

/// One line of the learning curve.
struct CurvePoint {
  std::string phase;
  int64_t network = 0, step = 0, measured = 0;
  double seconds = 0; ///< since the run began
  double loss = 0;    ///< or, online, the mean reward
  Quality first, four, fourWithResults, eightWithResults;
};

struct TrainingHooks {
  std::function<bool()> shouldStop;
  /// After every step.
  std::function<void(llvm::StringRef phase, int64_t step, int64_t steps)> step;
  std::function<void(const CurvePoint &)> point;
};

class TrainingRun {
public:
  TrainingRun(TrainingSettings settings, Arch arch, TrainingHooks hooks = {});

  void add(const DenseTable &table);
  void add(llvm::ArrayRef<Record> records);
  /// Starts from existing weights, whose shape is kept.
  void startFrom(Model model);
  /// For `online`; must outlive this.
  void useEvaluator(Evaluator &asked) { evaluator = &asked; }

  size_t shownCount() const { return shown.size(); }
  size_t heldCount() const { return held.size(); }
  llvm::ArrayRef<Task> heldTasks() const { return held; }
  /// The chips and parts of the tasks to learn from, and those of the weights
  /// that the run started from.
  std::vector<std::string> machines() const;

  llvm::Expected<Model> train();

private:
  bool shouldStop() const { return hooks.shouldStop && hooks.shouldStop(); }
  void deal(std::vector<Task> tasks);
  std::vector<Reading> sampled() const;
  Model begin() const;
  /// The part of `model` that is trained.
  Ensemble &trained(Model &model) const;
  std::unique_ptr<Trainer> trainerOf(Model &model, size_t network,
                                     int64_t steps) const;
  llvm::Error trainNetwork(Model &model, size_t network);
  llvm::Error runPhase(Model &one, size_t network, llvm::StringRef phase,
                       int64_t steps, Trainer::Draw draw);
  llvm::Error runOnline(Model &one, size_t network);
  void growTrees(Model &model);
  void correctByFolds();
  Reader readerOf(const Problem &problem) const;
  /// Judges one network, or all that `one` has.
  void addPoint(const Model &all, size_t network, llvm::StringRef phase,
                CurvePoint point);
  void addPoint(const Model &one, llvm::StringRef phase, CurvePoint point);
  llvm::Error saveState(llvm::StringRef phase, size_t network,
                        const std::string &state, const Model &model) const;

  TrainingSettings settings;
  Arch arch;
  TrainingHooks hooks;
  std::optional<Model> start;
  Evaluator *evaluator = nullptr;
  std::vector<Task> shown, held;
  /// Trees without the problems of each fold, and without the held ones alone.
  std::vector<Trees> folds;
  double begun = 0;
};

} // namespace hone

#endif // HONE_POLICY_TRAININGRUN_H
