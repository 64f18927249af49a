//===- Trees.h - Boosted regression trees -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another model that learns from tables: a sum of small decision trees, each of
// which corrects the remaining error of those before it. Like a Network they
// predict the error of the cost model for a candidate,
//
//   log seconds = log estimate + tree(numbers) + tree(numbers) + ...
//
// from the same numbers. A tree is a sequence of questions, "is model.waves
// above 0.83?", and its result is the leaf where they end. Trees ignore
// measured times. They and networks err on different problems, so a Model uses
// both.
//
//   Trees trees = Trees::grow(tasks, options);
//   double off = trees.residual(reading);
//
// Each number is first placed in one of at most 256 bins, by edges that are
// quantiles of the training data; trees compare bins only. So growing a tree is
// counting, and every question of a tree from a file is valid.
//
// The same tasks, in any order, grow the same trees. Results are the same on
// every machine, because trees only compare and add.
//
// The file is a line of JSON, followed by edges and trees as little-endian
// bytes. Like a Model's it is untrusted input, and refers to its numbers by
// name: one that this build lacks is placed in the middle of its bins.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TREES_H
#define HONE_POLICY_TREES_H

#include "hone/Policy/Tasks.h"
#include <functional>
#include <map>

namespace hone {

struct TreesOptions {
  int64_t rounds = 700; ///< trees in a sum
  int64_t groves = 2;   ///< such sums, with other seeds, that are averaged
  int64_t depth = 8;    ///< questions of a tree, at most kDeepest
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
  /// Called after every tree.
  std::function<void(int64_t trees)> progress;
};

class Trees {
public:
  static constexpr int64_t kDeepest = 12;

  /// Without a task: no trees, with a residual of 0.
  static Trees grow(llvm::ArrayRef<Task> tasks, const TreesOptions &options);

  static llvm::Expected<Trees> parse(llvm::StringRef bytes,
                                     Kinds kinds = allKinds());
  static llvm::Expected<Trees> readFile(const std::string &path,
                                        Kinds kinds = allKinds());
  std::string str() const;

  /// The correction of the logarithm of the estimate.
  double residual(const Reading &reading) const;
  /// The same for many readings, identical to the bit, in a fraction of the
  /// time.
  std::vector<double> residuals(llvm::ArrayRef<Reading> readings) const;

  size_t size() const { return trees.size(); }
  /// True if they were grown with a number of this name.
  bool knows(llvm::StringRef name) const;

  /// For users: data and method.
  std::map<std::string, std::string> card;

private:
  friend class Grower;
  friend struct TreesFile;
  /// Where a candidate's numbers lie: a bin for each input.
  using Bins = std::vector<uint8_t>;
  /// Is the input's bin above `most`?
  struct Question {
    uint16_t input = 0;
    uint8_t most = 255; ///< the last bin: no further question
  };
  /// A full tree, as rows: question `at` is followed by 2 at + 1, or by 2 at +
  /// 2 if the answer is yes.
  struct Tree {
    std::vector<Question> questions;
    std::vector<float> leaves;
  };
  Bins place(const Reading &reading) const;

  std::vector<std::string> names; ///< of the inputs
  std::vector<int> origins;       ///< by input: where a Reading has it, or -1
  std::vector<std::vector<float>> edges; ///< by input; ascending
  std::vector<Tree> trees;
};

} // namespace hone

#endif // HONE_POLICY_TREES_H
