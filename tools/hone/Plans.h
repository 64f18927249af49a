//===- Plans.h - Plans for unknown extents, in tools ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a build would make of a database where it meets `m = ?`, for `hone
// tune`, which asks where such a plan is in doubt, and for `hone-lab ranges`,
// which judges it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_PLANS_H
#define HONE_TOOLS_PLANS_H

#include "hone/Search/RangedSource.h"

namespace hone {

/// The database at `path`, for this toolchain.
llvm::Expected<std::shared_ptr<Lookup>>
openLookup(const std::string &path, Origin origin = Origin::measured);

/// Plans from what `known` has, behind it from the shipped policy and the cost
/// model. Kernels are compared by the policy, or by `modelOnly`'s cost model.
std::shared_ptr<RangedSource> makePlans(std::shared_ptr<Lookup> known,
                                        RangeRule rule = {},
                                        bool modelOnly = false);

} // namespace hone

#endif // HONE_TOOLS_PLANS_H
