//===- Shipped.h - Measurements that are built in ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Hone's authors measured to be fastest on an H200: data/h200/tuned.mlir,
// which is part of the library, because a plugin has no folder of its own to
// look for files in. Builds ask it without an option, behind the user's own
// measurements and before any guess:
//
//   std::shared_ptr<Lookup> known = shippedTuning(thisToolchain());
//   known->find(problem, "h200")    exactly this problem
//
// It knows the chip h200, which is also what the instruction set sm_90a stands
// for (Arch.h). Another chip with that instruction set may be asked as an h200
// (AskedAs.h); then it is a guess.
//
// The file is a tuning file like any other, which MLIR's parser would take
// tens of milliseconds for. A line is looked up by its problem's text instead,
// and only that line is read, so an answer costs microseconds. That works for
// lines as `hone db export` writes them; test/unit/Plugin/TuningFileTest.cpp
// compares every line with what the parser makes of it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_SHIPPED_H
#define HONE_DATABASE_SHIPPED_H

#include "hone/Database/Lookup.h"

namespace hone {

/// The chip that it was measured on.
inline constexpr llvm::StringLiteral kShippedChip = "h200";

/// The tuning file that is built in.
llvm::StringRef shippedTuningText();

/// A lookup in it. Lines of toolchains other than `today` are stale.
std::shared_ptr<Lookup> shippedTuning(Toolchain today);

/// The schedule that is shipped for exactly this problem, if there is one, as a
/// search takes it (SearchOptions::seeds). A machine that is no h200 is asked as
/// one: a search measures what it is told.
std::vector<Schedule> shippedSchedules(const Problem &problem,
                                       const Arch &arch);

} // namespace hone

#endif // HONE_DATABASE_SHIPPED_H
