//===- BenchWorker.h - The process that touches the GPU ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of unknown standing can fault and take the GPU's context with it, or
// run for ever. So a benchmark is two processes: a supervisor that has never
// opened the driver, and a worker, forked from it, that measures cell after
// cell. The worker says on a pipe what it found, and in shared memory what it
// is about to try. When it breaks down, or says nothing for too long, the
// supervisor knows whom to blame and forks the next worker, which leaves that
// one out.
//
// A line on the pipe is a letter and its text:
//
// | letter | text                                                          |
// |--------|---------------------------------------------------------------|
// | S      | a cell that begins, by its number                             |
// | C      | cell, candidate, seconds and status, by spaces, then a tab    |
// |        | and the line of the candidates' CSV                           |
// | R      | a row of the CSV                                              |
// | D      | a cell that is done                                           |
// | N      | a remark for people                                           |
// | T      | seconds, and what they were spent on                          |
// | W      | why the worker is about to give up                            |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHWORKER_H
#define HONE_TOOLS_BENCHWORKER_H

#include "BenchPlan.h"
#include "ChildProcess.h"
#include <atomic>
#include <set>

namespace hone {

/// In memory that supervisor and worker share.
struct Beacon {
  static constexpr int64_t kNobody = -1;
  std::atomic<uint64_t> beats{0};
  std::atomic<int64_t> cell{kNobody};
  /// A candidate of the cell; the number of its candidates more is a baseline.
  std::atomic<int64_t> contender{kNobody};
};

/// What a candidate is known to be, while a run goes on.
struct CandidateState {
  std::string status; ///< empty: not tried yet
  double seconds = 0; ///< by the short timing, where the status is ok
};

/// What the supervisor knows, and a worker starts from.
struct BenchState {
  explicit BenchState(const BenchPlan &plan);

  std::vector<bool> done;                              ///< by cell
  std::vector<std::vector<CandidateState>> candidates; ///< by cell
  std::set<std::pair<size_t, size_t>> barred;          ///< baselines, by cell
  std::vector<unsigned> breakdowns;                    ///< by kernel
  /// A kernel that broke down so often is not tried on other shapes.
  static constexpr unsigned kMostBreakdowns = 2;
};

/// Measures all cells that are not done. Returns the exit status: 0 when every
/// cell is done, 1 after a W line.
int runBenchWorker(const BenchPlan &plan, const BenchState &state,
                   Beacon &beacon, int pipe);

/// The same without a GPU: what the cost model expects is taken for measured,
/// and the plan's option `rehearse` says what breaks down.
int rehearseBench(const BenchPlan &plan, const BenchState &state,
                  Beacon &beacon, int pipe);

llvm::StringRef candidatesHeader();
/// A line of the candidates' CSV.
std::string candidateLine(const BenchPlan &plan, const BenchCell &cell,
                          const Candidate &candidate,
                          const CandidateState &state, llvm::StringRef remark);

} // namespace hone

#endif // HONE_TOOLS_BENCHWORKER_H
