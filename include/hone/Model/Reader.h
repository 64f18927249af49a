//===- Reader.h - A schedule as numbers -------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy cannot learn the arithmetic of performance from a few hundred
// problems. So the network reads a candidate as numbers that already describe
// speed: the problem's extents, the cost model's terms, the distribution of
// blocks to processors, the facts of a block, and the numbers of the schedule's
// decisions.
//
//   Reader reader(problem, arch);
//   reader.names()          -> "problem.m", ..., "model.loops", ...,
//                              "ws.tile.0", "ws.tile.1", ..., "mma_sync.run"
//   reader.read(schedule)   -> a number for each, and the estimate
//
// | group      | examples                          | from                     |
// |------------|-----------------------------------|--------------------------|
// | `problem.` | log2 of m, n, k; layouts; types   | Problem                  |
// | `arch.`    | bytes and products a clock        | Arch                     |
// | `model.`   | parts of the estimate; rounds     | CostTerms                |
// | `block.`   | tile, stages, cluster, threads    | BlockFacts               |
// | KIND`.`    | log2 of each number of a decision | the table of kinds       |
//
// Every number has a name, and weights store the names they were trained with.
// So the weights ignore a decision or kind that is added later, because they
// lack its name; and one that was removed is read as its mean.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MODEL_READER_H
#define HONE_MODEL_READER_H

#include "hone/Schedule/Schedule.h"
#include "hone/Space/CostModel.h"
#include <vector>

namespace hone {

/// The numbers of one candidate.
struct Reading {
  std::vector<float> numbers; ///< in the order of `Reader::names`
  double logEstimate = 0;     ///< of the seconds that weights correct
  double logModel = 0;        ///< of the cost model's, as it is today
};

/// The coefficients of the estimate that weights are trained to correct. They
/// stay the same when the cost model is fitted again, so that weights stay
/// valid.
CostCoefficients coefficientsOfWeights();

class Trees;

class Reader {
public:
  /// Extents must be known. `coefficients` are those of the estimate, by
  /// default `coefficientsOfWeights()`: training draws others.
  Reader(const Problem &problem, const Arch &arch,
         std::optional<CostCoefficients> coefficients = std::nullopt,
         Kinds kinds = allKinds());

  /// Adds `share` of the trees' correction to the estimates. `trees` must
  /// outlive this.
  void correctBy(const Trees &trees, double share = 1);

  Reading read(const Schedule &schedule) const;
  /// The same for several, in less time where trees correct them.
  std::vector<Reading> readAll(llvm::ArrayRef<Schedule> schedules) const;

  /// The same for every problem and arch.
  static std::vector<std::string> names(Kinds kinds = allKinds());

private:
  /// Without the trees' correction.
  Reading readPlain(const Schedule &schedule) const;

  Problem problem;
  Arch arch;
  CostCoefficients coefficients;
  Kinds kinds;
  const Trees *trees = nullptr;
  double treesShare = 0;
};

/// Where each of `names` is among `known`, or -1.
std::vector<int> placesAmong(llvm::ArrayRef<std::string> known,
                             llvm::ArrayRef<std::string> names);

/// The natural logarithm, the same to the bit on every machine.
double logOf(double value);

} // namespace hone

#endif // HONE_MODEL_READER_H
