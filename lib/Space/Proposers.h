//===- Proposers.h - Catalogues of the kinds --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proposer appends schedules of one kind that may be good for a problem. It
// need not check the laws: the caller drops illegal schedules and duplicates.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SPACE_PROPOSERS_H
#define HONE_LIB_SPACE_PROPOSERS_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone::detail {

using Proposer = void (*)(const Problem &, const Arch &,
                          std::vector<Schedule> &);

void proposeMmaSync(const Problem &problem, const Arch &arch,
                    std::vector<Schedule> &schedules);

void proposeWarpSpecialized(const Problem &problem, const Arch &arch,
                            std::vector<Schedule> &schedules);

void proposeHost(const Problem &problem, const Arch &arch,
                 std::vector<Schedule> &schedules);

/// One line per kind that is searched.
constexpr Proposer kProposers[] = {proposeMmaSync, proposeWarpSpecialized,
                                   proposeHost};

} // namespace hone::detail

#endif // HONE_LIB_SPACE_PROPOSERS_H
