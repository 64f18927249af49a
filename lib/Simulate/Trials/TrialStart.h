//===- TrialStart.h - Parameters of a kernel's trial sizes ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computed before sizes are chosen: the division of K, M and N, and the weakest
// legal alignment of operands.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_TRIALS_TRIALSTART_H
#define HONE_LIB_SIMULATE_TRIALS_TRIALSTART_H

#include "hone/Simulate/Simulate.h"
#include <limits>

namespace hone::simulate {

/// Clusters without a bound by the device.
constexpr int64_t kAnyNumber = std::numeric_limits<int32_t>::max();

/// The division of K.
struct Steps {
  int64_t tile = 16;  ///< elements of a step
  int64_t slots = 1;  ///< of the rings of one part
  int64_t parts = 1;  ///< of K
  int64_t atOnce = 1; ///< steps of an unrolled loop
};
Steps stepsOf(mlir::gpu::GPUFuncOp kernel);

/// Gives an argument of the plan a value, if the plan has it.
void setKnob(const Subject &subject, Trial &trial, llvm::StringRef argument,
             int64_t value);

/// The tile of one cluster along a dimension: the largest extent that needs no
/// more blocks than an extent of 1.
llvm::Expected<int64_t> extentOf(const Subject &subject, Trial trial,
                                 int64_t Trial::*extent);

/// Gives `trial` the weakest alignment of each start and stride at which the
/// guard still holds: one argument at a time, so that no operand masks another.
/// First sets `unitN`, which is then its `n`.
llvm::Error weaken(const Subject &subject, Trial &trial);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_TRIALS_TRIALSTART_H
