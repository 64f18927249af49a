//===- Workspace.h - Where sums and counters may lie ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workspace that starts with zeros does so for its first bytes alone, and
// only these the next launch finds as this one did: counters lie there, and
// nothing else. What runs with clocks and what only looks where threads go ask
// here.
//
//   | base            | base + clearedBytes                        | end
//   | counters        | sums, copies                               |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_WORKSPACE_H
#define HONE_LIB_SIMULATE_WORKSPACE_H

#include "Launch.h"

namespace hone::simulate {

class Workspace {
public:
  explicit Workspace(const LaunchValues &launch)
      : region(*launch.find("ws")), isCleared(launch.workspaceZeroed) {}

  /// What is wrong with a counter at `address`, or an empty string.
  std::string faultOfCounter(int64_t address) const;
  /// What is wrong with sums or copies in `bytes` bytes from `address` on.
  std::string faultOfData(int64_t address, int64_t bytes) const;

private:
  const Region &region;
  bool isCleared;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_WORKSPACE_H
