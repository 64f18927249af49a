//===- Trees.h - Boosted regression trees -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other way to learn from tables: a sum of small decision trees, each of
// which corrects what those before it left over. Like a Network they say how
// wrong the cost model is about a candidate,
//
//   log seconds = log estimate + tree(numbers) + tree(numbers) + ...
//
// from the same numbers. A tree asks one question after the other, "is
// model.waves above 0.83?", and answers with the leaf it ends in. Trees do not
// hear what was measured. They are wrong about other problems than networks
// are, so a Model asks both.
//
//   Trees trees = Trees::grow(tasks, options);
//   double off = trees.residual(reading);
//
// Each number is first placed in one of at most 256 bins, by edges that are
// quantiles of the training's; trees ask for bins only. So growing one is
// counting, and a tree that was read from a file can ask nothing absurd.
//
// Growing is the same for the same tasks, in whatever order; asking is the same
// on every machine, for it compares and adds.
//
// The file is a line of JSON, and behind it edges and trees as little-endian
// bytes. Like a Model's it is untrusted input, and knows its numbers by name:
// one that this build does not have lies in the middle of its bins.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TREES_H
#define HONE_POLICY_TREES_H

#include "hone/Policy/Tasks.h"
#include <functional>
#include <map>

namespace hone {

struct TreesOptions {
  int64_t rounds = 700; ///< trees, one behind the other
  int64_t groves = 2;   ///< sums of these, by other dice, that are averaged
  int64_t depth = 8;    ///< questions of a tree, at most kDeepest
  double rate = 0.05;   ///< of what is left over, that a tree corrects
  /// A leaf that weighs so little says half of what it would.
  double caution = 8;
  double rows = 0.5;   ///< of the candidates, that a tree sees
  double inputs = 0.5; ///< of the numbers
  /// A candidate whose log, or what is expected of it, is so much above the
  /// best counts for 1/e.
  double sharpness = 0.3;
  /// Of what the candidates of a problem are off together, that counts: it does
  /// not change which of them is fastest.
  double common = 0.2;
  int64_t seed = 1;
  /// After every tree, of so many.
  std::function<void(int64_t trees)> progress;
};

class Trees {
public:
  static constexpr int64_t kDeepest = 12;

  /// Without a task: none, which say 0.
  static Trees grow(llvm::ArrayRef<Task> tasks, const TreesOptions &options);

  static llvm::Expected<Trees> parse(llvm::StringRef bytes,
                                     Kinds kinds = allKinds());
  static llvm::Expected<Trees> readFile(const std::string &path,
                                        Kinds kinds = allKinds());
  std::string str() const;

  /// What they add to the logarithm of the estimate.
  double residual(const Reading &reading) const;
  /// The same for many, to the bit, in a fraction of the time.
  std::vector<double> residuals(llvm::ArrayRef<Reading> readings) const;

  size_t size() const { return trees.size(); }
  /// True if they were grown with a number of this name.
  bool knows(llvm::StringRef name) const;

  /// For people: data and method.
  std::map<std::string, std::string> card;

private:
  friend class Grower;
  friend struct TreesFile;
  /// Where a candidate's numbers lie: a bin for each input.
  using Bins = std::vector<uint8_t>;
  /// Is the input's bin above `most`?
  struct Question {
    uint16_t input = 0;
    uint8_t most = 255; ///< the last bin: nothing is left to ask
  };
  /// A full tree, as rows: behind question `at` comes 2 at + 1, or 2 at + 2
  /// where the answer is yes.
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
