//===- BySchedule.h - Map from schedules ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map whose keys are schedules. Its elements stay in place, and their order
// is that of a hash: code that depends on the order sorts them by text.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SEARCH_BYSCHEDULE_H
#define HONE_LIB_SEARCH_BYSCHEDULE_H

#include "hone/Schedule/Schedule.h"
#include <unordered_map>

namespace hone::detail {

struct ScheduleHash {
  size_t operator()(const Schedule &schedule) const {
    return hash_value(schedule);
  }
};

template <typename T>
using BySchedule = std::unordered_map<Schedule, T, ScheduleHash>;

} // namespace hone::detail

#endif // HONE_LIB_SEARCH_BYSCHEDULE_H
