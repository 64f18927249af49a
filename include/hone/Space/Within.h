//===- Within.h - Restriction of the schedules of a space -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search over recorded times may propose only the schedules of the table:
//
//   Within isWithin(hasTime, schedulesOfTable);
//   Space space(problem, arch, isWithin, allKinds());
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_WITHIN_H
#define HONE_SPACE_WITHIN_H

#include "hone/Schedule/Schedule.h"
#include <functional>
#include <vector>

namespace hone {

/// Restricts the schedules of a problem that may be proposed, in addition to
/// the laws: for example to those of a recorded table. If empty, all may be.
class Within {
public:
  using Has = std::function<bool(const Problem &, const Schedule &)>;
  using List = std::function<std::vector<Schedule>(const Problem &)>;

  Within() = default;
  Within(Has has, List list) : has(std::move(has)), list(std::move(list)) {}
  /// A predicate without a list.
  template <typename Fn, typename = std::enable_if_t<std::is_invocable_r_v<
                             bool, Fn &, const Problem &, const Schedule &>>>
  Within(Fn has) : has(std::move(has)) {}

  explicit operator bool() const { return bool(has); }
  bool operator()(const Problem &problem, const Schedule &schedule) const {
    return has(problem, schedule);
  }
  /// All schedules, where there is a list; else none.
  std::vector<Schedule> listOf(const Problem &problem) const {
    return list ? list(problem) : std::vector<Schedule>();
  }

private:
  Has has;
  List list;
};

} // namespace hone

#endif // HONE_SPACE_WITHIN_H
