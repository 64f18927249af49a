//===- Database.h - What was learned, in one file ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every candidate that was ever measured, in one SQLite file that many
// processes may use at once. A tuner adds, a compile asks.
//
//   Expected<Database> database = Database::open("hone.db", Access::write);
//   Error added = database->add(records);             // all of them or none
//   Expected<std::optional<Found>> best = database->best(problem, arch, today);
//
// | question                         | answer                                 |
// |----------------------------------|----------------------------------------|
// | a candidate measured again       | by one toolchain: the new measurement  |
// |                                  | takes the old one's place, unless that |
// |                                  | is of a higher grade                   |
// | another one is chosen            | the one that was becomes a finalist    |
// | `best` of a key                  | of this toolchain the chosen one, else |
// |                                  | the fastest finalist, else the fastest |
// |                                  | trial; else of any toolchain, and it   |
// |                                  | says it is stale. Of equal times the   |
// |                                  | first by the schedule's text: in which |
// |                                  | order rows came makes no difference    |
// | somebody writes while a build    | after `hold` every answer is of that   |
// | reads                            | moment                                 |
// | a writer dies in the middle      | nothing of that `add` is there         |
// | two writers                      | one waits for the other, 30 s at most  |
// | the disk is full                 | an error; what was there is there      |
// | the file is of a newer hone      | an error that says so; not touched     |
// | of an older hone                 | migrated on the first opening to write;|
// |                                  | read as it is                          |
// | the file is not a database,      | an error that says so; not touched     |
// | or damaged                       |                                        |
// | the file can not be written      | `Access::read` works, also where the   |
// |                                  | folder can not be written either       |
// | a writer left its log behind,    | the file is read with what the log     |
// | on a full disk or a dead machine | says, and nothing has to be written    |
// | somebody reads                   | nothing is written, neither the file   |
// |                                  | nor beside it (while somebody writes:  |
// |                                  | SQLite's lock, in the writer's `-shm`) |
//
// A key is a problem's text. Where an older hone has kept but the beginning of a
// long epilogue and a hash, that stands for the whole until something is added
// to it.
//
// Texts in the file are untrusted: a row that does not parse is left out of
// answers, and `verify` names it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DATABASE_DATABASE_H
#define HONE_DATABASE_DATABASE_H

#include "hone/Database/Record.h"
#include <functional>
#include <memory>

namespace hone {

enum class Access { read, write };

/// Which records. Empty strings and nothing stand for all.
struct Filter {
  std::optional<Problem> problem;
  std::string arch;
  std::optional<Status> status;
  /// What a build would get of each key only, whatever its toolchain.
  bool bestOnly = false;
};

/// The answer to `best`.
struct Found {
  Record record;
  bool isStale = false; ///< another toolchain measured it
};

/// How much there is.
struct Totals {
  int64_t problems = 0, keys = 0, candidates = 0, toolchains = 0;
  /// By status, in the order of the enum.
  std::array<int64_t, kStatusCount> byStatus = {};
  int64_t fileBytes = 0, version = 0;
};

class Database {
public:
  /// The version of the schema that this hone writes.
  static constexpr int64_t kVersion = 4;

  /// Opens `path`; with `Access::write` a missing file is made.
  static llvm::Expected<Database> open(const std::string &path, Access access);
  Database(Database &&);
  Database &operator=(Database &&);
  ~Database();

  /// Adds all records or, on an error, none.
  llvm::Error add(llvm::ArrayRef<Record> records);

  /// From now on answers are of this moment, whatever others write. Only for
  /// `Access::read`.
  llvm::Error hold();

  llvm::Expected<std::optional<Found>>
  best(const Problem &problem, llvm::StringRef arch, const Toolchain &today);
  /// The problems that a chip has records of, by their text. What does not
  /// parse is left out.
  llvm::Expected<std::vector<Problem>> problems(llvm::StringRef arch);
  /// Calls `each` for every record, ordered by problem, arch and time.
  llvm::Error forEach(const Filter &filter,
                      const std::function<void(const Record &)> &each);
  llvm::Expected<Totals> totals();

  /// What is wrong, a line each; nothing if all is well.
  llvm::Expected<std::vector<std::string>> verify();
  /// Keeps the `count` best of every key, and of what failed nothing.
  /// Returns how many rows went.
  llvm::Expected<int64_t> prune(int64_t count);

private:
  class File;
  explicit Database(std::unique_ptr<File> file);
  std::unique_ptr<File> file;
};

} // namespace hone

#endif // HONE_DATABASE_DATABASE_H
