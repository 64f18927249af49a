//===- Trainer.h - Training of a policy -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step draws some tasks and some candidates of each. Some of these are
// shown with their times (the context), and the network judges the others. The
// loss of its judgements has a gradient, and an optimizer (Adam with decoupled
// decay) follows it.
//
//   Trainer trainer(model, options);
//   while (trainer.step(draw) < options.steps)
//     report(trainer.loss());
//
// | part of the loss | makes the policy                                       |
// |------------------|--------------------------------------------------------|
// | listwise         | rank the fast ones first: cross entropy between        |
// |                  | softmax(-log t / tau) of its judgements and of times   |
// | best of k        | propose lists whose best is good, for k = 1, 4, 8      |
// | value            | predict correct times, above all for fast ones         |
// | online           | gain by its own trials (reinforcement learning)        |
//
// A step distributes its tasks to a fixed number of shards, whose gradients are
// added in order, so the number of threads only changes the duration, and a run
// that was stopped and resumed gives the same result.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TRAINER_H
#define HONE_POLICY_TRAINER_H

#include "hone/Model/Model.h"
#include "hone/Policy/Tasks.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace hone {

struct TrainOptions {
  int64_t steps = 4000;
  int64_t tasks = 16;      ///< of a step
  int64_t candidates = 64; ///< that are judged, of a task
  int64_t context = 16;    ///< at most, that are shown
  double rate = 1e-3;      ///< at its highest: it rises for a tenth of the
                           ///< steps, and falls to nothing
  double decay = 1e-2;
  double dropout = 0.1;
  double tau = 0.05; ///< of the distribution over candidates
  double listwise = 0.2, bestOf = 0.0, value = 3;
  bool hasContext = true; ///< false: an ablation
  bool hasPrior = true;   ///< false: an ablation that begins with nothing, not
                          ///< with the cost model
  int64_t seed = 1;
  int64_t threads = 1;
};

/// A batch for a network, and the correct results.
struct Lesson {
  Batch batch;
  std::vector<double> logEstimates, logSeconds; ///< of the candidates
};

class Trainer {
public:
  /// Trains network `at` of `model`, which must outlive this.
  Trainer(Ensemble &model, size_t at, TrainOptions options);
  virtual ~Trainer() = default;

  /// The next task to learn from: the same for the same dice.
  using Draw = std::function<const Task &(std::mt19937_64 &dice)>;
  /// Returns how many steps there have been.
  int64_t step(const Draw &draw);
  int64_t steps() const { return done; }
  /// Of the last step.
  double loss() const { return lastLoss; }

  /// Writes everything that the next step depends on as bytes, and reads it
  /// back.
  std::string state() const;
  llvm::Error restore(llvm::StringRef bytes);

  /// A step along a gradient that the caller computed.
  void follow(Vector &gradient);

  Lesson lessonOf(const Task &task, std::mt19937_64 &dice) const;
  /// The loss of one lesson; adds to `gradient`.
  double learn(const Lesson &lesson, Vector &gradient,
               std::mt19937_64 &dice) const;
  /// The loss of a lesson that is drawn from `task`; adds to `gradient`.
  virtual double teach(const Task &task, Vector &gradient,
                       std::mt19937_64 &dice) const;

protected:
  /// Runs the network on `batch`, with a little noise, and adds the loss's
  /// gradient to `gradient`. `Loss` computes the loss of residuals and its
  /// gradient by each.
  using Loss = llvm::function_ref<double(const Vector &residual,
                                         std::vector<double> &byResidual)>;
  double follow(Batch batch, Vector &gradient, std::mt19937_64 &dice,
                Loss loss) const;
  /// The squared error of times; adds to its gradient.
  static double valueLoss(llvm::ArrayRef<double> said,
                          llvm::ArrayRef<double> right, double weight,
                          std::vector<double> &bySaid);

  Ensemble &model;
  Network &network;
  TrainOptions options;

private:
  double lossOf(const Lesson &lesson, const Vector &residual,
                std::vector<double> &bySaid) const;
  double rateNow() const;
  std::vector<size_t> drawShown(const Task &task, size_t count,
                                std::vector<size_t> &asked,
                                std::mt19937_64 &dice) const;

  std::mt19937_64 dice;
  Vector first, second; ///< moments of the gradient
  int64_t done = 0;
  double lastLoss = 0;
};

/// How close the best of the first k comes to the best of all, for problems
/// that are held out.
struct Quality {
  double mean = 0;  ///< geometric, of best time over found time
  double tenth = 0; ///< the 10th percentile
  double min = 0;
};
Quality qualityOf(std::vector<double> ratios);

/// By task: best time over that of the best of the model's first `k` proposals.
/// With results, the model receives each one before it proposes the next.
std::vector<double> replay(const Model &model, llvm::ArrayRef<Task> tasks,
                           size_t k, bool withResults);

} // namespace hone

#endif // HONE_POLICY_TRAINER_H
