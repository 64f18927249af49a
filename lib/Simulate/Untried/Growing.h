//===- Growing.h - Integers that depend on a launch -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is computed from arguments of a kernel, from a worker's
// number or from a tile, through arithmetic, branches and loops.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_UNTRIED_GROWING_H
#define HONE_LIB_SIMULATE_UNTRIED_GROWING_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace hone::simulate {

/// The integers of a kernel that depend on the launch, or only on a worker's
/// number.
class Growing {
public:
  enum Of { launch, workers };
  explicit Growing(mlir::gpu::GPUFuncOp kernel, Of of = launch);
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  void spread(mlir::Operation *op);
  const Of of;
  llvm::DenseSet<mlir::Value> values;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_UNTRIED_GROWING_H
