//===- Database.cpp - Database of records in one file ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Database.h. With write-ahead logging, readers continue during a write; a
// row counts when its transaction is on the disk.
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "DatabaseFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Database::Database(std::unique_ptr<File> file) : file(std::move(file)) {}
Database::Database(Database &&) = default;
Database &Database::operator=(Database &&) = default;
Database::~Database() = default;

/// Reads in one transaction: another process may be creating the tables.
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
  bool write = access != Access::read;
  if (access != Access::write && !llvm::sys::fs::exists(path))
    return llvm::createStringError(
        formatv("'{0}': expected a database, but got no such file", path));
  Expected<Connection> connection = Connection::open(path, write);
  if (!connection)
    return connection.takeError();
  auto file = std::make_unique<File>(File{std::move(*connection), 0, {}});
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
  if (file->version < kVersion && !file->isEmpty()) {
    Expected<Spellings> spellings = outdatedProblems(file->connection);
    if (!spellings)
      return spellings.takeError();
    for (auto &[before, now] : *spellings)
      file->spellings.try_emplace(now, before);
  }
  return Database(std::move(file));
}

void hone::removeIfEmpty(const std::string &path) {
  {
    auto database = Database::open(path, Access::read);
    if (!database)
      return llvm::consumeError(database.takeError());
    auto totals = database->totals();
    if (!totals)
      return llvm::consumeError(totals.takeError());
    if (totals->candidates > 0)
      return;
  }
  for (const char *end : {"", "-wal", "-shm"})
    llvm::sys::fs::remove(path + end);
}

//===----------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------===//

Error Database::add(llvm::ArrayRef<Record> records,
                    llvm::ArrayRef<WholeKernel> kernels) {
  Connection &connection = file->connection;
  return connection.transaction([&]() -> Error {
    if (Error error = file->addKernels(kernels))
      return error;
    Expected<Statement> problem =
        connection.prepare("INSERT INTO problems (text) VALUES (:problem) "
                           "ON CONFLICT DO NOTHING");
    if (!problem)
      return problem.takeError();
    Expected<Statement> toolchain = connection.prepare(
        "INSERT INTO toolchains (driver, llvm, hone, space) "
        "VALUES (:driver, :llvm, :hone, :space) ON CONFLICT DO NOTHING");
    if (!toolchain)
      return toolchain.takeError();
    Expected<Statement> demotion = connection.prepare(demotionText());
    if (!demotion)
      return demotion.takeError();
    Expected<Statement> candidate = connection.prepare(insertionText());
    if (!candidate)
      return candidate.takeError();
    for (const Record &record : records) {
      if (std::optional<std::string> fault = faultOf(record))
        return llvm::createStringError(*fault);
      std::string before = record.problem.abbreviated().str();
      if (before != record.problem.str())
        if (Error error =
                respellProblem(connection, before, record.problem.str()))
          return error;
      for (Statement *statement :
           {&*problem, &*toolchain, &*demotion, &*candidate}) {
        bind(*statement, record);
        if (Error error = statement->run())
          return error;
      }
    }
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

Expected<std::optional<Found>> Database::best(const Problem &problem,
                                              StringRef arch,
                                              const Toolchain &today,
                                              Origin origin) {
  std::optional<Found> found;
  if (file->isEmpty())
    return found;
  // Rows of this toolchain come first. Rows that are no longer legal, or cannot
  // be read, are skipped.
  Expected<Statement> select = file->connection.prepare(
      selectionText(file->version) +
      "WHERE p.text IN (?1, ?7, ?8) AND c.arch = ?2 AND c.status = 'ok' AND " +
      originText(file->version) +
      " = ?9 ORDER BY (?3 IN ('', t.driver) AND t.llvm = ?4 AND t.hone = ?5 "
      "AND t.space = ?6) DESC, " +
      gradeText(file->version) + " DESC, c.median, c.schedule, c.id");
  if (!select)
    return select.takeError();
  auto [text, beginning, other] = file->textsOf(problem);
  select->bind(1, text);
  select->bind(2, arch);
  select->bind(3, today.driver);
  select->bind(4, today.llvm);
  select->bind(5, today.hone);
  select->bind(6, today.space);
  select->bind(7, beginning);
  select->bind(8, other);
  select->bind(9, int64_t(origin));
  Error error = forEachRow(*select, [&](Expected<Record> record) {
    if (!record) {
      llvm::consumeError(record.takeError());
      return true;
    }
    if (!file->hasKernelOf(record->schedule))
      return true;
    found = Found{*record, !today.covers(record->toolchain)};
    found->record.problem = problem;
    return false;
  });
  if (error)
    return std::move(error);
  return found;
}

Error Database::hold() {
  // A transaction keeps the state at its first read.
  if (Error error = file->connection.run("BEGIN"))
    return error;
  return schemaVersion(file->connection).takeError();
}

Expected<std::vector<Problem>> Database::problems(StringRef arch,
                                                  Origin origin) {
  std::vector<Problem> problems;
  llvm::StringSet<> seen; // an older file may have two texts of a problem
  if (file->isEmpty())
    return problems;
  Expected<Statement> select = file->connection.prepare(
      "SELECT p.text FROM problems p WHERE EXISTS (SELECT 1 FROM candidates c "
      "JOIN toolchains t ON t.id = c.toolchain "
      "WHERE c.problem = p.id AND c.arch = ?1 AND c.status = 'ok' AND " +
      originText(file->version) + " = ?2) ORDER BY p.text");
  if (!select)
    return select.takeError();
  select->bind(1, arch);
  select->bind(2, int64_t(origin));
  Error error = select->forEach([&] {
    Expected<Problem> problem = Problem::parse(select->text(0));
    if (!problem)
      llvm::consumeError(problem.takeError());
    else if (seen.insert(problem->str()).second)
      problems.push_back(*problem);
    return true;
  });
  if (error)
    return std::move(error);
  return problems;
}

Expected<std::vector<OriginCount>> Database::origins() {
  std::vector<OriginCount> counts;
  if (file->isEmpty())
    return counts;
  Expected<Statement> select = file->connection.prepare(
      "SELECT c.arch, " + originText(file->version) +
      ", count(*) FROM candidates c JOIN toolchains t ON t.id = c.toolchain "
      "WHERE c.status = 'ok' GROUP BY 1, 2 ORDER BY 1, 2");
  if (!select)
    return select.takeError();
  Error error = select->forEach([&] {
    counts.push_back({select->text(0), originOfNumber(select->integer(1)),
                      select->integer(2)});
    return true;
  });
  if (error)
    return std::move(error);
  return counts;
}

/// The condition and order of a filter, with ?1 to ?6 for its texts. A problem
/// is looked up by the index of its text.
static std::string conditionOf(const Filter &filter, int64_t version) {
  std::string where = filter.problem ? "WHERE p.text IN (?1, ?4, ?5) "
                                     : "WHERE ?1 = ?4 AND ?1 = ?5 ";
  where += "AND (?2 = '' OR c.arch = ?2) AND (?3 = '' OR c.status = ?3) "
           "AND (?6 < 0 OR " +
           originText(version) + " = ?6) ";
  if (filter.bestOnly)
    return where + "AND c.status = 'ok' ORDER BY p.text, c.arch, " +
           originText(version) + ", " + gradeText(version) +
           " DESC, c.median, c.schedule, c.id";
  if (filter.asAdded)
    return where + "ORDER BY c.id";
  return where + "ORDER BY p.text, c.arch, c.status != 'ok', c.median, c.id";
}

static void bindFilter(Statement &select, const Filter &filter,
                       const std::array<std::string, 3> &texts) {
  for (auto [parameter, text] : llvm::zip_equal(std::array{1, 4, 5}, texts))
    select.bind(parameter, StringRef(text));
  select.bind(2, filter.arch);
  select.bind(3, filter.status ? toString(*filter.status) : StringRef());
  select.bind(6, filter.origin ? int64_t(*filter.origin) : int64_t(-1));
}

Error Database::forEach(const Filter &filter,
                        const std::function<void(const Record &)> &each) {
  if (file->isEmpty())
    return Error::success();
  Expected<Statement> select = file->connection.prepare(
      selectionText(file->version) + conditionOf(filter, file->version));
  if (!select)
    return select.takeError();
  std::array<std::string, 3> texts;
  if (filter.problem)
    texts = file->textsOf(*filter.problem);
  bindFilter(*select, filter, texts);
  // Of each key the first valid row is the best.
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
    if (filter.problem)
      record->problem = *filter.problem;
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
  Expected<std::vector<OriginCount>> counts = origins();
  if (!counts)
    return counts.takeError();
  for (const OriginCount &each : *counts)
    totals.byOrigin[size_t(each.origin)] += each.records;
  return totals;
}
