//===- DatabaseFileTest.cpp - Tests of database files and crashes ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of Database.h about files: permissions, interrupted writers, and
// concurrent processes.
//
//===----------------------------------------------------------------------===//

#include "DatabaseFixture.h"
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
using namespace hone::test;

namespace {

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
                  "': expected a database of version 6 or older, but "
                  "got 99; use the newer hone that wrote it");
  sql("PRAGMA user_version = 2");
  Database database = openToWrite();
  EXPECT_TRUE(bestOf(database, kToday));
}

TEST_F(DatabaseTest, RefusesVersionsBeforeTheFirst) {
  llvm::cantFail(openToWrite().add({recordOf(3)}));
  sql("PRAGMA user_version = -7");
  for (Access access : {Access::read, Access::write})
    EXPECT_EQ(errorOf(access),
              "'" + path +
                  "': expected a database of version 0 to 6, but got -7; the "
                  "file is damaged, use a copy of it");
}

/// A schedule has one spelling, so a new measurement of it is the same row.
TEST_F(DatabaseTest, RespellsSchedules) {
  Record record = recordOf(3);
  llvm::cantFail(openToWrite().add({record}));
  sql("UPDATE candidates SET schedule = 'small, tile = 64x64x64, consumers = "
      "1x1, stages = 4, cluster = 1x1, group = 8'");
  sql("INSERT INTO candidates SELECT NULL, problem, arch, 'magic', toolchain, "
      "status, reason, 9.0, p10, p90, samples, error, registers, spill_bytes, "
      "clock_mhz, policy, model, seed, cost_seconds, measured_at, grade, "
      "origin "
      "FROM candidates");
  sql("PRAGMA user_version = 2");
  {
    Database before = llvm::cantFail(Database::open(path, Access::read));
    EXPECT_TRUE(bestOf(before, kToday));
  }
  Database database = openToWrite();
  EXPECT_EQ(bestOf(database, kToday)->record.schedule.numbers(),
            record.schedule.numbers());
  llvm::cantFail(database.add({record}));
  // One readable row, and the unreadable one.
  EXPECT_EQ(llvm::cantFail(database.verify()).size(), 1u);
  std::string text = "DELETE FROM candidates WHERE schedule = '" +
                     toString(record.schedule) + "'";
  sql(text.c_str());
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
    for (int64_t stages = 2; stages <= 12; ++stages)
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

TEST_F(DatabaseTest, CanBeReadInAReadOnlyFolder) {
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
  // In a child: a limit on the size of files simulates a full disk.
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

/// A writer that dies leaves its log; the log's records are found.
class LeftoverTest : public DatabaseTest {
protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    llvm::cantFail(openToWrite().add({recordOf(3)}));
    pid_t child = fork();
    if (child == 0) {
      llvm::Expected<Database> database = Database::open(path, Access::write);
      llvm::Error error = database->add({recordOf(2, 6)});
      _exit(error ? 1 : 0); // without closing
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(llvm::sys::fs::exists(path + "-wal"));
  }
  /// The median that a reader on a full disk finds: 2.
  int readOnFullDisk() {
    pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      rlimit limit = {0, 0};
      setrlimit(RLIMIT_FSIZE, &limit);
      llvm::Expected<Database> database = Database::open(path, Access::read);
      if (!database)
        _exit(100);
      if (llvm::Error error = database->hold())
        _exit(101);
      auto best = database->best(recordOf(1).problem, "h200", kToday);
      if (!best || !*best)
        _exit(102);
      _exit(int((*best)->record.times.median * 1e6 + 0.5));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(LeftoverTest, IsReadOnAFullDisk) {
  EXPECT_EQ(readOnFullDisk(), 2);
  llvm::sys::fs::remove(path + "-shm");
  EXPECT_EQ(readOnFullDisk(), 2);
  // An empty file of shared memory, as a full disk leaves it.
  std::ofstream(path + "-shm").close();
  EXPECT_EQ(readOnFullDisk(), 2);
}

TEST_F(LeftoverTest, IsReadWhereSharedMemoryCanNotBe) {
  llvm::sys::fs::remove(path + "-shm");
  ASSERT_FALSE(llvm::sys::fs::create_directory(path + "-shm"));
  Database database = llvm::cantFail(Database::open(path, Access::read));
  EXPECT_EQ(bestOf(database, kToday)->record.times.median, 2e-6);
  llvm::sys::fs::remove(path + "-shm");
}

/// Of a truncated or damaged log, the complete transactions count.
TEST_F(LeftoverTest, CountsAsFarAsItIsSound) {
  std::ifstream file(path + "-wal", std::ios::binary);
  std::string log((std::istreambuf_iterator<char>(file)),
                  std::istreambuf_iterator<char>());
  for (size_t size = 0; size <= log.size(); size += 509) {
    std::string shorter = log.substr(0, size);
    for (bool damaged : {false, true}) {
      if (damaged && size)
        shorter[size / 2] ^= 1;
      std::ofstream(path + "-wal", std::ios::binary) << shorter;
      int median = readOnFullDisk();
      EXPECT_TRUE(median == 3 || (median == 2 && !damaged)) << median;
    }
  }
  std::ofstream(path + "-wal", std::ios::binary) << log << "garbage";
  EXPECT_EQ(readOnFullDisk(), 2);
}

TEST_F(LeftoverTest, IsTakenInByTheNextWriter) {
  Database database = openToWrite();
  EXPECT_EQ(bestOf(database, kToday)->record.times.median, 2e-6);
  EXPECT_TRUE(llvm::cantFail(database.verify()).empty());
}

TEST_F(DatabaseTest, RejectsImpossibleTimes) {
  Record wrong = recordOf(1, 8);
  wrong.times = {1e-12, 1e-12, 1e-12, 7};
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(3), recordOf(2, 6)}));
  EXPECT_NE(llvm::toString(database.add({wrong})).find("no faster"),
            std::string::npos);
  // A file from elsewhere may have such a record.
  sql("UPDATE candidates SET median = 1e-12, p10 = 1e-12, p90 = 1e-12, "
      "grade = 2 WHERE median < 2.5e-6");
  EXPECT_EQ(bestOf(database, kToday)->record.times.median, 3e-6);
  Filter filter;
  filter.bestOnly = true;
  std::vector<double> medians;
  llvm::cantFail(database.forEach(filter, [&](const Record &record) {
    medians.push_back(record.times.median);
  }));
  EXPECT_EQ(medians, std::vector<double>{3e-6});
  EXPECT_EQ(llvm::cantFail(database.verify()).size(), 1u);
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

/// Several processes create the same new file at the same moment.
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

TEST_F(DatabaseTest, ReadingLeavesNoFiles) {
  {
    llvm::cantFail(openToWrite().add({recordOf(3)}));
  }
  {
    Database database = llvm::cantFail(Database::open(path, Access::read));
    EXPECT_TRUE(bestOf(database, kToday));
    EXPECT_FALSE(llvm::sys::fs::exists(path + "-wal"));
    EXPECT_FALSE(llvm::sys::fs::exists(path + "-shm"));
    // The file was read when it was opened.
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

/// While a writer has the file open, a reader holds a snapshot instead of a
/// copy.
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

} // namespace
