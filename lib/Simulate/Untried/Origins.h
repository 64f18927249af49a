//===- Origins.h - Origins of a kernel's values -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops and arguments that a value depends on, through arithmetic, branches
// and the values carried by loops.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_ORIGINS_H
#define HONE_LIB_SIMULATE_UNTRIED_ORIGINS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace hone::simulate {

/// The number that `value` has in every run, as an unsigned one.
std::optional<uint64_t> constantOf(mlir::Value value);

/// The product of the constant factors of `value`.
uint64_t factorOf(mlir::Value value);

/// A number by which `value` can be divided at every size: 0 for zero, which is
/// a multiple of all, and 1 where nothing is known.
uint64_t divisorOf(mlir::Value value);
bool isMultipleOf(mlir::Value value, uint64_t number);

/// The number u of steps in a round, for a loop over the rest after whole
/// rounds: its first step is `end - end % u`, so all of its steps, fewer than
/// u, are near the end.
std::optional<uint64_t> roundBeforeRest(mlir::scf::ForOp loop);

/// The value with which a loop starts, if `value` is carried by a loop with at
/// most one round; otherwise `value`.
mlir::Value beforeOnlyRound(mlir::Value value);

class Origins {
public:
  /// The origins of all of these together.
  explicit Origins(mlir::ValueRange from);

  /// Loops that may have any number of rounds: over steps or tiles.
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
/// True if it depends on a worker's number, or on the number of workers.
bool isOfWorkers(mlir::Value value);
/// True if one side is a step, and the other does not depend on the number of
/// steps: then any number of steps may follow.
bool isOfStep(mlir::ValueRange operands);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_ORIGINS_H
