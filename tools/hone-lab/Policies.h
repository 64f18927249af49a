//===- Policies.h - hone-lab policies ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its table of what searches with a goal take.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_LAB_POLICIES_H
#define HONE_TOOLS_LAB_POLICIES_H

#include "lib/Lab/Comparison.h"
#include "tools/hone/Table.h"

namespace hone {

/// Each policy's first proposal, what it has after the most measurements that
/// are asked for, and how many it takes until the goal: for problems whose
/// operands the copy engine can address, and for the others.
llvm::Expected<Table> goalTable(const DenseTable &searched, const Arch &arch,
                                const Model &model,
                                const ComparisonOptions &options);

} // namespace hone

#endif // HONE_TOOLS_LAB_POLICIES_H
