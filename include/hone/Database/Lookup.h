//===- Lookup.h - Lookups of a build ----------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build does not need every candidate, only the best one of each key. A
// Lookup has those, from a database or from a tuning file, and the sources of
// schedules query it.
//
//   auto known = makeLookup(std::move(database), thisToolchain());
//   known->find(problem, "h200")    exactly this problem
//   known->problems("h200")         all problems, to search for similar ones
//
// A build's Lookup has measured records. A search's Lookup has records of its
// evaluator's origin, so a rehearsal finds its own results.
//
// The answers of a Lookup do not change during its lifetime: for a database
// they are as of the moment when the Lookup was made, regardless of a tuner
// that writes. It is thread-safe.
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
  /// The best record for this problem on this chip. One that cannot be read
  /// counts as missing, because a damaged database must not make a compilation
  /// fail.
  virtual std::optional<Found> find(const Problem &problem,
                                    const std::string &chip) = 0;
  /// The records of a problem's candidates that ran, one for each; a lookup
  /// with only the best record returns that one.
  virtual std::vector<Record> measured(const Problem &problem,
                                       const std::string &chip);
  /// Every problem with a record for a chip, sorted by text. Stays valid.
  virtual const std::vector<Problem> &problems(const std::string &chip) = 0;
  /// The text of a whole kernel (hone/Schedule/WholeKernel.h), if it is there.
  virtual std::optional<std::string> kernel(llvm::StringRef) {
    return std::nullopt;
  }
  /// Notices for users about this chip: that it has no records, and which chips
  /// have some; that there are times which do not count.
  virtual std::vector<std::string> notices(const std::string &) { return {}; }
  /// Its name in remarks: "database".
  virtual std::string name() const = 0;
};

/// Called with the query that a database cannot answer because its file is
/// damaged.
using FaultSink = std::function<void(const std::string &fault)>;

/// A lookup in an open database. Records of toolchains other than `today` are
/// stale; those of another origin than `origin` do not count. A record that
/// cannot be read counts as missing; the first such query goes to `onFault`.
llvm::Expected<std::shared_ptr<Lookup>>
makeLookup(Database database, Toolchain today, Origin origin = Origin::measured,
           FaultSink onFault = nullptr);
/// A lookup in a list of records named `name`, one per key; the first counts.
/// Records that were not measured do not count. `kernels` are the kernels that
/// their schedules name.
std::shared_ptr<Lookup> makeLookup(std::vector<Found> records, std::string name,
                                   std::vector<WholeKernel> kernels = {});

/// Answers with measurements of exactly the given problem.
std::shared_ptr<ScheduleSource> makeExactSource(std::shared_ptr<Lookup> lookup);

} // namespace hone

#endif // HONE_DATABASE_LOOKUP_H
