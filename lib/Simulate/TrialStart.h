//===- TrialStart.h - What a kernel's sizes go by ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before sizes are chosen: how a kernel cuts K, M and N, and how badly operands
// may be aligned.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_TRIALSTART_H
#define HONE_LIB_SIMULATE_TRIALSTART_H

#include "hone/Simulate/Simulate.h"
#include <limits>

namespace hone::simulate {

/// Clusters without a bound by the device.
constexpr int64_t kAnyNumber = std::numeric_limits<int32_t>::max();

/// How a kernel cuts K.
struct Steps {
  int64_t tile = 16;  ///< elements of a step
  int64_t slots = 1;  ///< of one part's rings
  int64_t parts = 1;  ///< of K
  int64_t atOnce = 1; ///< steps that are written out, one behind the other
};
Steps stepsOf(mlir::gpu::GPUFuncOp kernel);

/// The tile of one cluster along a dimension: the largest extent that needs no
/// more blocks than 1 does.
llvm::Expected<int64_t> extentOf(const Subject &subject, Trial trial,
                                 int64_t Trial::*extent);

/// Gives `trial` the least alignment of each start and stride at which the
/// guard still holds: one argument at a time, so that no operand hides behind
/// another. Before that finds its `unitN`, which is its `n` then.
llvm::Error weaken(const Subject &subject, Trial &trial);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_TRIALSTART_H
