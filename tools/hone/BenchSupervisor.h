//===- BenchSupervisor.h - A benchmark that outlives its kernels -*- C++
//-*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The side of a benchmark that never opens the driver: it forks workers, writes
// what they find, and names what broke down. See BenchWorker.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_BENCHSUPERVISOR_H
#define HONE_TOOLS_BENCHSUPERVISOR_H

#include "BenchPlan.h"
#include "Table.h"

namespace hone {

/// What a process of its own learns about this machine's GPU.
struct GpuFacts {
  std::string arch, name;
};
llvm::Expected<GpuFacts> probeGpu();

/// Measures the plan's cells and returns their rows. `csv` and `candidates` may
/// be closed files.
llvm::Expected<std::vector<BenchRow>>
superviseBench(const BenchPlan &plan, CsvFile &csv, CsvFile &candidates);

} // namespace hone

#endif // HONE_TOOLS_BENCHSUPERVISOR_H
