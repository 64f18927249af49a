//===- WriterFixtures.h - Fixtures of the tests of writers ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems of every kind, and pools of legal schedules.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_MODEL_WRITERFIXTURES_H
#define HONE_TEST_MODEL_WRITERFIXTURES_H

#include "../Search/Fixtures.h"
#include "../Toy.h"
#include "hone/Model/Writer.h"
#include "hone/Space/Space.h"

namespace hone::test {

/// Square ones, tiny ones, odd ones, and those for few kernels.
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

/// Legal schedules of one problem: listed ones, and some drawn ones.
struct Pool {
  Pool(const Problem &problem, const Arch &arch, Kinds kinds = allKinds(),
       int draws = 20)
      : space(problem, arch, {}, kinds) {
    schedules = space.known().vec();
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

} // namespace hone::test

#endif // HONE_TEST_MODEL_WRITERFIXTURES_H
