//===- Workspace.h - Addresses of sums and counters -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workspace that starts with zeros does so only in its first bytes, and every
// launch must leave these as it found them: counters lie there, and nothing
// else. Both the run with clocks and the walk over paths check this here.
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

  /// The fault of a counter at `address`, or an empty string.
  std::string faultOfCounter(int64_t address) const;
  /// The fault of sums or copies in `bytes` bytes from `address` on.
  std::string faultOfData(int64_t address, int64_t bytes) const;

private:
  const OperandRegion &region;
  bool isCleared;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_WORKSPACE_H
