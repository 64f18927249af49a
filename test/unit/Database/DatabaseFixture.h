//===- DatabaseFixture.h - Fixture with a new database file -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder, records for it, and the query of a build.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_DATABASE_DATABASEFIXTURE_H
#define HONE_TEST_DATABASE_DATABASEFIXTURE_H

#include "hone/Database/Database.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <sqlite3.h>

namespace hone::test {

/// Each test has a new folder.
class DatabaseTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("hone-db", made));
    folder = made.str().str();
    path = folder + "/hone.db";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  Database openToWrite() {
    return llvm::cantFail(Database::open(path, Access::write));
  }
  std::string errorOf(Access access) {
    llvm::Expected<Database> database = Database::open(path, access);
    return database ? "" : llvm::toString(database.takeError());
  }
  void sql(const char *text) {
    sqlite3 *handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, text, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  std::string folder, path;
};

inline const Toolchain kToday = {"580.1", "22.1", "0.1", 1};

/// Candidates differ in their stages.
inline Record recordOf(double microseconds, int64_t stages = 4,
                       int64_t m = 512) {
  Record record;
  // Small extents, to match the short times of these tests.
  record.problem.m = m;
  record.problem.n = record.problem.k = 64;
  record.arch = "h200";
  record.schedule = llvm::cantFail(parseSchedule(
      llvm::formatv("small, tile = 64x64x64, stages = {0}", stages).str()));
  record.toolchain = kToday;
  double seconds = microseconds * 1e-6;
  record.times = {seconds, seconds * 0.99, seconds * 1.01, 7};
  record.measuredAt = 1000;
  record.provenance = {"random", "", 17, 0.25};
  return record;
}

inline Record failedRecord(Status status, int64_t stages) {
  Record record = recordOf(1, stages);
  record.status = status;
  record.times = {};
  record.reason = "it did not end";
  return record;
}

inline std::optional<Found> bestOf(Database &database, const Toolchain &today) {
  return llvm::cantFail(database.best(recordOf(1).problem, "h200", today));
}

} // namespace hone::test

#endif // HONE_TEST_DATABASE_DATABASEFIXTURE_H
