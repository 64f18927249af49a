//===- GrowTrees.h - Training of boosted trees ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Trees trees = growTrees(tasks, options);
//   double off = trees.residual(reading);
//
// The same tasks, in any order, grow the same trees.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_GROWTREES_H
#define HONE_POLICY_GROWTREES_H

#include "hone/Model/Trees.h"
#include "hone/Policy/Tasks.h"
#include <functional>

namespace hone {

struct TreesOptions {
  int64_t rounds = 700; ///< trees in a sum
  int64_t groves = 2;   ///< such sums, with other seeds, that are averaged
  int64_t depth = 8;    ///< questions of a tree, at most Trees::kDeepest
  double rate = 0.05;   ///< share of the remaining error that a tree corrects
  /// A leaf of this weight gives half of its mean.
  double caution = 8;
  double rows = 0.5;   ///< of the candidates, for one tree
  double inputs = 0.5; ///< of the numbers
  /// A candidate whose log time, or its estimate, is this much above the best
  /// has weight 1/e.
  double sharpness = 0.3;
  /// Weight of the error that the candidates of a problem have in common: it
  /// does not change which of them is fastest.
  double common = 0.2;
  int64_t seed = 1;
  /// Tasks that are not learned from; by default none.
  std::function<bool(const Task &task)> leavesOut;
  /// Called after every tree.
  std::function<void(int64_t trees)> progress;
};

/// Without a task: no trees, with a residual of 0.
Trees growTrees(llvm::ArrayRef<Task> tasks, const TreesOptions &options);

} // namespace hone

#endif // HONE_POLICY_GROWTREES_H
