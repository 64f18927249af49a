//===- Reader.h - What the policy reads of a schedule -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy that had to learn arithmetic from some hundred problems would lose
// to one that is told. So a candidate reaches the network as numbers that are
// already about speed: the problem's extents, the cost model's terms, how
// blocks are dealt to processors, what a block is made of, and the numbers of
// the schedule's decisions.
//
//   Reader reader(problem, arch);
//   reader.names()          -> "problem.m", ..., "model.loops", ...,
//                              "ws.tile.0", "ws.tile.1", ..., "mma_sync.run"
//   reader.read(schedule)   -> a number for each, and the estimate
//
// | group        | examples                         | from                     |
// |--------------|----------------------------------|--------------------------|
// | `problem.`   | log2 of m, n, k; layouts; types  | Problem                  |
// | `arch.`      | bytes and products a clock       | Arch                     |
// | `model.`     | parts of the estimate; rounds    | CostTerms                |
// | `block.`     | tile, stages, cluster, threads   | BlockFacts               |
// | KIND`.`      | log2 of each number of a decision| the table of kinds       |
//
// Every number has a name, and weights store the names they were trained with.
// So a decision or kind that is added later is a name the weights do not know,
// which they do not read; and one that is gone is read as its mean.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_READER_H
#define HONE_POLICY_READER_H

#include "hone/Schedule/Schedule.h"
#include "hone/Search/CostModel.h"
#include <vector>

namespace hone {

/// What is read of one candidate.
struct Reading {
  std::vector<float> numbers; ///< in the order of `Reader::names`
  double logEstimate = 0;     ///< of the seconds that weights correct
  double logModel = 0;        ///< of the cost model's, as it is today
};

/// What weights are trained to correct. It stays as it is when the cost model
/// is fitted again, so weights stay right.
CostCoefficients coefficientsOfWeights();

class Reader {
public:
  /// Extents must be known. `coefficients` are what the machine is believed to
  /// be, if not what weights correct: training draws others.
  Reader(const Problem &problem, const Arch &arch,
         std::optional<CostCoefficients> coefficients = std::nullopt,
         Kinds kinds = allKinds());

  Reading read(const Schedule &schedule) const;

  /// The same for every problem and arch.
  static std::vector<std::string> names(Kinds kinds = allKinds());

private:
  Problem problem;
  Arch arch;
  CostCoefficients coefficients;
  Kinds kinds;
};

/// Where each of `names` is among `known`, or -1.
std::vector<int> placesAmong(llvm::ArrayRef<std::string> known,
                             llvm::ArrayRef<std::string> names);

/// The natural logarithm, the same to the bit on every machine.
double logOf(double value);

} // namespace hone

#endif // HONE_POLICY_READER_H
