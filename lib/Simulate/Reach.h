//===- Reach.h - Use of the workspace at full device size -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few workers suffice to prove the barriers, but the used part of the
// workspace grows with their number. A plan with too small a workspace may fail
// only where the device bounds the number of workers. No branch of a kernel
// depends on time, so the paths of threads can be computed without waiting:
// each worker runs from its start to its end separately, and only its use of
// the workspace is checked.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REACH_H
#define HONE_LIB_SIMULATE_REACH_H

#include "Launch.h"
#include "Program.h"

namespace hone::simulate {

/// Finds sums and counters that lie outside of the launch's workspace.
void checkReach(const Program &program, const LaunchValues &launch,
                Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_REACH_H
