//===- DatabaseTest.cpp - Tests of adding and finding records -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records, grades, toolchains and filters: the answers of a database.
// DatabaseFileTest.cpp tests its file.
//
//===----------------------------------------------------------------------===//

#include "DatabaseFixture.h"
#include "hone/Database/Lookup.h"

using namespace hone;
using namespace hone::test;

namespace {

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

/// A different number, text, grade or origin for every field of a record.
struct Filler {
  int64_t next = 100;
  void operator()(llvm::StringRef, std::string &text) {
    text = "text " + std::to_string(next++);
  }
  void operator()(llvm::StringRef, int64_t &number) { number = next++; }
  void operator()(llvm::StringRef, double &number) { number = double(next++); }
  void operator()(llvm::StringRef, Grade &grade) { grade = Grade::chosen; }
  void operator()(llvm::StringRef, Origin &origin) {
    origin = Origin::rehearsed;
  }
  template <typename T>
  void operator()(llvm::StringRef, T &) {}
};

/// All fields of a record are preserved, in a row and in a line.
TEST_F(DatabaseTest, EveryFieldIsKept) {
  Record record = recordOf(3);
  Record::visit(record, Filler());
  record.arch = "h200";
  record.times.p10 = record.times.median;
  Database database = openToWrite();
  llvm::cantFail(database.add({record}));
  std::optional<Found> found = llvm::cantFail(database.best(
      record.problem, "h200", record.toolchain, Origin::rehearsed));
  ASSERT_TRUE(found);
  std::string line = toJson(record);
  EXPECT_EQ(toJson(found->record), line);
  EXPECT_EQ(toJson(llvm::cantFail(recordFromJson(line))), line);
  Record::visit(record, [&](llvm::StringRef name, auto &) {
    EXPECT_NE(line.find(("\"" + name + "\":").str()), std::string::npos)
        << name.str();
  });
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

/// A record of `grade`, measured `newer` seconds later.
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
  // An older choice, of a merged file for example, does not count any more.
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
  // A failure does.
  Record fault = failedRecord(Status::fault, 6);
  fault.measuredAt += 6;
  llvm::cantFail(database.add({fault}));
  EXPECT_FALSE(bestOf(database, kToday));
}

/// Of equal times the first by text wins, in any order of arrival.
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
