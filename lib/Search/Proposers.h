//===- Proposers.h - What each family offers --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proposer appends schedules of one family that may be good for a problem.
// It need not know the laws: what breaks one, and what is there twice, is
// dropped behind it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_PROPOSERS_H
#define HONE_LIB_SEARCH_PROPOSERS_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone::detail {

using Proposer = void (*)(const Problem &, const Arch &,
                          std::vector<Schedule> &);

void proposeMmaSync(const Problem &problem, const Arch &arch,
                    std::vector<Schedule> &schedules);

void proposeWsCoop(const Problem &problem, const Arch &arch,
                   std::vector<Schedule> &schedules);
void proposeWsPingpong(const Problem &problem, const Arch &arch,
                       std::vector<Schedule> &schedules);
void proposeSmall(const Problem &problem, const Arch &arch,
                  std::vector<Schedule> &schedules);
void proposeClusterSplitK(const Problem &problem, const Arch &arch,
                          std::vector<Schedule> &schedules);
void proposeStreamK(const Problem &problem, const Arch &arch,
                    std::vector<Schedule> &schedules);
void proposeSwapAb(const Problem &problem, const Arch &arch,
                   std::vector<Schedule> &schedules);

void proposeHost(const Problem &problem, const Arch &arch,
                 std::vector<Schedule> &schedules);

/// One line per family that is searched.
constexpr Proposer kProposers[] = {
    proposeMmaSync,       proposeWsCoop,  proposeWsPingpong, proposeSmall,
    proposeClusterSplitK, proposeStreamK, proposeSwapAb,     proposeHost};

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_PROPOSERS_H
