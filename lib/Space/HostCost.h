//===- HostCost.h - Cost model of vector code on a CPU ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's counterpart of hone/Space/CostModel.h, which is about blocks on
// processors.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_HOSTCOST_H
#define HONE_LIB_SPACE_HOSTCOST_H

#include "hone/Schedule/Schedule.h"

namespace hone::detail {

/// Seconds of one product on one thread of a core with the rates of recent
/// ones. Extents must be known.
double hostSeconds(const Problem &problem, const Arch &arch,
                   const BlockFacts &facts);

} // namespace hone::detail

#endif // HONE_LIB_SPACE_HOSTCOST_H
