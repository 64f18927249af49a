//===- Objective.h - Training objectives of a policy ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy is a distribution over candidates, p = softmax(-log seconds / tau),
// and its purpose is a good best of the k that it proposes. If the time of
// every candidate is recorded, the expectation of that best, over k draws, and
// its gradient can be computed exactly: with candidates from the worst reward
// r_1 to the best r_n and P_i the probability of a draw among the i worst,
//
//   E best of k = sum over i of r_i (P_i^k - P_(i-1)^k)
//
// Where times come one by one, from a GPU, the same expectation is estimated
// from a group of draws. The advantage of a draw is the loss of the group
// without it: most draws get nothing, and the best gets its lead over the next
// (`leaveOneOut`). The usual baseline, the mean of the group (`groupRelative`),
// is there for comparison.
//
// | function      | needs                    | gives                          |
// |---------------|--------------------------|--------------------------------|
// | expectedBest  | every candidate's reward | exact value and gradient       |
// | crossEntropy  | every candidate's time   | distance to softmax(-log t)    |
// | leaveOneOut   | rewards of some draws    | advantage of each              |
// | groupRelative | rewards of some draws    | advantage of each              |
// | divergence    | two distributions        | KL, and its gradient           |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_OBJECTIVE_H
#define HONE_POLICY_OBJECTIVE_H

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace hone {

/// A value and its gradient by each logit.
struct Valued {
  double value = 0;
  std::vector<double> gradient;
};

std::vector<double> softmaxOf(llvm::ArrayRef<double> logits);

/// The expected best reward of `draws` draws.
Valued expectedBest(llvm::ArrayRef<double> logits,
                    llvm::ArrayRef<double> rewards, int64_t draws);

/// - sum of target_i log p_i.
Valued crossEntropy(llvm::ArrayRef<double> logits,
                    llvm::ArrayRef<double> target);

/// sum of p_i log(p_i / q_i), where q are the probabilities of `others`.
Valued divergence(llvm::ArrayRef<double> logits, llvm::ArrayRef<double> others);

/// The contribution of each draw to the best reward of a group, for groups of
/// `draws` of which these are a sample: the mean, over all groups of that size
/// with the draw, of the decrease of the group's best without it.
std::vector<double> leaveOneOut(llvm::ArrayRef<double> rewards, int64_t draws);

/// Rewards less their mean, over their spread.
std::vector<double> groupRelative(llvm::ArrayRef<double> rewards);

} // namespace hone

#endif // HONE_POLICY_OBJECTIVE_H
