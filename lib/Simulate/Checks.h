//===- Checks.h - Plan, kernel and GPU agree --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs no run: a launch either fits its kernel and its GPU, or it does
// not.
//
//   | of           | asked                                                   |
//   |--------------|---------------------------------------------------------|
//   | the kernel   | that aligned barriers have whole warps, and that roles  |
//   |              | share out no more registers than the block has          |
//   | the launch   | parameters, boxes and swizzles as the kernel's types    |
//   |              | say; threads and clusters; nothing in y and z; shared   |
//   |              | memory that a block can have                            |
//   | tensor maps  | that the driver encodes them, and that all elements of  |
//   |              | theirs are elements of an operand                       |
//   | the guard    | that where it holds the driver encodes the maps         |
//   | the grid     | that blocks which wait for each other are on the chip   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_CHECKS_H
#define HONE_LIB_SIMULATE_CHECKS_H

#include "Launch.h"
#include "Program.h"

namespace hone::simulate {

/// What is wrong with a kernel, whatever its launch.
void checkKernel(const Program &program, const Subject &subject,
                 Verdict &verdict);
/// What is wrong with one launch of it.
void checkLaunch(const Program &program, const Subject &subject,
                 const Trial &trial, const LaunchValues &launch,
                 Verdict &verdict);
/// What the guard lets through, though no tensor map can describe it.
llvm::Error checkGuard(const Subject &subject, const Trial &trial,
                       Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_CHECKS_H
