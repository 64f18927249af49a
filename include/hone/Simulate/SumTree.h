//===- SumTree.h - The order in which products are added --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element of C is a sum over K, and its bits depend on the order of the
// additions: a tree whose leaves are the instructions, each with its own grain
// of K. The tree is computed from kernel IR alone: the simulator runs the
// kernel on factors that are numbers of k (lib/Simulate/Values/Provenance.h),
// so that every accumulator records its additions. No decision of a schedule is
// read, and a kernel that was written by hand is judged in the same way.
//
//   | tree                        | text                                      |
//   |-----------------------------|-------------------------------------------|
//   | one accumulator             | k16 in order                              |
//   | blocks, added by threads    | k32 in order, in sums of 128              |
//   | parts of K                  | k16 in order, in 4 parts of whole 64s     |
//   | factors of f32 in parts     | al.k8 x 4, bl.k8 x 4, k8 x 4, in sums of  |
//   |                             | 32                                        |
//   | another order in each step  | k16 from 16, k16, for each 32             |
//
// `al` and `bl` are the low parts of A and of B. Two kernels with the same text
// add in the same order at every size.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_SUMTREE_H
#define HONE_SIMULATE_SUMTREE_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// The parts of the factors whose products an instruction adds.
enum class FactorParts { whole, lowA, lowB, low };

/// The products of one instruction: `width` elements of k from `first` on,
/// those after the end of K being zero.
struct SumLeaf {
  int64_t first = 0, width = 16;
  FactorParts parts = FactorParts::whole;

  bool operator==(const SumLeaf &other) const {
    return first == other.first && width == other.width && parts == other.parts;
  }
};

struct SumTree {
  /// The instructions of a period, in their order; `first` counts from its
  /// start.
  std::vector<SumLeaf> leaves;
  int64_t period = 16; ///< elements of k
  /// Every period has a sum of its own, which threads add to those before it.
  bool inBlocks = false;
  /// K in so many runs of ceil(units / parts) units; their sums are added in
  /// order.
  int64_t parts = 1, unit = 0;

  std::string str() const;
};

/// The tree of a class, which `numbers = invariant` states: the problem, and
/// whether its ISA has wgmma. Nothing for integers, whose sums are exact.
std::optional<SumTree> treeOfClass(const Problem &problem, bool hasWgmma);

/// The tree of a kernel.
struct KernelSums {
  /// The same for all elements and sizes; empty if there is no such tree.
  std::string text;
  /// Elements of one size that differ, sizes that do, or a difference of all of
  /// them from the tree of the class.
  std::vector<Finding> findings;
  std::optional<Trial> at; ///< the size of the findings
};

/// Computes the tree from runs of these sizes, at which the kernel is right. If
/// the problem's numbers are invariant, it has to be that of the class.
llvm::Expected<KernelSums> sumsOf(const Subject &subject,
                                  llvm::ArrayRef<Trial> trials,
                                  const SimulateOptions &options = {});

} // namespace hone::simulate

#endif // HONE_SIMULATE_SUMTREE_H
