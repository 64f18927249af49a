//===- Origins.h - What a kernel's values are computed from -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops and arguments that a value depends on, through arithmetic, branches
// and what loops carry.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_ORIGINS_H
#define HONE_LIB_SIMULATE_UNTRIED_ORIGINS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace hone::simulate {

/// The number that `value` is in every run, without its sign.
std::optional<uint64_t> constantOf(mlir::Value value);

/// The product of the constants that `value` is multiplied by.
uint64_t factorOf(mlir::Value value);

/// What `value` is where a loop that carries it has one round at most: what the
/// loop begins with.
mlir::Value beforeOnlyRound(mlir::Value value);

class Origins {
public:
  /// Of all of these together.
  explicit Origins(mlir::ValueRange from);

  /// Loops that may go on: over steps or tiles.
  llvm::DenseSet<mlir::Operation *> loops;
  /// Arguments of the kernel, and the number of a worker.
  llvm::DenseSet<mlir::Value> arguments;

private:
  void follow(mlir::Value value, llvm::SmallVector<mlir::Value> &values);
  void followArgument(mlir::BlockArgument value,
                      llvm::SmallVector<mlir::Value> &values);
};

/// True if both are computed from one argument of the kernel, or from the
/// worker's number, directly or by the end of a loop.
bool areOfOneArgument(mlir::Value one, mlir::Value other);
/// True if it depends on a worker's number, or on how many there are.
bool isOfWorkers(mlir::Value value);
/// True if one side is a step, and the other has nothing to do with how many
/// there are: then any number of steps may come behind.
bool isOfStep(mlir::ValueRange operands);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_ORIGINS_H
