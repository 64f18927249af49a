//===- Shipped.h - Built-in measurements ------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fastest measured schedules on an H200: data/h200/tuned.mlir, which is
// part of the library, because a plugin has no folder of its own for data.
// Builds use it without an option, after the user's own measurements and before
// any guess:
//
//   std::shared_ptr<Lookup> known = shippedTuning(thisToolchain());
//   known->find(problem, "h200")    exactly this problem
//
// It has records for the chip h200, which is also the reference chip of the
// instruction set sm_90a (Arch.h). Another chip with that instruction set may
// be treated as an h200 (AskedAs.h); then the answer is a guess.
//
// The file is an ordinary tuning file, for which MLIR's parser would need tens
// of milliseconds. Instead, a line is looked up by its problem's text and only
// that line is read, so an answer costs microseconds. That works for lines as
// `hone db export` writes them; test/unit/Plugin/TuningFileTest.cpp compares
// every line with the parser's result.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_SHIPPED_H
#define HONE_DATABASE_SHIPPED_H

#include "hone/Database/Lookup.h"

namespace hone {

/// The chip of the measurements.
inline constexpr llvm::StringLiteral kShippedChip = "h200";

/// The tuning file that is built in.
llvm::StringRef shippedTuningText();

/// A lookup in it. Lines of toolchains other than `today` are stale.
std::shared_ptr<Lookup> shippedTuning(Toolchain today);

/// The shipped schedule for exactly this problem, if there is one, for
/// SearchOptions::seeds. A machine that is not an h200 is treated as one: a
/// search measures the schedule anyway.
std::vector<Schedule> shippedSchedules(const Problem &problem,
                                       const Arch &arch);

} // namespace hone

#endif // HONE_DATABASE_SHIPPED_H
