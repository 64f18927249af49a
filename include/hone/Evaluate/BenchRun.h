//===- BenchRun.h - Cells become rows ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers measure (hone/Evaluate/Workers.h); this asks, cell by cell:
//
//   every kernel of the run   is compiled first, so that nothing else runs while
//                             something is timed
//   each candidate            a trial: checked, timed for a few milliseconds
//   the fastest of ours, and  a final under each protocol. A kernel whose plan
//   the baselines             asks for programmatic launch takes part a second
//                             time without
//
// Both sides send as many to a final, and the fastest of a side counts. Where a
// run has an epilogue both sides are ours: kernels with the epilogue, and as
// baselines the plain product and a kernel behind that.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_BENCHRUN_H
#define HONE_EVALUATE_BENCHRUN_H

#include "hone/Evaluate/BenchPlan.h"
#include "hone/Evaluate/Workers.h"

namespace hone {

/// Measures the plan's cells and returns their rows. `csv` and `candidates` may
/// be closed files.
llvm::Expected<std::vector<BenchRow>> runBench(const BenchPlan &plan,
                                               Workers &workers, CsvFile &csv,
                                               CsvFile &candidates);

llvm::StringRef candidatesHeader();

} // namespace hone

#endif // HONE_EVALUATE_BENCHRUN_H
