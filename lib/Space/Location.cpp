//===- Location.cpp - Distance of schedules -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Location.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Space/Location.h"
#include "hone/Space/Power.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

Location hone::locationOf(const Schedule &schedule) {
  Location location = {formOf(schedule), {}};
  for (int64_t number : schedule.numbers())
    location.doublings.push_back(detail::binaryLog(double(number)));
  return location;
}

double hone::closeness(const Location &one, const Location &other) {
  constexpr double kReach = 1.4, kLog2OfE = 1.44269504088896340736;
  if (one.form != other.form)
    return 0;
  double steps = 0;
  for (auto [here, there] : llvm::zip_equal(one.doublings, other.doublings))
    steps += std::abs(here - there);
  return detail::binaryPower(-steps * kLog2OfE / kReach);
}

Tile hone::tileOf(const Problem &problem, const Schedule &schedule) {
  BlockFacts facts = blockFacts(problem, schedule);
  return {&schedule.kind(), facts.tile[0], facts.tile[1]};
}
