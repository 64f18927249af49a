//===- Host.h - The decisions of host ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the kind's builder and proposer; all other code uses the table.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_HOST_H
#define HONE_SCHEDULE_HOST_H

#include "hone/Schedule/Knobs.h"

namespace hone {

/// Vector code for the CPU: panels of A and B packed for the caches, and a
/// register-blocked micro-kernel.
struct Host : Knobs<Host> {
  std::array<int64_t, 3> tile;
  std::array<int64_t, 2> micro;
  int64_t unroll;

  Host() : Host(Schedule(kind())) {}
  explicit Host(const Schedule &schedule) { read(schedule); }
  static const Kind &kind();
  template <typename Self>
  static auto fields(Self &self) {
    return std::tie(self.tile, self.micro, self.unroll);
  }
};

} // namespace hone

#endif // HONE_SCHEDULE_HOST_H
