//===- Checks.h - Agreement of plan, kernel and GPU -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks without a run: whether a launch fits its kernel and its GPU.
//
//   | part         | checks                                                  |
//   |--------------|---------------------------------------------------------|
//   | the kernel   | aligned barriers have whole warps; roles distribute no  |
//   |              | more registers than the block has                       |
//   | the launch   | parameters, boxes and swizzles are those of the         |
//   |              | kernel's types; threads, clusters and shared memory are |
//   |              | legal; the grid has extent 1 in y and z                 |
//   | tensor maps  | the driver encodes them, and all of their elements are  |
//   |              | elements of an operand                                  |
//   | the guard    | where it holds, the driver encodes the maps             |
//   | the grid     | blocks that wait for each other are resident together   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_CHECKS_H
#define HONE_LIB_SIMULATE_CHECKS_H

#include "Launch.h"
#include "Program.h"

namespace hone::simulate {

/// Adds a finding about an op in all blocks.
void report(Verdict &verdict, Fault fault, mlir::Operation *op,
            std::string text);
/// Adds the faults of a kernel, whatever its launch.
void checkKernel(const Program &program, const Subject &subject,
                 Verdict &verdict);
/// Adds the faults of one launch of it.
void checkLaunch(const Program &program, const Subject &subject,
                 const Trial &trial, const LaunchValues &launch,
                 Verdict &verdict);
/// Adds sizes that the guard accepts, though no tensor map can describe them.
llvm::Error checkGuard(const Subject &subject, const Trial &trial,
                       Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_CHECKS_H
