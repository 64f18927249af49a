//===- LawTable.h - The laws of a kind, one by one --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `check` (Schedule.h) returns the first law that a schedule breaks. A search
// for legal schedules also needs the law's place in the order: the later the
// first broken law, the closer a schedule is to keeping them all.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SCHEDULE_LAWTABLE_H
#define HONE_SCHEDULE_LAWTABLE_H

#include "hone/Schedule/Schedule.h"
#include <vector>

namespace hone {

/// Those of every kind, those of this one, and law 5 at the end. The
/// verdict of a law may rely on the ones before it, but each has one for all
/// numbers that their choices have.
std::vector<Law> lawsOf(const Kind &kind);

/// True if `check` finds nothing. No text is made, which takes most of its time.
bool keepsLaws(const Schedule &schedule, const Problem &problem,
               const Arch &arch);

/// Law 3. Only the text of such a schedule can be read back.
bool hasNumbersInRange(const Schedule &schedule);

} // namespace hone

#endif // HONE_SCHEDULE_LAWTABLE_H
