//===- Drawn.h - Kernels drawn from the whole space -------------*- C++ -*-===//
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

/// Small kernels of every kind, by name.
std::vector<Case> namedCases();

/// `count` cases, or fewer where fewer forms of schedules exist; the same cases
/// for the same seed. Each form of a schedule (Space.h) comes once before any
/// form repeats. Of several schedules of a form the one with the smallest tile
/// comes first: it has the same events, and its numbers take less time.
std::vector<Case> drawnCases(size_t count, uint64_t seed);

/// `count` of these and of the named ones, with rewrites at random. Some cannot
/// be built: such a rewrite gives the reason.
std::vector<Case> rewrittenCases(size_t count, uint64_t seed);

} // namespace hone::test

#endif // HONE_TEST_SIMULATE_DRAWN_H
