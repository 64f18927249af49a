//===- Shipped.h - Built-in measurements ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fastest measured schedules on an H200 and an H100: data/*/tuned.mlir,
// which are part of the library, because a plugin has no folder of its own for
// data. Builds use them without an option, after the user's own measurements
// and before any guess:
//
//   std::shared_ptr<Lookup> known = shippedTuning(thisToolchain());
//   known->find(problem, "h200")    exactly this problem
//
// A machine's numbers decide which chip's schedules it gets: those of the
// closest chip (MachineDistance.h). If it is the same machine, whatever its
// name, they are measurements; otherwise they are guesses.
//
// A file is an ordinary tuning file, for which MLIR's parser would need tens
// of milliseconds. Instead, a line is looked up by its problem's text and only
// that line is read, so an answer costs microseconds. That works for lines as
// `hone db export` writes them; test/unit/Plugin/TuningFileTest.cpp compares
// every line with the parser's result.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_SHIPPED_H
#define HONE_DATABASE_SHIPPED_H

#include "hone/Database/Lookup.h"
#include "hone/Schedule/MachineDistance.h"

namespace hone {

/// The tuning files that are built in, one after the other.
llvm::StringRef shippedTuningText();

/// The chips of the measurements that are close to a machine, the closest
/// first. Beyond a machineDistance() of 1, the fastest schedule of the other
/// chip is no better a guess than the policy's choice.
std::vector<NearMachine> shippedNear(const Arch &machine);

/// A lookup in it. Lines of toolchains other than `today` are stale.
std::shared_ptr<Lookup> shippedTuning(Toolchain today);

/// The shipped schedule for exactly this problem, of the closest chip that has
/// one, for SearchOptions::seeds: a search measures the schedule anyway.
std::vector<Schedule> shippedSchedules(const Problem &problem,
                                       const Arch &arch);

} // namespace hone

#endif // HONE_DATABASE_SHIPPED_H
