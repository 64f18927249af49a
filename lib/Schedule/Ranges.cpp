//===- Ranges.cpp - Several kernels for an unknown extent -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Ranges.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Ranges.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

llvm::hash_code hone::hash_value(const ScheduleRanges &ranges) {
  llvm::hash_code hash = llvm::hash_value(ranges.size());
  for (const ScheduleRange &range : ranges)
    hash = llvm::hash_combine(hash, range.extent, range.max, range.schedule);
  return hash;
}

const Schedule &RangedSchedule::at(int64_t extent) const {
  for (const ScheduleRange &range : ranges)
    if (extent <= range.max)
      return range.schedule;
  return last;
}

int64_t hone::namedExtent(const Problem &problem, char letter) {
  return letter == 'm' ? problem.m : letter == 'n' ? problem.n : problem.k;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string hone::toString(const ScheduleRanges &ranges) {
  std::string text;
  for (const ScheduleRange &range : ranges)
    text += formatv("{0}{1} to {2}: {3}", text.empty() ? "" : " | ",
                    range.extent, range.max, toString(range.schedule));
  return text;
}

std::string hone::toString(const RangedSchedule &schedules) {
  std::string text = toString(schedules.ranges);
  return text + (text.empty() ? "" : " | ") + toString(schedules.last);
}

/// `m to 64`
static llvm::Error parseBound(StringRef text, ScheduleRange &range) {
  auto [letter, bound] = text.split(" to ");
  letter = letter.trim();
  bound = bound.trim();
  if (letter.size() == 1 && StringRef("mnk").contains(letter) &&
      !bound.getAsInteger(10, range.max)) {
    range.extent = letter.front();
    return llvm::Error::success();
  }
  return llvm::createStringError("expected a bound such as 'm to 64', but got "
                                 "'" +
                                 text + "'");
}

llvm::Expected<RangedSchedule> hone::parseRangedSchedule(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '|');
  RangedSchedule schedules;
  for (StringRef part : llvm::ArrayRef(parts).drop_back()) {
    auto [bound, schedule] = part.split(':');
    ScheduleRange &range = schedules.ranges.emplace_back();
    if (llvm::Error error = parseBound(bound.trim(), range))
      return std::move(error);
    llvm::Expected<Schedule> parsed = parseSchedule(schedule.trim());
    if (!parsed)
      return parsed.takeError();
    range.schedule = *parsed;
  }
  StringRef last = parts.back().trim();
  if (last.contains(" to "))
    return llvm::createStringError(
        "expected a last schedule without a bound, but got '" + last + "'");
  llvm::Expected<Schedule> parsed = parseSchedule(last);
  if (!parsed)
    return parsed.takeError();
  schedules.last = *parsed;
  return schedules;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

static std::optional<std::string> checkExtent(const ScheduleRanges &ranges,
                                              const Problem *problem) {
  char extent = ranges.front().extent;
  for (const ScheduleRange &range : ranges)
    if (range.extent != extent || !StringRef("mnk").contains(extent))
      return formatv("schedule_r1: expected ranges of one extent, m, n or k, "
                     "but got {0} and {1}",
                     extent, range.extent)
          .str();
  if (problem && namedExtent(*problem, extent) != kDynamic)
    return formatv("schedule_r2: expected ranges of an extent that is not "
                   "known, but got {0} = {1}; use one schedule",
                   extent, namedExtent(*problem, extent))
        .str();
  return std::nullopt;
}

static std::optional<std::string> checkBounds(const ScheduleRanges &ranges) {
  int64_t before = 0;
  for (const ScheduleRange &range : ranges) {
    if (range.max <= before || range.max > kLargestExtent)
      return formatv("schedule_r3: expected a bound above {0}, but got {1}",
                     before, range.max)
          .str();
    before = range.max;
  }
  if (ranges.size() > ScheduleRanges::maxRanges)
    return formatv("schedule_r4: expected at most {0} ranges, but got {1}",
                   ScheduleRanges::maxRanges, ranges.size())
        .str();
  return std::nullopt;
}

std::optional<std::string> hone::check(const ScheduleRanges &ranges,
                                       const Problem *problem,
                                       const Arch *arch) {
  if (ranges.empty())
    return std::nullopt;
  if (auto law = checkExtent(ranges, problem))
    return law;
  if (auto law = checkBounds(ranges))
    return law;
  if (arch && arch->isHost())
    return formatv("schedule_r5: expected an arch of a GPU, but got '{0}'; use "
                   "one schedule",
                   arch->name)
        .str();
  for (const ScheduleRange &range : ranges)
    if (auto law = check(range.schedule, problem, arch))
      return formatv("{0} to {1}: {2}", range.extent, range.max, *law).str();
  return std::nullopt;
}
