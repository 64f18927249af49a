//===- GuardNeeds.h - Conditions that a guard must imply --------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trial finds a guard that is too weak only at the sizes of that trial. A
// guard with a hole, `m > 1000 || lda % 8 == 0`, is strong enough there. So the
// needs of the launch must follow from the guard, for all sizes
// (hone/Guards/GuardImplication.h):
//
//   | of                      | needs                                        |
//   |-------------------------|----------------------------------------------|
//   | a tensor map            | a start and distances that are multiples of  |
//   |                         | 16 bytes, distances and extents above 0      |
//   | one that is stored to   | whole pieces of 16 bytes in a line           |
//   | a matrix that threads   | a start and distances that are multiples of  |
//   | read or write in pieces | a piece                                      |
//
// where C has elements at all.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_PLAN_GUARDNEEDS_H
#define HONE_LIB_SIMULATE_PLAN_GUARDNEEDS_H

#include "hone/Simulate/Simulate.h"

namespace hone::simulate {

/// Adds a finding for each need of the subject's alternative that does not
/// follow from its guard.
void findGuardHoles(const Subject &subject, std::vector<Finding> &findings);

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_PLAN_GUARDNEEDS_H
