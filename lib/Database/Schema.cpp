//===- Schema.cpp - Tables and migrations from older versions -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Schema.h. A step never changes after its release, because files made by
// it exist.
//
//===----------------------------------------------------------------------===//

#include "Schema.h"
#include "hone/Database/Database.h"
#include "hone/Schedule/Schedule.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// "HONE"
static constexpr int64_t kApplication = 0x484f4e45;

/// The outdated texts in the only column of `select`. A text that cannot be
/// parsed stays unchanged.
template <typename ParseT>
static Expected<Spellings> outdated(Connection &connection, StringRef select,
                                    ParseT spell) {
  Expected<Statement> rows = connection.prepare(select);
  if (!rows)
    return rows.takeError();
  Spellings spellings;
  Error error = rows->forEach([&] {
    std::string before = rows->text(0);
    Expected<std::string> now = spell(before);
    if (!now)
      llvm::consumeError(now.takeError());
    else if (*now != before)
      spellings.emplace_back(before, *now);
    return true;
  });
  if (error)
    return std::move(error);
  return spellings;
}

static Error runOn(Connection &connection, StringRef text, StringRef before,
                   StringRef now) {
  Expected<Statement> statement = connection.prepare(text);
  if (!statement)
    return statement.takeError();
  statement->bind("before", before);
  statement->bind("now", now);
  return statement->run();
}

/// A schedule that is measured again is found by its text.
static Error respellSchedules(Connection &connection) {
  auto spell = [](StringRef text) -> Expected<std::string> {
    Expected<Schedule> schedule = parseSchedule(text);
    if (!schedule)
      return schedule.takeError();
    return toString(*schedule);
  };
  Expected<Spellings> spellings =
      outdated(connection, "SELECT DISTINCT schedule FROM candidates", spell);
  if (!spellings)
    return spellings.takeError();
  for (auto &[before, now] : *spellings)
    if (Error error = runOn(connection,
                            "UPDATE OR IGNORE candidates SET schedule = :now "
                            "WHERE schedule = :before",
                            before, now))
      return error;
  return Error::success();
}

Error detail::respellProblem(Connection &connection, StringRef before,
                             StringRef now) {
  for (StringRef text :
       {"INSERT INTO problems (text) SELECT :now FROM problems "
        "WHERE text = :before ON CONFLICT DO NOTHING",
        "UPDATE OR IGNORE candidates "
        "SET problem = (SELECT id FROM problems WHERE text = :now) "
        "WHERE problem = (SELECT id FROM problems WHERE text = :before)",
        "DELETE FROM candidates "
        "WHERE problem = (SELECT id FROM problems WHERE text = :before)",
        "DELETE FROM problems WHERE text = :before"})
    if (Error error = runOn(connection, text, before, now))
      return error;
  return Error::success();
}

Expected<Spellings> detail::outdatedProblems(Connection &connection) {
  auto spell = [](StringRef text) -> Expected<std::string> {
    Expected<Problem> problem = Problem::parse(text);
    if (!problem)
      return problem.takeError();
    return problem->str();
  };
  return outdated(connection, "SELECT text FROM problems", spell);
}

static Error respellProblems(Connection &connection) {
  Expected<Spellings> spellings = outdatedProblems(connection);
  if (!spellings)
    return spellings.takeError();
  for (auto &[before, now] : *spellings)
    if (Error error = respellProblem(connection, before, now))
      return error;
  return Error::success();
}

/// In records without an origin it follows from the driver.
static Error addOrigins(Connection &connection) {
  Expected<int64_t> there =
      connection.number("SELECT count(*) FROM pragma_table_info('candidates') "
                        "WHERE name = 'origin'");
  if (!there)
    return there.takeError();
  if (*there)
    return Error::success();
  return connection.run(R"sql(
ALTER TABLE candidates ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
UPDATE candidates SET origin = 1 WHERE toolchain IN
  (SELECT id FROM toolchains WHERE driver = 'rehearsal');
UPDATE candidates SET origin = 2 WHERE toolchain IN
  (SELECT id FROM toolchains WHERE driver = 'replay');
)sql");
}

namespace {
/// SQL statements, or a function for changes that SQL cannot express.
struct Step {
  const char *text;
  Error (*run)(Connection &) = nullptr;
};
} // namespace

/// Step i leads from version i to version i + 1.
static constexpr Step kSteps[] = {
    // Problems are long texts that many candidates share. A candidate is the
    // result of one schedule with one toolchain; a new measurement replaces its
    // row.
    {R"sql(
CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
);
CREATE TABLE toolchains (
  id INTEGER PRIMARY KEY,
  driver TEXT NOT NULL,
  llvm TEXT NOT NULL,
  hone TEXT NOT NULL,
  space INTEGER NOT NULL,
  UNIQUE (driver, llvm, hone, space)
);
CREATE TABLE candidates (
  id INTEGER PRIMARY KEY,
  problem INTEGER NOT NULL REFERENCES problems (id),
  arch TEXT NOT NULL,
  schedule TEXT NOT NULL,
  toolchain INTEGER NOT NULL REFERENCES toolchains (id),
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  median REAL NOT NULL,
  p10 REAL NOT NULL,
  p90 REAL NOT NULL,
  samples INTEGER NOT NULL,
  error REAL NOT NULL,
  registers INTEGER NOT NULL,
  spill_bytes INTEGER NOT NULL,
  clock_mhz REAL NOT NULL,
  policy TEXT NOT NULL,
  model TEXT NOT NULL,
  seed INTEGER NOT NULL,
  cost_seconds REAL NOT NULL,
  measured_at INTEGER NOT NULL,
  UNIQUE (problem, arch, schedule, toolchain)
);
CREATE INDEX fastest ON candidates (problem, arch, status, median);
)sql"},
    // The reliability of a time: 0 trial, 1 finalist, 2 chosen.
    {R"sql(
ALTER TABLE candidates ADD COLUMN grade INTEGER NOT NULL DEFAULT 0;
DROP INDEX fastest;
CREATE INDEX fastest ON candidates (problem, arch, status, grade DESC, median);
)sql"},
    // Kinds of schedules that became decisions of one.
    {"", respellSchedules},
    // Epilogues whose operands are numbered in the order of their use.
    {"", respellProblems},
    // Custom kernels, by the first digits of their text's hash.
    {R"sql(
CREATE TABLE IF NOT EXISTS kernels (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL
);
)sql"},
    // The origin of a time: 0 measured, 1 rehearsed, 2 modelled.
    {"", addOrigins},
};
static_assert(std::size(kSteps) == Database::kVersion);

Expected<int64_t> detail::schemaVersion(Connection &connection) {
  Expected<int64_t> application = connection.number("PRAGMA application_id");
  if (!application)
    return application.takeError();
  Expected<int64_t> version = connection.number("PRAGMA user_version");
  if (!version)
    return version.takeError();
  Expected<int64_t> tables =
      connection.number("SELECT count(*) FROM sqlite_master");
  if (!tables)
    return tables.takeError();
  if (*tables && *application != kApplication)
    return llvm::createStringError(
        formatv("'{0}': expected a database of hone, but got another program's",
                connection.getPath()));
  if (*version < 0)
    return llvm::createStringError(formatv(
        "'{0}': expected a database of version 0 to {1}, but got {2}; the file "
        "is damaged, use a copy of it",
        connection.getPath(), Database::kVersion, *version));
  if (*version > Database::kVersion)
    return llvm::createStringError(formatv(
        "'{0}': expected a database of version {1} or older, but got {2}; use "
        "the newer hone that wrote it",
        connection.getPath(), Database::kVersion, *version));
  return *tables ? *version : 0;
}

Error detail::migrate(Connection &connection) {
  return connection.transaction([&]() -> Error {
    // Another process may have migrated the file while this one waited.
    Expected<int64_t> version = schemaVersion(connection);
    if (!version)
      return version.takeError();
    for (int64_t at = *version; at < Database::kVersion; ++at) {
      const Step &step = kSteps[at];
      if (Error error =
              step.run ? step.run(connection) : connection.run(step.text))
        return error;
    }
    return connection.run(
        formatv("PRAGMA application_id = {0}; PRAGMA user_version = {1}",
                kApplication, Database::kVersion)
            .str());
  });
}
