//===- Plans.h - Plans for unknown extents, in tools ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan that a build would make from a database for `m = ?`. `hone tune`
// measures where such a plan is in doubt, and `hone-lab ranges` evaluates it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PROGRAM_PLANS_H
#define HONE_TOOLS_PROGRAM_PLANS_H

#include "hone/Sources/RangedSource.h"

namespace hone {

/// The database at `path`, for this toolchain.
llvm::Expected<std::shared_ptr<Lookup>>
openLookup(const std::string &path, Origin origin = Origin::measured);

/// Plans from the records of `known`, and after these from the shipped policy
/// and the cost model. Kernels are compared by the policy, or with `modelOnly`
/// by the cost model.
std::shared_ptr<RangedSource> makePlans(std::shared_ptr<Lookup> known,
                                        RangeRule rule = {},
                                        bool modelOnly = false);

} // namespace hone

#endif // HONE_TOOLS_PROGRAM_PLANS_H
