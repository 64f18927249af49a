//===- Roster.cpp - The agents of a cluster -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles to agents; see Roster.h.
//
//===----------------------------------------------------------------------===//

#include "Roster.h"

using namespace hone::simulate;

namespace {
class Roster {
public:
  std::vector<Member> members;

  /// A group of `threads` threads from `first` on.
  void add(int64_t block, int64_t grid, int role, int group, int64_t first,
           int64_t threads, bool oneThread) {
    for (bool isLeader : {true, false}) {
      if (!isLeader && threads == 1)
        continue;
      Member member;
      member.number = members.size();
      member.block = block;
      member.grid = grid;
      member.role = oneThread && !isLeader ? -1 : role;
      member.group = group;
      member.groupNumber = groups;
      member.isLeader = isLeader;
      member.isBlockLeader = isLeader && first == 0;
      member.threads = isLeader ? 1 : threads - 1;
      members.push_back(member);
    }
    ++groups;
  }

private:
  int groups = 0;
};
} // namespace

Place hone::simulate::atEndOf(const Program &program) {
  return {program.steps.back().op->getLoc(), "gpu.func"};
}

Place hone::simulate::placeOfStep(const Program &program, const Step &step,
                                  int64_t block, int64_t group, bool isLeader) {
  Place place = Place::of(step.op);
  if (step.role >= 0)
    place.role = kernel::RoleOp(program.roles[step.role].op).getName().str();
  place.block = block;
  place.group = group;
  place.agent = isLeader ? "leader" : "follower";
  return place;
}

std::vector<Member> hone::simulate::rosterOf(const Program &program,
                                             const LaunchValues &launch,
                                             int64_t cluster) {
  constexpr int64_t kWarp = 32, kGroup = 128;
  Roster roster;
  for (int64_t block = 0; block < launch.cluster; ++block) {
    int64_t grid = cluster * launch.cluster + block, next = 0;
    for (auto [i, role] : llvm::enumerate(program.roles)) {
      for (int64_t group = 0; group < role.groups; ++group)
        roster.add(
            block, grid, i, group, role.firstWarp * kWarp + group * kGroup,
            role.groups > 1 ? kGroup : role.warps * kWarp, role.oneThread);
      next = (role.firstWarp + role.warps) * kWarp;
    }
    if (next < program.threads)
      roster.add(block, grid, -1, 0, next, program.threads - next, false);
  }
  return std::move(roster.members);
}
