//===- BenchTune.h - Tuned schedules for a benchmark ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `hone bench gemm --search=tune:64` times one schedule a problem: the one that
// `hone tune --trials=64` chooses, by the same search, the same workers and the
// same final, before any comparison begins. With a database, its records count
// as trials, and new ones are stored.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_BENCHTUNE_H
#define HONE_BENCH_BENCHTUNE_H

#include "hone/Bench/BenchPlan.h"
#include "hone/Policy/TuneDefaults.h"
#include "hone/Workers/Workers.h"

namespace hone {

/// Adds the chosen schedule to the candidates of every cell; of the product
/// without its epilogue, too, where the plan has one. A problem for which no
/// candidate runs gets none.
llvm::Error tuneCells(BenchPlan &plan, Workers &workers,
                      const BuildChoiceFactory &choiceOfBuild);

} // namespace hone

#endif // HONE_BENCH_BENCHTUNE_H
