//===- Drawn.h - Kernels from all of the space ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that a search would draw for problems of many kinds: odd extents,
// every layout, epilogues, batches, K much longer than M and N.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SIMULATE_DRAWN_H
#define HONE_TEST_SIMULATE_DRAWN_H

#include "Cases.h"

namespace hone::test {

/// Small kernels of every kind that has a name.
std::vector<Case> namedCases();

/// `count` cases, or fewer where there are not so many forms of schedules, the
/// same for the same seed. Each form of a schedule (Space.h) comes once before
/// one comes again, and of several schedules of a form the one whose tile is
/// small: its events are the same, and its numbers take less time.
std::vector<Case> drawnCases(size_t count, uint64_t seed);

/// `count` of these and of named ones, with rewrites at random. Not all of them
/// can be built: a rewrite says why it does not apply.
std::vector<Case> rewrittenCases(size_t count, uint64_t seed);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_DRAWN_H
