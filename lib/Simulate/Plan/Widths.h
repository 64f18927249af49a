//===- Widths.h - Arithmetic that fits its bits at all sizes ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 32-bit number may wrap around at sizes that no trial has: a product of two
// extents in an address, or a step that is shifted by 26 bits. So no sum,
// product, shift or conversion of sizes may exceed its bits at any size that
// the guard accepts (Bounds.h). Integers of an epilogue are data and wrap as
// the problem's do.
//
//   | of                  | is at most                                       |
//   |---------------------|--------------------------------------------------|
//   | an argument         | the plan's formula                               |
//   | a worker, a tile    | the grid, the tiles                              |
//   | a loop's variable   | the loop's end                                   |
//   | a carried number    | its start, plus the sum that the rounds add      |
//   | a slot of a ring    | the ring                                         |
//   | x - y               | x                                                |
//
// Where workers share tiles, products that depend on a worker's number are not
// bounded: they are differences of large numbers. Constants that scale them
// must be those of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_WIDTHS_H
#define HONE_LIB_SIMULATE_PLAN_WIDTHS_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

class Program;

/// Adds a finding for each op of a launch's kernel whose result may exceed its
/// bits, and for each 32-bit argument whose formula in the plan may. `program`
/// is the kernel's.
void findWideNumbers(const Subject &subject, mlir::gpu::GPUFuncOp kernel,
                     const Program &program, size_t launch,
                     std::vector<Finding> &findings);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_WIDTHS_H
