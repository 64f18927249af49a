//===- BySchedule.h - Maps and sets of schedules ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map whose keys are schedules, and a set of them. Elements stay in place,
// and their order is that of a hash: code that depends on the order sorts by
// text.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_BYSCHEDULE_H
#define HONE_SCHEDULE_BYSCHEDULE_H

#include "hone/Schedule/Schedule.h"
#include <unordered_map>
#include <unordered_set>

namespace hone::detail {

/// For the standard library's containers of schedules and problems.
struct ValueHash {
  template <typename T>
  size_t operator()(const T &value) const {
    return hash_value(value);
  }
};

template <typename T>
using BySchedule = std::unordered_map<Schedule, T, ValueHash>;
using ScheduleSet = std::unordered_set<Schedule, ValueHash>;

} // namespace hone::detail

#endif // HONE_SCHEDULE_BYSCHEDULE_H
