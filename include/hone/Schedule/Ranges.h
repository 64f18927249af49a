//===- Ranges.h - Several kernels for an unknown extent ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is fast for one row is slow for a thousand. Where an extent
// is unknown at compile time, a matmul may therefore have several schedules:
// each is for the values of that extent up to a bound, and one more is for all
// larger values. The launch plan picks when the extent is known. As text:
//
//   m to 64: ws, side = b, ... | m to 512: ws, side = a, ... | mma_sync, ...
//
// The bounded ones are the *ranges*; the last one is the op's schedule. A text
// without bars is an ordinary schedule. Each kernel is correct for all extents,
// so the bounds only affect time.
//
// | law          | statement                                                |
// |--------------|----------------------------------------------------------|
// | schedule_r1  | ranges are of one extent: m, n or k                      |
// | schedule_r2  | this extent is unknown at compile time                   |
// | schedule_r3  | bounds are 1 or more, and each is above the one before   |
// | schedule_r4  | there are at most 63 ranges                              |
// | schedule_r5  | kernels of a GPU have ranges; the host's have none       |
//
// Each schedule has to keep its own laws, too.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_RANGES_H
#define HONE_SCHEDULE_RANGES_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

/// A schedule for values of an extent (m, n, k) up to a bound.
struct ScheduleRange {
  char extent = 'm';
  int64_t max = 0;
  Schedule schedule;

  bool operator==(const ScheduleRange &other) const {
    return extent == other.extent && max == other.max &&
           schedule == other.schedule;
  }
};

/// The bounded ones of a matmul's schedules; none is the usual case.
struct ScheduleRanges : std::vector<ScheduleRange> {
  using std::vector<ScheduleRange>::vector;
  static constexpr size_t maxRanges = 63;
};
llvm::hash_code hash_value(const ScheduleRanges &ranges);

/// Ranges, and the schedule for values above them.
struct RangedSchedule {
  ScheduleRanges ranges;
  Schedule last;

  /// The schedule for this value of the extent.
  const Schedule &at(int64_t extent) const;
};

/// "m to 64: ws, ... | m to 512: ws, ..."
std::string toString(const ScheduleRanges &ranges);
/// The same, with the last one after it.
std::string toString(const RangedSchedule &schedules);
/// Parses the text of a RangedSchedule. Does not check laws.
llvm::Expected<RangedSchedule> parseRangedSchedule(llvm::StringRef text);

/// An extent of a problem by its letter.
int64_t namedExtent(const Problem &problem, char letter);

/// The first law that `ranges` break, their schedules' included.
std::optional<std::string> check(const ScheduleRanges &ranges,
                                 const Problem *problem = nullptr,
                                 const Arch *arch = nullptr);

} // namespace hone

#endif // HONE_SCHEDULE_RANGES_H
