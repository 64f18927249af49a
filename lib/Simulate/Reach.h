//===- Reach.h - The workspace at a device's full size ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few workers show that their barriers are right, but how much of the workspace
// they use grows with their number, and a plan that asks for too little may do
// so only where the device's number bounds it. No branch of a kernel depends on
// time, so where its threads go can be computed without waiting for anyone:
// each worker runs from its start to its end by itself, and only what it uses
// of the workspace is looked at.
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
