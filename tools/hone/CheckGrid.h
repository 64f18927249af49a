//===- CheckGrid.h - Schedules that meet every part of a builder *- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `hone check --schedules=all` checks of a family: few schedules that are
// as different from each other as the family's knobs allow. Those that break a
// law for some problem are left out there.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_CHECKGRID_H
#define HONE_TOOLS_CHECKGRID_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

std::vector<Schedule> scheduleGrid(llvm::StringRef family);

} // namespace hone

#endif // HONE_TOOLS_CHECKGRID_H
