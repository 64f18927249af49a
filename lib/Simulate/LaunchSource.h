//===- LaunchSource.h - Sources of a launch's operands ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of a launch are 64-bit numbers. Most of them are read from
// memrefs in the host code around it: addresses, extents, and distances between
// elements.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_LAUNCHSOURCE_H
#define HONE_LIB_SIMULATE_LAUNCHSOURCE_H

#include "mlir/IR/Value.h"

namespace hone::simulate {

struct Source {
  enum Kind { unknown, constant, address, extent, distance } kind = unknown;
  mlir::Value memref;
  int64_t number = 0; ///< a constant, or the number of a dimension
};

/// The source of the operand `value` of a launch.
Source sourceOf(mlir::Value value);

/// The memref whose first element is at the address `value`, an index: the
/// address of its bytes, plus an offset.
mlir::Value addressOf(mlir::Value value);

mlir::Value withoutCasts(mlir::Value memref);
/// The memref whose bytes `memref` is a view of.
mlir::Value rootOf(mlir::Value memref);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_LAUNCHSOURCE_H
