//===- BenchRun.h - Measurement of benchmark cells --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers measure (hone/Workers/Workers.h); this sends them questions, cell by
// cell:
//
//   every kernel of the run   is compiled first, so that no other work runs
//                             during a measurement
//   the candidates            a search that tries nothing else: trials, a final
//                             of the fastest, one choice
//   the choice, and           a final under each protocol. A kernel whose plan
//   the baselines             uses programmatic launch takes part a second time
//                             without it
//
// Both sides send equally many entrants to a final, and the fastest of a side
// counts. In a run with an epilogue both sides are Hone's: kernels with the
// epilogue against the plain product, and against that plus a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHRUN_H
#define HONE_BENCH_BENCHRUN_H

#include "hone/Bench/BenchPlan.h"
#include "hone/Policy/TuneDefaults.h"
#include "hone/Workers/Workers.h"

namespace hone {

/// For `--search=tune:64`: adds the schedule that `hone tune --trials=64`
/// chooses to the candidates of every cell, before any comparison begins; that
/// of the product without its epilogue, too, where the plan has one. With a
/// database, its records count as trials, and new ones are stored. A problem
/// for which no candidate runs gets none.
llvm::Error tuneCells(BenchPlan &plan, Workers &workers,
                      const BuildChoiceFactory &choiceOfBuild);

/// Measures the plan's cells and returns their rows. `csv` and `candidates` may
/// be closed files.
llvm::Expected<std::vector<BenchRow>> runBench(const BenchPlan &plan,
                                               Workers &workers, CsvFile &csv,
                                               CsvFile &candidates);

/// A file of candidates: its first line, and the line of a candidate, with an
/// estimate in seconds if there is one.
llvm::StringRef candidatesHeader();
std::string candidateLine(const Problem &problem, llvm::StringRef types,
                          const Schedule &schedule,
                          std::optional<double> estimate,
                          const Measurement &result);

} // namespace hone

#endif // HONE_BENCH_BENCHRUN_H
