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
//   llvm::Expected<Trees> trees = Trees::readFile("hopper.trees");
//   double off = trees->residual(reading);
//
// Each number is first placed in one of at most 256 bins, by edges that are
// quantiles of the training data; trees compare bins only. So growing a tree is
// counting, and every question of a tree from a file is valid.
//
// Training is in hone/Policy/GrowTrees.h. Results are the same on every
// machine, because trees only compare and add.
//
// The file is a line of JSON, followed by edges and trees as little-endian
// bytes. Like a Model's it is untrusted input, and refers to its numbers by
// name: one that this build lacks is placed in the middle of its bins.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_TREES_H
#define HONE_MODEL_TREES_H

#include "hone/Model/Reader.h"
#include <map>

namespace hone {

class Trees {
public:
  static constexpr int64_t kDeepest = 12;

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
  bool covers(llvm::StringRef name) const;

  /// For users: data and method.
  std::map<std::string, std::string> card;

private:
  friend class Grower;
  friend struct TreesFile;
  /// Where a candidate's numbers lie: a bin for each input.
  using Bins = std::vector<uint8_t>;
  /// Is the input's bin above `max`?
  struct Question {
    uint16_t input = 0;
    uint8_t max = 255; ///< the last bin: no further question
  };
  /// A full tree, as rows: question `at` is followed by 2 at + 1, or by 2 at +
  /// 2 if the answer is yes.
  struct Tree {
    std::vector<Question> questions;
    std::vector<float> leaves;
  };
  Bins place(const Reading &reading) const;
  template <size_t count>
  static void addLeaves(const Tree &tree, const Bins *places, double *sums);

  std::vector<std::string> names; ///< of the inputs
  std::vector<int> origins;       ///< by input: where a Reading has it, or -1
  std::vector<std::vector<float>> edges; ///< by input; ascending
  std::vector<Tree> trees;
};

} // namespace hone

#endif // HONE_MODEL_TREES_H
