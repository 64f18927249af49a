//===- PlanChecks.h - Validity of launch plans ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of a plan's parts. The parser checks each line's part, to which it
// adds the number of the line; LaunchPlan::fault checks all of them. A function
// returns an empty string, or "expected ..., but got ...".
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_PLANCHECKS_H
#define HONE_LIB_RUNTIME_PLANCHECKS_H

#include "hone/Runtime/LaunchPlan.h"

namespace hone::detail {

constexpr int64_t kMaxSharedBytes = 1 << 20;

std::string faultOfCount(size_t count, size_t max, const char *what);
/// Of the last of `args`: a name, and none of those before.
std::string faultOfLast(const std::vector<std::string> &args);
/// Of the bound of an alternative that has one, after `before` or as the first.
std::string faultOfBound(const PlanAlternative &alternative,
                         const PlanAlternative *before);
std::string faultOfEntry(const std::string &entry);
/// Only a grid may ask for the resident clusters of its own launch.
std::string faultOfAsking(const PlanFormula &formula);
/// If all values are constant, their product is at most `max`, where 0 stands
/// for the limits of a grid.
std::string faultOfDims(const PlanFormula (&dims)[3], int64_t max);
/// All that the driver's encoder would reject for any arguments.
std::string faultOf(const TensorMap &map);
std::string faultOfLast(const std::vector<LaunchParam> &params);

} // namespace hone::detail

#endif // HONE_LIB_RUNTIME_PLANCHECKS_H
