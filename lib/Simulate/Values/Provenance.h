//===- Provenance.h - Orders of additions instead of numbers ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a run of this kind an element of A or B is a code of its k, and a sum is
// the number of a node, a pair of addends. Codes travel as the operands' own
// bytes, through copies, transposes and conversions, and numbers of nodes as
// f32, through partial sums in shared or global memory. So only the ops that
// multiply or add differ from a run with numbers:
//
//   k = digit in A + digits * digit in B
//
// where the digits are the first numbers of the operands' types: positive ones
// in A, negative ones in B, because either may be in the rows of an
// instruction. With products of tf32x3 a number is `digit * (1 + 2^-13)`: its
// high part and its low part are told apart by their size. Numbers of k count
// modulo the square of `digits`.
//
// A node is added only once, so equal trees have equal numbers. Adding zero
// leaves a sum as it is: elements of k after the end, and the start of a sum.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PROVENANCE_H
#define HONE_LIB_SIMULATE_PROVENANCE_H

#include "../Launch.h"
#include "hone/Simulate/SumTree.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace hone::simulate {

class Values;

class Provenance {
public:
  explicit Provenance(const Problem &problem);

  /// The element at `k` of A, or of B.
  double codeOf(bool isB, int64_t k) const;

  /// Numbers of nodes, as accumulators hold them.
  double add(double one, double other);
  /// Adds the products of an instruction: of factors that `keep` has numbered.
  double multiply(double sum, uint32_t a, uint32_t b);
  uint32_t keep(llvm::ArrayRef<float> factors);
  /// The value that C holds for a sum: epilogues map elements to elements, so
  /// that the tree stays the same.
  double finish(double sum);

  /// The nodes of C's elements after a run, each with its first place. Rows
  /// without products are left out: those of no group, or of an index outside
  /// of A.
  struct Root {
    uint32_t node;
    int64_t batch, row, column;
  };
  void readRoots(const Trial &trial, const LaunchValues &launch,
                 const Values &values);
  /// Of the last run.
  std::vector<Root> roots;
  /// Starts the next run.
  void restart();

  uint32_t build(const SumTree &tree, int64_t k);
  /// Trees that may be that of `node`, the likeliest first.
  std::vector<SumTree> guess(uint32_t node, int64_t unit) const;
  /// At one size: "k16[0:64] + k16[64:100]"
  std::string textOf(uint32_t node) const;
  bool isFull() const { return nodes.size() >= kMaxNodes; }

private:
  /// An f32 can hold the numbers of this many.
  static constexpr size_t kMaxNodes = size_t(1) << 24;
  static constexpr uint32_t kZero = 0, kUnknown = 1;

  /// The products of an instruction, or of one whose elements are in another
  /// order: then `count` is 0.
  struct Leaf {
    SumLeaf at;
    int64_t count;
  };
  /// A leaf that tensor cores add to `left`, or two sums that threads add.
  struct Node {
    bool isSum;
    uint32_t left, right;
    int64_t first; ///< the least k
  };

  uint32_t nodeOf(double sum) const;
  uint32_t add(uint32_t one, uint32_t other);
  uint32_t accumulate(uint32_t sum, std::optional<uint32_t> leaf);
  uint32_t enter(Node node);
  /// Nothing for products that are all zero.
  std::optional<uint32_t> leafOf(llvm::ArrayRef<float> a,
                                 llvm::ArrayRef<float> b);
  std::optional<uint32_t> leafAt(const SumLeaf &leaf, int64_t end);
  uint32_t enter(const Leaf &leaf, std::vector<int64_t> elements);
  /// The leaves of an accumulator, and whether it has nothing else.
  std::vector<SumLeaf> leavesOf(uint32_t node) const;

  /// The meaning of a number: a part of a k, in A or in B, and whether it is
  /// the low part of its factor.
  struct Digit {
    int64_t k;
    bool isB, isLow;
  };
  void addCodes(bool isB, ElementType type, bool isSplit);
  /// The k of a product, and the parts of its factors; nothing if it has none.
  std::optional<std::pair<int64_t, FactorParts>> factorsOf(float left,
                                                           float right) const;

  const int64_t digits; ///< numbers of an operand
  const bool hasGroups; ///< of rows
  std::vector<double> codesA, codesB;
  std::map<float, Digit> meanings;
  std::vector<Node> nodes;
  std::map<std::tuple<bool, uint32_t, uint32_t>, uint32_t> numbers;
  std::vector<Leaf> leaves;
  std::map<std::vector<int64_t>, uint32_t> leafNumbers;
  std::vector<std::vector<float>> kept;
  std::map<std::vector<float>, uint32_t> keptNumbers;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, std::optional<uint32_t>> pairs;
  /// The sums that epilogues got in this run: C holds their positions from 1
  /// on.
  llvm::MapVector<uint32_t, int64_t> finished;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PROVENANCE_H
