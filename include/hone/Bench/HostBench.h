//===- HostBench.h - Times of f32 squares on this CPU -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times f32 squares: each requested schedule, and OpenBLAS if this machine has it,
// on one thread. All take turns in every round, so that a busy machine slows them
// alike. Each result is checked against dot products in f64 before the timing.
//
//   auto schedules = chooseSchedules(options, arch);
//   benchSize(1024, contestants, options.rounds, progress);
//   contestants[0].times.back()    // the median of the rounds, and their spread
//
//===----------------------------------------------------------------------===//

#ifndef HONE_BENCH_HOSTBENCH_H
#define HONE_BENCH_HOSTBENCH_H

#include "hone/Bench/HostContestants.h"
#include "hone/Schedule/Host.h"
#include "hone/Text/Progress.h"

namespace hone {

struct HostBenchOptions {
  std::vector<int64_t> sizes = {256, 512, 1024, 2048};
  std::string schedules;
  bool grid = false;
  int64_t rounds = 9;
  std::string openblas = "libopenblas.so.0";
  std::string csv;
};

/// The schedules to time: those requested, or the default, or the grid.
llvm::Expected<std::vector<Host>>
chooseSchedules(const HostBenchOptions &options, const Arch &arch);
/// Times all contestants at one size. Fails if a result is wrong.
llvm::Error benchSize(int64_t n, llvm::MutableArrayRef<Contestant> contestants,
                      int64_t rounds, Progress &progress);

double gflops(int64_t n, Time time);
/// Geometric mean over the sizes of the speed of `times` relative to
/// `baseline`.
double speedup(llvm::ArrayRef<Time> baseline, llvm::ArrayRef<Time> times);
/// For each size the best of several contestants.
std::vector<Time> bestOf(llvm::ArrayRef<Contestant> contestants);

} // namespace hone

#endif // HONE_BENCH_HOSTBENCH_H
