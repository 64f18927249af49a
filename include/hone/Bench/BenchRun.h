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
//   each candidate            a trial: checked, timed for a few milliseconds
//   Hone's fastest, and       a final under each protocol. A kernel whose plan
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
#include "hone/Workers/Workers.h"

namespace hone {

/// Measures the plan's cells and returns their rows. `csv` and `candidates` may
/// be closed files.
llvm::Expected<std::vector<BenchRow>> runBench(const BenchPlan &plan,
                                               Workers &workers, CsvFile &csv,
                                               CsvFile &candidates);

llvm::StringRef candidatesHeader();

} // namespace hone

#endif // HONE_BENCH_BENCHRUN_H
