//===- Lookup.h - What builds look up ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build has no use for every candidate, only for the one that counts of a
// key. A Lookup has those, whether they come from a database or from a tuning
// file, and the sources of schedules ask it.
//
//   auto known = makeLookup(std::move(database), thisToolchain());
//   known->find(problem, "h200")    exactly this problem
//   known->problems("h200")         which there are, for who looks for the like
//
// What a Lookup says does not change while it lives: of a database it is what
// was there when the Lookup was made, whatever a tuner writes meanwhile. It
// takes questions from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_LOOKUP_H
#define HONE_DATABASE_LOOKUP_H

#include "hone/Database/Database.h"
#include "hone/Schedule/ScheduleSource.h"

namespace hone {

class Lookup {
public:
  virtual ~Lookup() = default;
  /// The record that counts of this problem on this chip. One that can not be
  /// read is as one that is not there, because a compile never fails for what
  /// tuning left behind.
  virtual std::optional<Found> find(const Problem &problem,
                                    const std::string &chip) = 0;
  /// Every problem that a chip has a record of, by its text. The list stays.
  virtual const std::vector<Problem> &problems(const std::string &chip) = 0;
  /// What remarks call it: "database".
  virtual std::string name() const = 0;
};

/// Of an open database. Records of another toolchain than `today` are stale.
llvm::Expected<std::shared_ptr<Lookup>> makeLookup(Database database,
                                                   Toolchain today);
/// Of records, one for a key, that `name` has; of two the first counts.
std::shared_ptr<Lookup> makeLookup(std::vector<Found> records,
                                   std::string name);

/// Answers compilers with what was measured of exactly their problem.
std::shared_ptr<ScheduleSource> makeExactSource(std::shared_ptr<Lookup> lookup);

} // namespace hone

#endif // HONE_DATABASE_LOOKUP_H
