//===- Database.cpp - What was learned, in one file -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Database.h. Write-ahead logging lets readers go on while somebody writes;
// a row counts when its transaction is on the disk.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Database.h"
#include "Schema.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// The connection, and whether it has tables: one that was made by nobody yet
/// and opened to read has none.
class Database::File {
public:
  Connection connection;
  int64_t version = 0;
  bool isEmpty() const { return version == 0; }
};

Database::Database(std::unique_ptr<File> file) : file(std::move(file)) {}
Database::Database(Database &&) = default;
Database &Database::operator=(Database &&) = default;
Database::~Database() = default;

/// As of one moment: somebody may be making the tables.
static Expected<int64_t> versionNow(Connection &connection) {
  if (Error error = connection.run("BEGIN"))
    return std::move(error);
  Expected<int64_t> version = schemaVersion(connection);
  if (Error error = connection.run("COMMIT")) {
    if (!version)
      llvm::consumeError(version.takeError());
    return std::move(error);
  }
  return version;
}

Expected<Database> Database::open(const std::string &path, Access access) {
  bool write = access == Access::write;
  Expected<Connection> connection = Connection::open(path, write);
  if (!connection)
    return connection.takeError();
  auto file = std::make_unique<File>(File{std::move(*connection)});
  Expected<int64_t> version = versionNow(file->connection);
  if (!version)
    return version.takeError();
  if (write) {
    if (Error error = file->connection.useLog())
      return error;
    if (Error error = file->connection.run("PRAGMA synchronous = NORMAL; "
                                           "PRAGMA foreign_keys = ON"))
      return error;
    if (*version < kVersion)
      if (Error error = migrate(file->connection))
        return error;
  }
  file->version = write ? kVersion : *version;
  return Database(std::move(file));
}

//===----------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------===//

/// Of a key and a toolchain one candidate is chosen: the newest to have been.
static constexpr StringRef kDemote = R"sql(
UPDATE candidates SET grade = 1
WHERE ?8 = 'ok' AND ?23 = 2 AND grade = 2 AND measured_at <= ?22
  AND problem = (SELECT id FROM problems WHERE text = ?1) AND arch = ?2
  AND schedule <> ?3 AND toolchain = (SELECT id FROM toolchains
    WHERE driver = ?4 AND llvm = ?5 AND hone = ?6 AND space = ?7)
)sql";

static constexpr StringRef kInsert = R"sql(
WITH key AS (SELECT (SELECT id FROM problems WHERE text = ?1) AS problem,
  (SELECT id FROM toolchains
    WHERE driver = ?4 AND llvm = ?5 AND hone = ?6 AND space = ?7) AS toolchain)
INSERT INTO candidates (problem, arch, schedule, toolchain, status, reason,
  median, p10, p90, samples, error, registers, spill_bytes, clock_mhz, policy,
  model, seed, cost_seconds, measured_at, grade)
SELECT key.problem, ?2, ?3, key.toolchain,
  ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
  CASE WHEN ?23 = 2 AND EXISTS (SELECT 1 FROM candidates newer
    WHERE newer.problem = key.problem AND newer.arch = ?2 AND newer.grade = 2
      AND newer.toolchain = key.toolchain AND newer.measured_at > ?22
      AND newer.schedule <> ?3) THEN 1 ELSE ?23 END
FROM key WHERE true
ON CONFLICT (problem, arch, schedule, toolchain) DO UPDATE SET
  status = excluded.status, reason = excluded.reason,
  median = excluded.median, p10 = excluded.p10, p90 = excluded.p90,
  samples = excluded.samples, error = excluded.error,
  registers = excluded.registers, spill_bytes = excluded.spill_bytes,
  clock_mhz = excluded.clock_mhz, policy = excluded.policy,
  model = excluded.model, seed = excluded.seed,
  cost_seconds = excluded.cost_seconds, measured_at = excluded.measured_at,
  grade = excluded.grade
WHERE excluded.measured_at >= candidates.measured_at
  AND (excluded.status <> 'ok' OR candidates.status <> 'ok'
    OR excluded.grade >= candidates.grade)
)sql";

static void bindToolchain(Statement &statement, int first,
                          const Toolchain &toolchain) {
  statement.bind(first, toolchain.driver);
  statement.bind(first + 1, toolchain.llvm);
  statement.bind(first + 2, toolchain.hone);
  statement.bind(first + 3, toolchain.space);
}

static void bindRecord(Statement &insert, const Record &record) {
  insert.bind(1, record.problem.str());
  insert.bind(2, record.arch);
  insert.bind(3, toString(record.schedule));
  bindToolchain(insert, 4, record.toolchain);
  insert.bind(8, toString(record.status));
  insert.bind(9, record.reason);
  insert.bind(10, record.times.median);
  insert.bind(11, record.times.p10);
  insert.bind(12, record.times.p90);
  insert.bind(13, record.times.samples);
  insert.bind(14, record.error);
  insert.bind(15, record.registers);
  insert.bind(16, record.spillBytes);
  insert.bind(17, record.clockMHz);
  insert.bind(18, record.provenance.policy);
  insert.bind(19, record.provenance.model);
  insert.bind(20, record.provenance.seed);
  insert.bind(21, record.provenance.costSeconds);
  insert.bind(22, record.measuredAt);
  insert.bind(23, int64_t(record.grade));
}

Error Database::add(llvm::ArrayRef<Record> records) {
  Connection &connection = file->connection;
  return connection.transaction([&]() -> Error {
    Expected<Statement> problem = connection.prepare(
        "INSERT INTO problems (text) VALUES (?) ON CONFLICT DO NOTHING");
    if (!problem)
      return problem.takeError();
    Expected<Statement> toolchain =
        connection.prepare("INSERT INTO toolchains (driver, llvm, hone, space) "
                           "VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
    if (!toolchain)
      return toolchain.takeError();
    Expected<Statement> demotion = connection.prepare(kDemote);
    if (!demotion)
      return demotion.takeError();
    Expected<Statement> candidate = connection.prepare(kInsert);
    if (!candidate)
      return candidate.takeError();
    for (const Record &record : records) {
      if (std::optional<std::string> fault = faultOf(record))
        return llvm::createStringError(*fault);
      problem->bind(1, record.problem.str());
      bindToolchain(*toolchain, 1, record.toolchain);
      bindRecord(*demotion, record);
      bindRecord(*candidate, record);
      for (Statement *statement :
           {&*problem, &*toolchain, &*demotion, &*candidate})
        if (Error error = statement->run())
          return error;
    }
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

/// A file of version 1 that was opened to read knows no grades. (A plain 0
/// would be the number of a column to order by.)
static std::string gradeOf(int64_t version, StringRef table) {
  return version < 2 ? "CAST(0 AS INTEGER)" : (table + ".grade").str();
}

static std::string columnsOf(int64_t version) {
  static constexpr StringRef columns =
      "SELECT p.text, c.arch, c.schedule, t.driver, t.llvm, t.hone, t.space, "
      "c.status, c.reason, c.median, c.p10, c.p90, c.samples, c.error, "
      "c.registers, c.spill_bytes, c.clock_mhz, c.policy, c.model, c.seed, "
      "c.cost_seconds, c.measured_at, ";
  static constexpr StringRef tables =
      " FROM candidates c JOIN problems p ON p.id = c.problem "
      "JOIN toolchains t ON t.id = c.toolchain ";
  return (columns + gradeOf(version, "c") + tables).str();
}

/// A row of the columns above, or why it can not be trusted.
static Expected<Record> recordOf(const Statement &row) {
  Record record;
  Expected<Problem> problem = Problem::parse(row.text(0));
  if (!problem)
    return problem.takeError();
  Expected<Schedule> schedule = parseSchedule(row.text(2));
  if (!schedule)
    return schedule.takeError();
  std::optional<Status> status = parseStatus(row.text(7));
  if (!status)
    return llvm::createStringError(
        formatv("expected a status, but got '{0}'", row.text(7)));
  record.problem = *problem;
  record.arch = row.text(1);
  record.schedule = *schedule;
  record.toolchain = {row.text(3), row.text(4), row.text(5), row.integer(6)};
  record.status = *status;
  record.reason = row.text(8);
  record.times = {row.real(9), row.real(10), row.real(11), row.integer(12)};
  record.error = row.real(13);
  record.registers = row.integer(14);
  record.spillBytes = row.integer(15);
  record.clockMHz = row.real(16);
  record.provenance = {row.text(17), row.text(18), row.integer(19),
                       row.real(20)};
  record.measuredAt = row.integer(21);
  record.grade = Grade(std::clamp<int64_t>(row.integer(22), 0, 2));
  if (std::optional<std::string> fault = faultOf(record))
    return llvm::createStringError(*fault);
  return record;
}

/// Calls `each` for every row of `select` until it returns false.
static Error forEachRow(Statement &select,
                        const std::function<bool(Expected<Record>)> &each) {
  while (true) {
    Expected<bool> row = select.step();
    if (!row)
      return row.takeError();
    if (!*row || !each(recordOf(select)))
      return Error::success();
  }
}

Expected<std::optional<Found>>
Database::best(const Problem &problem, StringRef arch, const Toolchain &today) {
  std::optional<Found> found;
  if (file->isEmpty())
    return found;
  // Rows of this toolchain come first. One that is no longer legal, or can not
  // be read, is passed over.
  Expected<Statement> select = file->connection.prepare(
      columnsOf(file->version) +
      "WHERE p.text = ?1 AND c.arch = ?2 AND c.status = 'ok' "
      "ORDER BY (?3 IN ('', t.driver) AND t.llvm = ?4 AND t.hone = ?5 "
      "AND t.space = ?6) DESC, " +
      gradeOf(file->version, "c") + " DESC, c.median, c.schedule, c.id");
  if (!select)
    return select.takeError();
  select->bind(1, problem.str());
  select->bind(2, arch);
  bindToolchain(*select, 3, today);
  Error error = forEachRow(*select, [&](Expected<Record> record) {
    if (!record) {
      llvm::consumeError(record.takeError());
      return true;
    }
    found = Found{*record, !today.covers(record->toolchain)};
    return false;
  });
  if (error)
    return std::move(error);
  return found;
}

Error Database::hold() {
  // A transaction sees what was there when it first read.
  if (Error error = file->connection.run("BEGIN"))
    return error;
  return schemaVersion(file->connection).takeError();
}

Expected<std::vector<Problem>> Database::problems(StringRef arch) {
  std::vector<Problem> problems;
  if (file->isEmpty())
    return problems;
  Expected<Statement> select = file->connection.prepare(
      "SELECT p.text FROM problems p WHERE EXISTS (SELECT 1 FROM candidates c "
      "WHERE c.problem = p.id AND c.arch = ?1 AND c.status = 'ok') "
      "ORDER BY p.text");
  if (!select)
    return select.takeError();
  select->bind(1, arch);
  while (true) {
    Expected<bool> row = select->step();
    if (!row)
      return row.takeError();
    if (!*row)
      return problems;
    Expected<Problem> problem = Problem::parse(select->text(0));
    if (problem)
      problems.push_back(*problem);
    else
      llvm::consumeError(problem.takeError());
  }
}

/// The condition and order of a filter, with ?1 to ?3 for its texts. A problem is looked
/// up by the index of its text.
static std::string conditionOf(const Filter &filter, int64_t version) {
  std::string where =
      filter.problem.empty() ? "WHERE ?1 = '' " : "WHERE p.text = ?1 ";
  where += "AND (?2 = '' OR c.arch = ?2) AND (?3 = '' OR c.status = ?3) ";
  if (filter.bestOnly)
    return where + "AND c.status = 'ok' ORDER BY p.text, c.arch, " +
           gradeOf(version, "c") + " DESC, c.median, c.schedule, c.id";
  return where + "ORDER BY p.text, c.arch, c.status != 'ok', c.median, c.id";
}

static void bindFilter(Statement &select, const Filter &filter) {
  select.bind(1, filter.problem);
  select.bind(2, filter.arch);
  select.bind(3, filter.status ? toString(*filter.status) : StringRef());
}

Error Database::forEach(const Filter &filter,
                        const std::function<void(const Record &)> &each) {
  if (file->isEmpty())
    return Error::success();
  Expected<Statement> select = file->connection.prepare(
      columnsOf(file->version) + conditionOf(filter, file->version));
  if (!select)
    return select.takeError();
  bindFilter(*select, filter);
  // Of a key the first that can be believed is the best.
  std::string last;
  return forEachRow(*select, [&](Expected<Record> record) {
    if (!record) {
      llvm::consumeError(record.takeError());
      return true;
    }
    if (filter.bestOnly) {
      std::string key = record->arch + " " + record->problem.str();
      if (key == std::exchange(last, key))
        return true;
    }
    each(*record);
    return true;
  });
}

Expected<Totals> Database::totals() {
  Totals totals;
  Connection &connection = file->connection;
  uint64_t bytes = 0;
  if (!llvm::sys::fs::file_size(connection.getPath(), bytes))
    totals.fileBytes = int64_t(bytes);
  if (file->isEmpty())
    return totals;
  auto count = [&](const char *text, int64_t &number) -> Error {
    Expected<int64_t> counted = connection.number(text);
    if (!counted)
      return counted.takeError();
    number = *counted;
    return Error::success();
  };
  std::pair<const char *, int64_t *> questions[] = {
      {"SELECT count(*) FROM problems", &totals.problems},
      {"SELECT count(*) FROM (SELECT DISTINCT problem, arch FROM candidates)",
       &totals.keys},
      {"SELECT count(*) FROM candidates", &totals.candidates},
      {"SELECT count(*) FROM toolchains", &totals.toolchains},
      {"PRAGMA user_version", &totals.version}};
  for (auto [text, number] : questions)
    if (Error error = count(text, *number))
      return std::move(error);
  for (size_t i = 0; i < totals.byStatus.size(); ++i)
    if (Error error = count(
            formatv("SELECT count(*) FROM candidates WHERE status = '{0}'",
                    statusNames()[i])
                .str()
                .c_str(),
            totals.byStatus[i]))
      return std::move(error);
  return totals;
}

//===----------------------------------------------------------------------===//
// Keeping it in order
//===----------------------------------------------------------------------===//

Expected<std::vector<std::string>> Database::verify() {
  std::vector<std::string> faults;
  if (file->isEmpty())
    return faults;
  for (const char *pragma :
       {"PRAGMA integrity_check", "PRAGMA foreign_key_check"}) {
    Expected<Statement> select = file->connection.prepare(pragma);
    if (!select)
      return select.takeError();
    while (true) {
      Expected<bool> row = select->step();
      if (!row)
        return row.takeError();
      if (!*row)
        break;
      if (std::string said = select->text(0); said != "ok")
        faults.push_back(said);
    }
  }
  Expected<Statement> select =
      file->connection.prepare(columnsOf(file->version) + "ORDER BY c.id");
  if (!select)
    return select.takeError();
  int64_t number = 0;
  Error error = forEachRow(*select, [&](Expected<Record> record) {
    ++number;
    if (!record)
      faults.push_back(
          formatv("row {0}: {1}", number, llvm::toString(record.takeError()))
              .str());
    return true;
  });
  if (error)
    return std::move(error);
  return faults;
}

Expected<int64_t> Database::prune(int64_t count) {
  int64_t gone = 0;
  Connection &connection = file->connection;
  Error error = connection.transaction([&]() -> Error {
    Expected<Statement> remove = connection.prepare(
        "DELETE FROM candidates WHERE id NOT IN (SELECT id FROM (SELECT id, "
        "row_number() OVER (PARTITION BY problem, arch ORDER BY grade DESC, "
        "median, schedule, id) AS "
        "place FROM candidates WHERE status = 'ok') WHERE place <= ?)");
    if (!remove)
      return remove.takeError();
    remove->bind(1, count);
    if (Error failed = remove->run())
      return failed;
    gone = connection.changes();
    return connection.run(
        "DELETE FROM problems WHERE id NOT IN (SELECT problem FROM "
        "candidates); DELETE FROM toolchains WHERE id NOT IN (SELECT toolchain "
        "FROM candidates)");
  });
  if (error)
    return std::move(error);
  if (Error failed = connection.run("VACUUM"))
    return std::move(failed);
  return gone;
}
