//===- Maintenance.cpp - Checks and pruning of a database -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Database.h.
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "DatabaseFile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Error Database::verifyPages() {
  Expected<Statement> select =
      file->connection.prepare("PRAGMA quick_check(1)");
  if (!select)
    return select.takeError();
  Expected<bool> row = select->step();
  if (!row)
    return row.takeError();
  std::string said = *row ? select->text(0) : "ok";
  if (said == "ok")
    return Error::success();
  return llvm::createStringError(
      formatv("'{0}': expected a sound database, but got: {1}; use 'hone db "
              "check' and a copy",
              file->connection.getPath(), StringRef(said).trim()));
}

Expected<std::vector<std::string>> Database::verify() {
  std::vector<std::string> faults;
  if (file->isEmpty())
    return faults;
  for (const char *pragma :
       {"PRAGMA integrity_check", "PRAGMA foreign_key_check"}) {
    Expected<Statement> select = file->connection.prepare(pragma);
    if (!select)
      return select.takeError();
    Error error = select->forEach([&] {
      if (std::string said = select->text(0); said != "ok")
        faults.push_back(said);
      return true;
    });
    if (error)
      return std::move(error);
  }
  Expected<Statement> select =
      file->connection.prepare(selectionText(file->version) + "ORDER BY c.id");
  if (!select)
    return select.takeError();
  int64_t number = 0;
  Error error = forEachRow(*select, [&](Expected<Record> record) {
    ++number;
    if (!record)
      faults.push_back(
          formatv("row {0}: {1}", number, llvm::toString(record.takeError()))
              .str());
    else if (record->isOk() && !file->hasKernelOf(record->schedule))
      faults.push_back(formatv("row {0}: expected the text of kernel {1}, but "
                               "got none that can be read",
                               number, *wholeKernelOf(record->schedule))
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
        "row_number() OVER (PARTITION BY problem, arch ORDER BY origin, grade "
        "DESC, "
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
        "FROM candidates); "
        "DELETE FROM kernels WHERE NOT EXISTS (SELECT 1 FROM candidates WHERE "
        "instr(schedule, 'whole(' || name || ')'))");
  });
  if (error)
    return std::move(error);
  if (Error failed = connection.run("VACUUM"))
    return std::move(failed);
  return gone;
}
