//===- Copies.h - Tensor maps of copied operands ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that copies an operand into the workspace, and the launch that reads
// the copy, compute its address, extents and distances from separate formulas.
// Small trials compare the two element by element. At sizes that are only
// planned, no thread runs, and the numbers are compared instead: if one formula
// is cut off there, the two differ.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_COPIES_H
#define HONE_LIB_SIMULATE_PLAN_COPIES_H

#include "../Launch.h"

namespace hone::simulate {

/// Adds a finding for each tensor map of the subject's last launch that lies in
/// the workspace and is not the map of a copy that one of the launches `before`
/// makes.
void checkCopies(const Subject &subject, llvm::ArrayRef<LaunchValues> before,
                 const LaunchValues &launch, Verdict &verdict);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_COPIES_H
