//===- DatabaseTest.cpp - What is added is found, and nothing is lost -----===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of Database.h, line by line, on real files.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Database.h"
#include "hone/Database/Lookup.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;

namespace {

/// A folder of its own for each test.
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

const Toolchain kToday = {"580.1", "22.1", "0.1", 1};

/// Stages tell candidates apart.
Record recordOf(double microseconds, int64_t stages = 4, int64_t m = 512) {
  Record record;
  record.problem.m = record.problem.n = record.problem.k = m;
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

Record failedRecord(Status status, int64_t stages) {
  Record record = recordOf(1, stages);
  record.status = status;
  record.times = {};
  record.reason = "it did not end";
  return record;
}

std::optional<Found> bestOf(Database &database, const Toolchain &today) {
  return llvm::cantFail(database.best(recordOf(1).problem, "h200", today));
}

TEST_F(DatabaseTest, WhatIsAddedIsFound) {
  Database database = openToWrite();
  EXPECT_FALSE(bestOf(database, kToday));
  llvm::cantFail(database.add(
      {recordOf(5, 4), recordOf(3, 6), failedRecord(Status::timeout, 8)}));
  std::optional<Found> found = bestOf(database, kToday);
  ASSERT_TRUE(found);
  EXPECT_EQ(toJson(found->record), toJson(recordOf(3, 6)));
  EXPECT_FALSE(found->isStale);
  Totals totals = llvm::cantFail(database.totals());
  EXPECT_EQ(totals.candidates, 3);
  EXPECT_EQ(totals.keys, 1);
  EXPECT_EQ(totals.byStatus[size_t(Status::ok)], 2);
  EXPECT_EQ(totals.byStatus[size_t(Status::timeout)], 1);
}

TEST_F(DatabaseTest, AnotherArchOrProblemIsAnotherKey) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(3, 4, 1024)}));
  EXPECT_FALSE(bestOf(database, kToday));
  EXPECT_FALSE(llvm::cantFail(
      database.best(recordOf(1, 4, 1024).problem, "h100", kToday)));
}

TEST_F(DatabaseTest, TheNewerMeasurementCounts) {
  Database database = openToWrite();
  Record old = recordOf(3), fresh = recordOf(4);
  fresh.measuredAt = old.measuredAt + 1;
  llvm::cantFail(database.add({fresh}));
  llvm::cantFail(database.add({old}));
  EXPECT_EQ(toJson(bestOf(database, kToday)->record), toJson(fresh));
  EXPECT_EQ(llvm::cantFail(database.totals()).candidates, 1);
}

TEST_F(DatabaseTest, AnotherToolchainIsStale) {
  Database database = openToWrite();
  Record record = recordOf(3);
  record.toolchain.driver = "570.0";
  llvm::cantFail(database.add({record}));
  EXPECT_TRUE(bestOf(database, kToday)->isStale);
  // A slower record of this toolchain is preferred.
  llvm::cantFail(database.add({recordOf(5, 6)}));
  std::optional<Found> found = bestOf(database, kToday);
  EXPECT_FALSE(found->isStale);
  EXPECT_EQ(toJson(found->record), toJson(recordOf(5, 6)));
}

TEST_F(DatabaseTest, WithoutAGpuAnyDriverWillDo) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(3)}));
  Toolchain compiler = kToday;
  compiler.driver = "";
  EXPECT_FALSE(bestOf(database, compiler)->isStale);
  compiler.llvm = "23.0";
  EXPECT_TRUE(bestOf(database, compiler)->isStale);
}

TEST_F(DatabaseTest, AddsAllOrNothing) {
  Database database = openToWrite();
  Record illegal = recordOf(2, 6);
  illegal.schedule = llvm::cantFail(parseSchedule("small, stages = 99"));
  std::string said = llvm::toString(database.add({recordOf(3), illegal}));
  EXPECT_EQ(said, "schedule_c43: expected stages to be 2 to 16, but got 99; "
                  "use 16");
  EXPECT_EQ(llvm::cantFail(database.totals()).candidates, 0);
}

TEST_F(DatabaseTest, FiltersAndOrders) {
  Database database = openToWrite();
  llvm::cantFail(
      database.add({recordOf(5, 4), recordOf(3, 6),
                    failedRecord(Status::fault, 8), recordOf(9, 4, 1024)}));
  auto textOf = [&](Filter filter) {
    std::string text;
    llvm::cantFail(database.forEach(filter, [&](const Record &record) {
      text += llvm::formatv("{0}:{1}:{2} ", record.problem.m,
                            toString(record.status),
                            int64_t(record.times.median * 1e6 + 0.5));
    }));
    return text;
  };
  EXPECT_EQ(textOf({}), "1024:ok:9 512:ok:3 512:ok:5 512:fault:0 ");
  Filter best;
  best.bestOnly = true;
  EXPECT_EQ(textOf(best), "1024:ok:9 512:ok:3 ");
  Filter failed;
  failed.status = Status::fault;
  EXPECT_EQ(textOf(failed), "512:fault:0 ");
}

TEST_F(DatabaseTest, PrunesToTheFastest) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(5, 4), recordOf(3, 6), recordOf(4, 8),
                               failedRecord(Status::wrong, 3)}));
  EXPECT_EQ(llvm::cantFail(database.prune(2)), 2);
  EXPECT_EQ(llvm::cantFail(database.totals()).candidates, 2);
  EXPECT_EQ(toJson(bestOf(database, kToday)->record), toJson(recordOf(3, 6)));
}

TEST_F(DatabaseTest, ReadingNeedsAFile) {
  EXPECT_EQ(errorOf(Access::read),
            "'" + path + "': expected a database, but got no such file");
}

TEST_F(DatabaseTest, AnEmptyFileHasNoAnswers) {
  std::ofstream(path).close();
  Database database = llvm::cantFail(Database::open(path, Access::read));
  EXPECT_FALSE(bestOf(database, kToday));
  EXPECT_TRUE(llvm::cantFail(database.verify()).empty());
}

TEST_F(DatabaseTest, RefusesOtherFiles) {
  std::ofstream(path) << "this is a text, and long enough to be a header of "
                         "something that SQLite would look at, if it were one";
  std::string expected = "'" + path +
                         "': expected a database, but got a file "
                         "of another kind";
  EXPECT_EQ(errorOf(Access::read), expected);
  EXPECT_EQ(errorOf(Access::write), expected);
  std::ifstream file(path);
  std::string first;
  file >> first;
  EXPECT_EQ(first, "this");
}

TEST_F(DatabaseTest, RefusesOthersDatabases) {
  sql("CREATE TABLE notes (text TEXT)");
  EXPECT_EQ(errorOf(Access::write), "'" + path +
                                        "': expected a database of hone, but "
                                        "got another program's");
}

TEST_F(DatabaseTest, RefusesNewerOnes) {
  llvm::cantFail(openToWrite().add({recordOf(3)}));
  sql("PRAGMA user_version = 99");
  for (Access access : {Access::read, Access::write})
    EXPECT_EQ(errorOf(access),
              "'" + path +
                  "': expected a database of version 2 or older, but "
                  "got 99; use the newer hone that wrote it");
  sql("PRAGMA user_version = 2");
  Database database = openToWrite();
  EXPECT_TRUE(bestOf(database, kToday));
}

/// A record of `grade`; one that is newer was measured later.
Record graded(Record record, Grade grade, int64_t newer = 0) {
  record.grade = grade;
  record.measuredAt += newer;
  return record;
}

TEST_F(DatabaseTest, PrefersWhatWasChosen) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(3, 4)}));
  llvm::cantFail(database.add({graded(recordOf(5, 5), Grade::finalist)}));
  EXPECT_DOUBLE_EQ(bestOf(database, kToday)->record.times.median, 5e-6);
  llvm::cantFail(database.add({graded(recordOf(6, 6), Grade::chosen)}));
  EXPECT_DOUBLE_EQ(bestOf(database, kToday)->record.times.median, 6e-6);
}

TEST_F(DatabaseTest, OneCandidateIsChosen) {
  Database database = openToWrite();
  llvm::cantFail(database.add({graded(recordOf(6, 6), Grade::chosen, 1)}));
  llvm::cantFail(database.add({graded(recordOf(7, 7), Grade::chosen, 2)}));
  EXPECT_DOUBLE_EQ(bestOf(database, kToday)->record.times.median, 7e-6);
  // An older choice, of a file that is merged, say, does not count any more.
  llvm::cantFail(database.add({graded(recordOf(4, 4), Grade::chosen, 0)}));
  EXPECT_DOUBLE_EQ(bestOf(database, kToday)->record.times.median, 7e-6);
  int64_t chosen = 0;
  llvm::cantFail(database.forEach({}, [&](const Record &record) {
    chosen += record.grade == Grade::chosen;
  }));
  EXPECT_EQ(chosen, 1);
}

TEST_F(DatabaseTest, ATrialDoesNotReplaceAFinal) {
  Database database = openToWrite();
  llvm::cantFail(database.add({graded(recordOf(6, 6), Grade::finalist)}));
  llvm::cantFail(database.add({graded(recordOf(9, 6), Grade::trial, 5)}));
  EXPECT_DOUBLE_EQ(bestOf(database, kToday)->record.times.median, 6e-6);
  // That it has failed does.
  Record fault = failedRecord(Status::fault, 6);
  fault.measuredAt += 6;
  llvm::cantFail(database.add({fault}));
  EXPECT_FALSE(bestOf(database, kToday));
}

TEST_F(DatabaseTest, PassesOverRowsThatDoNotParse) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(3, 4), recordOf(5, 6)}));
  sql("UPDATE candidates SET schedule = 'garbage' WHERE median < 4e-6");
  EXPECT_EQ(toJson(bestOf(database, kToday)->record), toJson(recordOf(5, 6)));
  std::vector<std::string> faults = llvm::cantFail(database.verify());
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(llvm::StringRef(faults[0]).starts_with("row 1: expected"))
      << faults[0];
}

TEST_F(DatabaseTest, SaysWhatIsDamaged) {
  {
    Database database = openToWrite();
    std::vector<Record> many;
    for (int64_t stages = 2; stages <= 16; ++stages)
      for (int64_t m = 1; m <= 40; ++m)
        many.push_back(recordOf(double(stages), stages, 16 * m));
    llvm::cantFail(database.add(many));
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3 * 4096);
  std::string garbage(2 * 4096, '\xa5');
  file.write(garbage.data(), std::streamsize(garbage.size()));
  file.close();
  llvm::Expected<Database> database = Database::open(path, Access::read);
  ASSERT_TRUE(bool(database));
  llvm::Expected<std::vector<std::string>> faults = database->verify();
  if (faults)
    EXPECT_FALSE(faults->empty());
  else
    EXPECT_NE(llvm::toString(faults.takeError()).find("expected a sound"),
              std::string::npos);
}

TEST_F(DatabaseTest, CanBeReadWhereNobodyMayWrite) {
  llvm::cantFail(openToWrite().add({recordOf(3)}));
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
  {
    Database database = llvm::cantFail(Database::open(path, Access::read));
    EXPECT_TRUE(bestOf(database, kToday));
  }
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
}

TEST_F(DatabaseTest, AFullDiskLosesNothing) {
  llvm::cantFail(openToWrite().add({recordOf(3)}));
  // In a child: a limit on the size of files is what a full disk looks like.
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {64 << 10, 64 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    llvm::Expected<Database> database = Database::open(path, Access::write);
    if (!database)
      _exit(2);
    std::vector<Record> many;
    for (int64_t m = 1; m <= 2000; ++m)
      many.push_back(recordOf(1, 4, 16 * m));
    llvm::Error error = database->add(many);
    _exit(error ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  Database database = openToWrite();
  EXPECT_EQ(llvm::cantFail(database.totals()).candidates, 1);
  EXPECT_TRUE(llvm::cantFail(database.verify()).empty());
}

TEST_F(DatabaseTest, AKilledWriterLosesOnlyItsOwn) {
  llvm::cantFail(openToWrite().add({recordOf(3)}));
  for (int round = 0; round < 5; ++round) {
    pid_t child = fork();
    if (child == 0) {
      llvm::Expected<Database> database = Database::open(path, Access::write);
      for (int64_t m = 1; database; ++m)
        if (llvm::Error error = database->add(
                {recordOf(1, 4, 1024 + m), recordOf(1, 6, 1024 + m)}))
          _exit(1);
      _exit(1);
    }
    usleep(20000 + 15000 * round);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    Database database = openToWrite();
    EXPECT_TRUE(llvm::cantFail(database.verify()).empty());
    // Both of a pair, or none.
    Totals totals = llvm::cantFail(database.totals());
    EXPECT_EQ((totals.candidates - 1) % 2, 0) << totals.candidates;
    EXPECT_TRUE(bestOf(database, kToday));
  }
}

/// Nobody has made the file yet, and all want to at the same moment.
TEST_F(DatabaseTest, SeveralMayMakeIt) {
  constexpr int kRounds = 10, kProcesses = 6;
  for (int round = 0; round < kRounds; ++round) {
    path = folder + "/round" + std::to_string(round) + ".db";
    int gate[2];
    ASSERT_EQ(pipe(gate), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      pid_t child = fork();
      if (child == 0) {
        char go;
        close(gate[1]);
        if (read(gate[0], &go, 1) != 0) // the end of the pipe is the start
          _exit(3);
        llvm::Expected<Database> database = Database::open(path, Access::write);
        if (!database)
          _exit(2);
        llvm::Error error = database->add({recordOf(2, 4, 16 * (i + 1))});
        _exit(error ? 1 : 0);
      }
      children.push_back(child);
    }
    close(gate[0]), close(gate[1]);
    for (pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(llvm::cantFail(openToWrite().totals()).candidates, kProcesses);
  }
}

TEST_F(DatabaseTest, TwoWritersWaitForEachOther) {
  openToWrite();
  constexpr int kEach = 60;
  std::vector<pid_t> children;
  for (int writer = 0; writer < 3; ++writer) {
    pid_t child = fork();
    if (child == 0) {
      llvm::Expected<Database> database = Database::open(path, Access::write);
      if (!database)
        _exit(1);
      for (int i = 0; i < kEach; ++i)
        if (llvm::Error error =
                database->add({recordOf(2, 4, 16 * (writer * kEach + i + 1))}))
          _exit(1);
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Database database = openToWrite();
  EXPECT_EQ(llvm::cantFail(database.totals()).candidates, 3 * kEach);
}

/// Of equal times the first by text, in whichever order they came.
TEST_F(DatabaseTest, TiesHaveOneWinner) {
  for (auto stages : {std::pair(4, 6), std::pair(6, 4)}) {
    Database database = openToWrite();
    llvm::cantFail(database.add({recordOf(3, stages.first)}));
    llvm::cantFail(database.add({recordOf(3, stages.second)}));
    EXPECT_EQ(toString(bestOf(database, kToday)->record.schedule),
              toString(recordOf(3, 4).schedule));
    llvm::sys::fs::remove(path);
  }
}

TEST_F(DatabaseTest, ReadingLeavesNothingBehind) {
  {
    llvm::cantFail(openToWrite().add({recordOf(3)}));
  }
  llvm::sys::fs::file_status before, after;
  ASSERT_FALSE(llvm::sys::fs::status(path, before));
  {
    Database database = llvm::cantFail(Database::open(path, Access::read));
    EXPECT_TRUE(bestOf(database, kToday));
    EXPECT_FALSE(llvm::sys::fs::exists(path + "-wal"));
    EXPECT_FALSE(llvm::sys::fs::exists(path + "-shm"));
    // It was read when it was opened.
    llvm::cantFail(openToWrite().add({recordOf(2, 6)}));
    EXPECT_EQ(bestOf(database, kToday)->record.times.median, 3e-6);
  }
  {
    EXPECT_EQ(bestOf(*std::make_unique<Database>(openToWrite()), kToday)
                  ->record.times.median,
              2e-6);
  }
  Database database = llvm::cantFail(Database::open(path, Access::read));
  EXPECT_EQ(bestOf(database, kToday)->record.times.median, 2e-6);
  EXPECT_FALSE(llvm::sys::fs::exists(path + "-wal"));
}

/// While somebody writes there is no copy to read, but a moment to hold.
TEST_F(DatabaseTest, WhatIsHeldDoesNotChange) {
  Database writer = openToWrite();
  llvm::cantFail(writer.add({recordOf(3)}));
  ASSERT_TRUE(llvm::sys::fs::exists(path + "-wal"));
  Database held = llvm::cantFail(Database::open(path, Access::read));
  Database reader = llvm::cantFail(Database::open(path, Access::read));
  llvm::cantFail(held.hold());
  llvm::cantFail(writer.add({recordOf(2, 6)}));
  EXPECT_EQ(bestOf(held, kToday)->record.times.median, 3e-6);
  EXPECT_EQ(bestOf(reader, kToday)->record.times.median, 2e-6);
}

TEST_F(DatabaseTest, NamesTheProblemsOfAChip) {
  Database database = openToWrite();
  EXPECT_TRUE(llvm::cantFail(database.problems("h200")).empty());
  Record failed = failedRecord(Status::timeout, 8);
  failed.problem.m = 64;
  llvm::cantFail(
      database.add({recordOf(3, 4, 1024), recordOf(3, 4, 512), failed}));
  std::vector<Problem> problems = llvm::cantFail(database.problems("h200"));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].m, 1024); // by text
  EXPECT_EQ(problems[1].m, 512);
  EXPECT_TRUE(llvm::cantFail(database.problems("h100")).empty());
}

TEST_F(DatabaseTest, AnswersCompilers) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(3)}));
  Toolchain newer = kToday;
  newer.driver = "999.0";
  Arch arch = llvm::cantFail(Arch::lookup("sm_90a"));
  std::shared_ptr<Lookup> lookup =
      llvm::cantFail(makeLookup(std::move(database), newer));
  std::optional<Answer> answer =
      makeExactSource(lookup)->ask(recordOf(1).problem, arch);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->source, "database, exact, stale");
  EXPECT_EQ(answer->basis, Basis::exact);
  EXPECT_EQ(toString(answer->schedule), toString(recordOf(1).schedule));
}

TEST(Lookup, OfTwoRecordsTheFirstCounts) {
  std::shared_ptr<Lookup> lookup =
      makeLookup({{recordOf(3, 4), false}, {recordOf(2, 6), true}}, "list");
  std::optional<Found> found = lookup->find(recordOf(1).problem, "h200");
  ASSERT_TRUE(found);
  EXPECT_EQ(toString(found->record.schedule),
            toString(recordOf(3, 4).schedule));
  EXPECT_FALSE(lookup->find(recordOf(1).problem, "a100"));
  EXPECT_FALSE(lookup->find(recordOf(1, 4, 64).problem, "h200"));
  EXPECT_EQ(lookup->problems("h200").size(), 1u);
}

} // namespace
