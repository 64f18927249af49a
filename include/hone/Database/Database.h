//===- Database.h - Database of measurements --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All measured candidates, in one SQLite file that many processes may use at
// once. A tuner adds records, a compiler looks them up.
//
//   Expected<Database> database = Database::open("hone.db", Access::write);
//   Error added = database->add(records);             // all of them or none
//   Expected<std::optional<Found>> best = database->best(problem, arch, today);
//
// | question                         | answer                                 |
// |----------------------------------|----------------------------------------|
// | a candidate measured again       | by the same toolchain: the new         |
// |                                  | one replaces the old one, unless that  |
// |                                  | has a higher grade                     |
// | another candidate is chosen      | the previous choice becomes a finalist |
// | `best` of a key                  | of measured records, the chosen one of |
// |                                  | this toolchain, else its fastest       |
// |                                  | finalist, else its fastest trial; else |
// |                                  | that of any toolchain, marked stale.   |
// |                                  | Ties go to the schedule whose text     |
// |                                  | sorts first: the order of rows makes   |
// |                                  | no difference                          |
// | a time that was not measured     | is stored in addition to measured      |
// |                                  | ones and never replaces one            |
// | a writer during a build          | after `hold`, every answer is as of    |
// |                                  | that moment                            |
// | a writer dies in the middle      | nothing of that `add` is stored        |
// | two writers                      | one waits for the other, 30 s at most  |
// | the disk is full                 | an error; the file is unchanged        |
// | the file is from a newer hone    | an error; the file is unchanged        |
// | from an older hone               | migrated when first opened to write;   |
// |                                  | can be read as it is                   |
// | the file is not a database,      | an error; the file is unchanged        |
// | or damaged                       |                                        |
// | the file cannot be written       | `Access::read` works, also where the   |
// |                                  | folder cannot be written either        |
// | a writer left its log, because   | the file is read together with the     |
// | of a full disk or a crash        | log; no file has to be written         |
// | a reader                         | writes nothing, neither the file nor   |
// |                                  | others (except, during a write,        |
// |                                  | SQLite's lock, in the writer's `-shm`) |
//
// A key is a problem's text. If an older hone kept only the beginning and a
// hash of a long epilogue, these stand for the whole epilogue until a record is
// added for that problem.
//
// A schedule may name a whole kernel (hone/Schedule/WholeKernel.h). Its text is
// a row of its own, under its name, which is checked whenever it is read:
//
// | question                         | answer                                 |
// |----------------------------------|----------------------------------------|
// | the same text again              | no change                              |
// | `best` names one that is missing | that record is skipped, as is one that |
// | or damaged                       | cannot be read                         |
// | `prune`                          | keeps kernels that a candidate names   |
//
// Texts in the file are untrusted: a row that does not parse is left out of
// answers, and `verify` reports it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_DATABASE_H
#define HONE_DATABASE_DATABASE_H

#include "hone/Database/Record.h"
#include "hone/Schedule/WholeKernel.h"
#include <functional>
#include <memory>

namespace hone {

enum class Access {
  read,
  write, ///< makes the file if there is none
  update ///< writes a file that must exist
};

/// Removes a closed database that has no candidate, with the files that SQLite
/// keeps next to it: a new one, after a failure.
void removeIfEmpty(const std::string &path);

/// Selects records. Empty strings and unset values match everything.
struct Filter {
  std::optional<Problem> problem;
  std::string arch;
  std::optional<Status> status;
  std::optional<Origin> origin;
  /// Only the best of each key, from any toolchain: the measured one that a
  /// build would use, else one that was not measured.
  bool bestOnly = false;
  /// In the order in which the schedules were first added, not of their times.
  bool asAdded = false;
};

/// The answer to `best`.
struct Found {
  Record record;
  bool isStale = false; ///< another toolchain measured it
};

/// Records of one chip and one origin that ran.
struct OriginCount {
  std::string arch;
  Origin origin = Origin::measured;
  int64_t records = 0;
};

/// The size of a database.
struct Totals {
  int64_t problems = 0, keys = 0, candidates = 0, toolchains = 0;
  /// By status, in the order of the enum.
  std::array<int64_t, kStatusCount> byStatus = {};
  /// Candidates that ran, by origin, in the order of the enum.
  std::array<int64_t, kOriginCount> byOrigin = {};
  int64_t fileBytes = 0, version = 0;
};

class Database {
public:
  /// The version of the schema that this hone writes.
  static constexpr int64_t kVersion = 6;

  /// Opens `path`.
  static llvm::Expected<Database> open(const std::string &path, Access access);
  Database(Database &&);
  Database &operator=(Database &&);
  ~Database();

  /// Adds all records and kernels or, after an error, none.
  llvm::Error add(llvm::ArrayRef<Record> records,
                  llvm::ArrayRef<WholeKernel> kernels = {});

  /// From now on all answers are as of this moment, regardless of writers. Only
  /// with `Access::read`.
  llvm::Error hold();

  /// The best record of one origin: a build uses measured ones.
  llvm::Expected<std::optional<Found>> best(const Problem &problem,
                                            llvm::StringRef arch,
                                            const Toolchain &today,
                                            Origin origin = Origin::measured);
  /// The problems with records for a chip, sorted by their text. Keys that
  /// do not parse are left out.
  llvm::Expected<std::vector<Problem>>
  problems(llvm::StringRef arch, Origin origin = Origin::measured);
  /// The number of records by chip and origin, sorted by both.
  llvm::Expected<std::vector<OriginCount>> origins();
  /// Calls `each` for every record, ordered by problem, arch and time.
  llvm::Error forEach(const Filter &filter,
                      const std::function<void(const Record &)> &each);
  /// The text of a whole kernel; nothing if there is none, or if the text does
  /// not match the name.
  llvm::Expected<std::optional<std::string>> kernel(llvm::StringRef name);
  /// The names of all, sorted.
  llvm::Expected<std::vector<std::string>> kernelNames();
  llvm::Expected<Totals> totals();

  /// An error if any of its pages is damaged, even if no query reads it. Takes
  /// some 15 ms for a MiB.
  llvm::Error verifyPages();
  /// The faults, one line each; empty if there are none.
  llvm::Expected<std::vector<std::string>> verify();
  /// Keeps the `count` best of every key, and no failures. Returns the number
  /// of rows that were removed.
  llvm::Expected<int64_t> prune(int64_t count);

private:
  class File;
  explicit Database(std::unique_ptr<File> file);
  std::unique_ptr<File> file;
};

/// A kernel as a line of JSON, like those of records, without a line break, and
/// back. Nothing if the line is not that of a kernel.
std::string toJson(const WholeKernel &kernel);
std::optional<llvm::Expected<WholeKernel>> kernelFromJson(llvm::StringRef line);

} // namespace hone

#endif // HONE_DATABASE_DATABASE_H
