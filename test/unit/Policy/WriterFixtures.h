//===- WriterFixtures.h - What the tests of writing share -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of every sort, pools of legal schedules, and a kind with a decision
// that nobody has heard of.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_POLICY_WRITERFIXTURES_H
#define HONE_TEST_POLICY_WRITERFIXTURES_H

#include "../Search/Fixtures.h"
#include "hone/Policy/Writer.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Search/Space.h"

namespace hone::test {

/// Square ones, tiny ones, odd ones, and those that few kernels can address.
inline std::vector<Problem> someProblems() {
  Problem odd = problemOf(333, 1001, 777);
  odd.a.align = odd.b.align = odd.alignC = 2;
  return {problemOf(1, 1, 1),
          problemOf(8, 16, 7168),
          problemOf(512, 512, 2048, Order::row),
          problemOf(2048, 2048, 64),
          problemOf(100, 72, 40),
          odd};
}

/// Legal schedules of one problem: what is listed, and some that are drawn.
struct Pool {
  Pool(const Problem &problem, const Arch &arch, Kinds kinds = allKinds(),
       int draws = 20)
      : space(problem, arch, {}, kinds) {
    schedules = space.listed().vec();
    Dice dice(9);
    for (; draws > 0; --draws)
      if (std::optional<Schedule> drawn = space.draw(dice))
        if (!llvm::is_contained(schedules, *drawn))
          schedules.push_back(*drawn);
    Reader reader(problem, arch, {}, kinds);
    for (const Schedule &schedule : schedules)
      readings.push_back(reader.read(schedule));
  }

  Space space;
  std::vector<Schedule> schedules;
  std::vector<Reading> readings;
};

//===----------------------------------------------------------------------===//
// A decision that was added later
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral kHints[] = {"none", "first", "last"};

inline const Kind &hinted() {
  static const std::vector<Decision> decisions = [] {
    std::vector<Decision> all = MmaSync::kind().decisions;
    all.push_back(
        {"hint", When::compileTime, "cache hint", {{1, 1, 3}}, kHints});
    return all;
  }();
  static const Kind row = [] {
    Kind kind = MmaSync::kind();
    kind.decisions = decisions;
    kind.makeDefault = [](const Problem &, const Arch &) {
      return Schedule(hinted());
    };
    return kind;
  }();
  return row;
}

inline const Kind *const kWithHint[] = {&hinted()};

} // namespace hone::test

#endif // HONE_TEST_POLICY_WRITERFIXTURES_H
