//===- Online.h - Reinforcement learning ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy draws candidates, an evaluator times them, and fast ones become
// more probable. The evaluator is workers on a GPU, or a recorded table.
//
//   auto online = makeOnline(model, 0, options, problems, evaluator);
//   for (int64_t step = 0; step < steps; ++step)
//     if (Expected<OnlineStep> report = online->step())
//       print(report->reward);
//
// A step takes some problems. For each, the policy, softmax(-log t / tau) over
// its candidates, draws a group; draws without a time are timed; and the step
// follows the gradient of
//
//   E best of k   from the group: the advantage of a draw is its contribution
//                 to the group's best (leaveOneOut), or its standing in the
//                 group (GRPO)
//   - KL          from the initial policy, so that a few lucky draws do not
//                 undo the training by tables
//   - value       the error of its estimates for all candidates of the problem
//                 timed so far: a time has more information than a rank
//
// | result of a draw                       | reward                          |
// |----------------------------------------|---------------------------------|
// | a time                                 | log(shortest time known of the  |
// |                                        | problem / this one): at most 0  |
// | a law refuses it                       | -1.2                            |
// | a rewrite does not apply, or the       | -1.4                            |
// | assembler refuses the kernel           |                                 |
// | it is not proven, faults or hangs      | -1.6                            |
// | it spills registers, whatever its time | -1.8                            |
// | its result is wrong                    | -2                              |
//
// A schedule three times slower than the best has -1.1, so every time is better
// than a failure that a build would notice late.
//
// Times are expensive, so they are part of the state: a run that was stopped
// measures nothing twice, and ends with the same result as without the stop.
//
// Times come only from the evaluator, which checks results before and after it
// times them, so a wrong kernel gains nothing.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_ONLINE_H
#define HONE_POLICY_ONLINE_H

#include "hone/Policy/Trainer.h"
#include "hone/Search/Evaluator.h"
#include "hone/Search/Policy.h"
#include "llvm/Support/JSON.h"

namespace hone {

enum class Advantage { leaveOneOut, groupRelative };

/// The reward of a draw by its result; a time has its logarithm.
struct Rewards {
  double refused = -1.2, notBuilt = -1.4, notProven = -1.6, spilled = -1.8,
         wrong = -2;

  double of(const Measurement &result, double logBest) const;
};

struct OnlineOptions {
  TrainOptions train;   ///< rate, tau, seed, the weight of `value`
  int64_t problems = 4; ///< of a step
  int64_t draws = 8;    ///< of a problem, in a step
  int64_t bestOf = 4;
  Advantage advantage = Advantage::leaveOneOut;
  double policy = 1; ///< weight of the gain
  double divergence = 0.02;
  Rewards rewards;
  bool isUniform = false; ///< uniform draws, as for supervised learning
  Within isWithin;
  /// Of a problem's candidates; by default that of the cost model's estimates.
  std::function<Reader(const Problem &)> readerOf;
};

/// The report of a step.
struct OnlineStep {
  double reward = 0;    ///< the mean of its draws
  double best = 0;      ///< the mean of its groups' best
  int64_t measured = 0; ///< candidates timed so far, in all
};

/// The common part of both ways to learn online. Subclasses choose the
/// candidates to try and make the fast ones more probable.
class Online {
public:
  virtual ~Online();

  /// An error if the evaluator cannot continue.
  llvm::Expected<OnlineStep> step();

  int64_t steps() const { return trainer->steps(); }

  /// Writes everything that the next step depends on as bytes, and reads it
  /// back. Times of problems or candidates that no longer exist are dropped.
  std::string state() const;
  llvm::Error restore(llvm::StringRef bytes);

  /// Everything timed so far, by problem.
  std::vector<Task> timed() const;

protected:
  struct Known;
  struct Group;
  /// `model` and `evaluator` must outlive this.
  Online(Ensemble &model, size_t network, OnlineOptions options,
         llvm::ArrayRef<Problem> problems, Evaluator &evaluator,
         std::unique_ptr<Trainer> trainer);

  /// Prepares the candidates of a problem from which `draw` draws.
  virtual void prepare(Known &known) = 0;
  /// A candidate's place.
  virtual std::vector<size_t> draw(Known &known, size_t count) = 0;
  /// Adds the gradient that the advantages of the draws give.
  virtual void reward(const Group &group, llvm::ArrayRef<double> advantages,
                      Vector &gradient) = 0;

  Ensemble &model;
  Network &network;
  Network before; ///< the initial policy, for the KL term
  OnlineOptions options;
  std::mt19937_64 dice;

private:
  llvm::Error measure(llvm::MutableArrayRef<Group> groups);
  Group drawGroup(Known &known);
  void learn(const Group &group, OnlineStep &report, Vector &gradient);
  Known &knownOf(const Problem &problem);
  void remember(Known &known, size_t candidate, Measurement result);
  void remember(const llvm::json::Object &entry);

  std::vector<Problem> problems;
  Evaluator &evaluator;
  std::unique_ptr<Trainer> trainer;
  std::vector<std::unique_ptr<Known>> memory;
  int64_t measured = 0;
  uint64_t questions = 0;
};

/// For network `network` of those that judge: it draws from softmax(-log t /
/// tau).
std::unique_ptr<Online> makeOnline(Ensemble &model, size_t network,
                                   OnlineOptions options,
                                   llvm::ArrayRef<Problem> problems,
                                   Evaluator &evaluator);
/// For a network of those that write: it draws word by word, and the words of
/// fast schedules become more probable at their states.
std::unique_ptr<Online> makeOnlineWriter(Ensemble &writer, size_t network,
                                         OnlineOptions options,
                                         llvm::ArrayRef<Problem> problems,
                                         Evaluator &evaluator);

} // namespace hone

#endif // HONE_POLICY_ONLINE_H
