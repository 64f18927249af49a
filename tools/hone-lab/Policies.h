//===- Policies.h - hone-lab policies ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of searches with a goal.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_POLICIES_H
#define HONE_TOOLS_LAB_POLICIES_H

#include "hone/Command/Table.h"
#include "lib/Lab/Comparison.h"

namespace hone {

/// Each policy's first proposal, its result after the maximum number of
/// measurements, and the measurements that it takes to reach the goal: for
/// problems whose operands the copy engine can address, and for the others.
llvm::Expected<Table> goalTable(const DenseTable &searched, const Arch &arch,
                                const Model &model,
                                const ComparisonOptions &options);

} // namespace hone

#endif // HONE_TOOLS_LAB_POLICIES_H
