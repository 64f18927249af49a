//===- LaunchSource.h - Where operands of a launch come from ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch is given 64-bit numbers. Most of them are read from memrefs in the
// host code around it: addresses, extents, and distances between elements.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_LAUNCHSOURCE_H
#define HONE_LIB_SIMULATE_LAUNCHSOURCE_H

#include "mlir/IR/Value.h"

namespace hone::simulate {

struct Source {
  enum Kind { unknown, constant, address, extent, distance } kind = unknown;
  mlir::Value memref;
  int64_t number = 0; ///< a constant, or which dimension
};

/// What the operand `value` of a launch is.
Source sourceOf(mlir::Value value);

/// The memref of which `value`, an index, is the address of the first element:
/// that of its bytes, and an offset.
mlir::Value addressOf(mlir::Value value);

mlir::Value withoutCasts(mlir::Value memref);
/// The memref whose bytes `memref` is a view of.
mlir::Value rootOf(mlir::Value memref);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_LAUNCHSOURCE_H
