//===- Online.h - Learning from what one tries oneself ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reinforcement learning: the policy draws candidates, an evaluator times them,
// and what was fast becomes more probable. Nothing is needed but an evaluator:
// workers on a GPU, or a recorded table that answers for one.
//
//   auto online = makeOnline(model, 0, options, problems, evaluator);
//   for (int64_t step = 0; step < steps; ++step)
//     if (Expected<OnlineStep> report = online->step())
//       print(report->reward);
//
// A step takes some problems. For each the policy, softmax(-log t / tau) over
// the candidates it has in mind, draws a group; those that nobody timed yet are
// timed; and the gradient is that of
//
//   E best of k   by the group: each draw is given what the group's best owes
//                 to it (leaveOneOut), or its standing in the group (GRPO)
//   - KL          from the policy that it was before: a few lucky draws shall
//                 not undo what all the tables taught
//   - value       what it says of everything timed so far of this problem shall
//                 be right: a time says more than that it was better
//
// | what came of a draw | reward                                               |
// |---------------------|------------------------------------------------------|
// | a time              | shortest time known of the problem over this one     |
// | no time             | less than 0, by how it failed                        |
//
// Times are dear, so what was timed is part of the state: a run that was
// stopped asks for nothing twice, and ends where it would have ended.
//
// Times come from the evaluator and its gate alone (checked before and after
// they are taken), so there is nothing to be gained by being wrong.
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

struct OnlineOptions {
  TrainOptions train;   ///< rate, tau, seed, the weight of `value`
  int64_t problems = 4; ///< of a step
  int64_t draws = 8;    ///< of a problem, in a step
  int64_t bestOf = 4;
  Advantage advantage = Advantage::leaveOneOut;
  double policy = 1; ///< weight of what was gained
  double divergence = 0.02;
  bool isUniform = false; ///< no policy: what supervised learning has
  Within isWithin;
};

/// What a step was like.
struct OnlineStep {
  double reward = 0;    ///< the mean of its draws
  double best = 0;      ///< the mean of its groups' best
  int64_t measured = 0; ///< candidates timed so far, in all
};

/// What both ways to learn online share; what is tried, and how it becomes more
/// probable, says the policy.
class Online {
public:
  virtual ~Online();

  /// An error where the evaluator can not go on.
  llvm::Expected<OnlineStep> step();

  int64_t steps() const { return trainer->steps(); }

  /// Everything that the next step depends on, as bytes, and back. Times of
  /// problems or candidates that there are no more are forgotten.
  std::string state() const;
  llvm::Error restore(llvm::StringRef bytes);

  /// Everything timed so far, by problem.
  std::vector<Task> timed() const;

protected:
  struct Known;
  struct Group;
  /// `model` and `evaluator` have to live as long.
  Online(Ensemble &model, size_t network, OnlineOptions options,
         llvm::ArrayRef<Problem> problems, Evaluator &evaluator,
         std::unique_ptr<Trainer> trainer);

  /// Keeps of a problem's candidates those that will be drawn from.
  virtual void prepare(Known &known) = 0;
  /// A candidate's place.
  virtual std::vector<size_t> draw(Known &known, size_t count) = 0;
  /// Adds the gradient of what each draw was worth.
  virtual void reward(const Group &group, llvm::ArrayRef<double> advantages,
                      Vector &gradient) = 0;

  Ensemble &model;
  Network &network;
  Network before; ///< what it shall not run away from
  OnlineOptions options;
  std::mt19937_64 dice;

private:
  llvm::Error measure(llvm::MutableArrayRef<Group> groups);
  Group drawGroup(Known &known);
  void learn(const Group &group, OnlineStep &report, Vector &gradient);
  Known &knownOf(const Problem &problem);
  double rewardOf(const Known &known, size_t candidate) const;
  void remember(Known &known, size_t candidate, Measurement result);
  void remember(const llvm::json::Object &entry);

  std::vector<Problem> problems;
  Evaluator &evaluator;
  std::unique_ptr<Trainer> trainer;
  std::vector<std::unique_ptr<Known>> memory;
  int64_t measured = 0;
  uint64_t questions = 0;
};

/// Network `network` of those that judge: it draws from softmax(-log t / tau).
std::unique_ptr<Online> makeOnline(Ensemble &model, size_t network,
                                   OnlineOptions options,
                                   llvm::ArrayRef<Problem> problems,
                                   Evaluator &evaluator);
/// Of those that write: it draws word by word, and the words of what was fast
/// become more probable where they stood.
std::unique_ptr<Online> makeOnlineWriter(Ensemble &writer, size_t network,
                                         OnlineOptions options,
                                         llvm::ArrayRef<Problem> problems,
                                         Evaluator &evaluator);

} // namespace hone

#endif // HONE_POLICY_ONLINE_H
