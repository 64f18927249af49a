//===- BenchContest.h - One cell of a benchmark -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cell is a problem with its candidates and baselines. It takes three steps:
//
//   trials   every candidate, briefly
//   choice   the fastest of these in turns, Hone's alone: one schedule remains,
//            as in a build
//   final    that schedule and the baselines; gives the cell's rows
//
// The choice and the final are separate measurements: the minimum of several
// noisy times is too short, the more so the more times there are. A rival keeps
// that advantage: its fastest algorithms all take part in the final.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_BENCH_BENCHCONTEST_H
#define HONE_LIB_BENCH_BENCHCONTEST_H

#include "hone/Bench/BenchRun.h"

namespace hone {

/// A participant in a final: a candidate or a baseline.
struct Finalist {
  Entrant entrant;
  size_t index = 0; ///< of the candidate, or of the baseline
  bool isOurs = false;
  bool with = false, without = false; ///< modes of programmatic launch
  std::string remark;
  Measurement result; ///< under the current protocol
  std::vector<double> rounds;
};

/// One cell, from its first trial to its rows.
class BenchContest {
public:
  BenchContest(const BenchPlan &plan, const BenchCell &cell, Workers &workers,
               llvm::function_ref<void(const llvm::Twine &)> note,
               llvm::function_ref<void(const std::string &)> skip)
      : plan(plan), cell(cell), workers(workers), note(note), skip(skip) {}

  /// Calls `heard` with each candidate and its result, in order.
  llvm::Error tryCandidates(
      llvm::function_ref<llvm::Error(const Candidate &, const Measurement &)>
          heard);
  llvm::Expected<std::vector<BenchRow>> decide();

private:
  llvm::Expected<Reply> reply();
  std::vector<size_t> fastest(bool isPlain) const;
  llvm::Expected<std::optional<size_t>> choose(bool isPlain);
  llvm::Error addFinalists();
  void addOurs(size_t at);
  void addTheirs(size_t index, Rival rival, int64_t ranks);
  void addModes(Finalist finalist, const Problem &problem);
  llvm::Error time(Protocol protocol);
  const Finalist *best(llvm::function_ref<bool(const Finalist &)> counts) const;
  void fillRow(BenchRow &row) const;

  const BenchPlan &plan;
  const BenchCell &cell;
  Workers &workers;
  llvm::function_ref<void(const llvm::Twine &)> note;
  llvm::function_ref<void(const std::string &)> skip; ///< printed once
  std::vector<Measurement> trials;                    ///< by candidate
  double shortest = 0;                                ///< of the trials
  std::vector<Finalist> finalists;
};

} // namespace hone

#endif // HONE_LIB_BENCH_BENCHCONTEST_H
