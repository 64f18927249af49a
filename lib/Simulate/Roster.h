//===- Roster.h - The agents of a cluster -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two agents for each group of a role, in each block of a cluster, and for the
// threads that have no role; see Simulate.h. In a role of one thread the leader
// is that thread; the follower stands for the other threads of its warps, which
// skip the role.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_ROSTER_H
#define HONE_LIB_SIMULATE_ROSTER_H

#include "Launch.h"
#include "Program.h"

namespace hone::simulate {

struct Member {
  int number = 0;
  int block = 0;              ///< in the cluster
  int64_t grid = 0;           ///< the block's number in the grid
  int role = -1;              ///< -1: none
  int group = 0;              ///< in the role
  int groupNumber = 0;        ///< in the cluster
  bool isLeader = true;       ///< of its group
  bool isBlockLeader = false; ///< thread 0
  int64_t threads = 1;

  /// True for the thread that executes ops of one thread of the group or,
  /// outside of roles, of the block.
  bool leads(const Step &step) const {
    return step.role >= 0 ? isLeader : isBlockLeader;
  }
};

/// The place of the whole kernel, after its end.
Place atEndOf(const Program &program);
/// The place of a step of a group, without the loops around it.
Place placeOfStep(const Program &program, const Step &step, int64_t block,
                  int64_t group, bool isLeader);

std::vector<Member> rosterOf(const Program &program, const LaunchValues &launch,
                             int64_t cluster);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_ROSTER_H
