//===- OriginsTest.cpp - Tests of the origins of times --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build uses measured times only, and prints what else there is.
//
//===----------------------------------------------------------------------===//

#include "DatabaseFixture.h"
#include "hone/Database/Lookup.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace hone;
using namespace hone::test;

namespace {

using OriginsTest = DatabaseTest;

Record rehearsedOf(double microseconds, int64_t stages = 4) {
  Record record = recordOf(microseconds, stages);
  record.origin = Origin::rehearsed;
  return record;
}

std::string noticesOf(Database database, const std::string &chip) {
  auto lookup = llvm::cantFail(makeLookup(std::move(database), kToday));
  return llvm::join(lookup->notices(chip), "\n");
}

TEST_F(OriginsTest, UnmeasuredRecordsAreSkipped) {
  Database database = openToWrite();
  Record modelled = rehearsedOf(1, 8);
  modelled.origin = Origin::modelled;
  llvm::cantFail(database.add({rehearsedOf(2, 6), modelled}));
  EXPECT_FALSE(bestOf(database, kToday));
  EXPECT_TRUE(llvm::cantFail(database.problems("h200")).empty());
  llvm::cantFail(database.add({recordOf(9, 10)}));
  // The only measured record wins, however slow it is.
  ASSERT_TRUE(bestOf(database, kToday));
  EXPECT_EQ(toString(bestOf(database, kToday)->record.schedule),
            toString(recordOf(9, 10).schedule));
  EXPECT_EQ(llvm::cantFail(database.problems("h200")).size(), 1u);
  Totals totals = llvm::cantFail(database.totals());
  for (int64_t count : totals.byOrigin)
    EXPECT_EQ(count, 1);
}

/// A rehearsal finds its own records.
TEST_F(OriginsTest, EachOriginHasAnswersOfItsOwn) {
  Database database = openToWrite();
  llvm::cantFail(database.add({recordOf(9, 10), rehearsedOf(2, 6)}));
  std::optional<Found> found = llvm::cantFail(
      database.best(recordOf(1).problem, "h200", kToday, Origin::rehearsed));
  ASSERT_TRUE(found);
  EXPECT_EQ(toString(found->record.schedule),
            toString(rehearsedOf(2, 6).schedule));
  auto lookup = llvm::cantFail(
      makeLookup(std::move(database), kToday, Origin::rehearsed));
  ASSERT_EQ(lookup->measured(recordOf(1).problem, "h200").size(), 1u);
  EXPECT_EQ(lookup->measured(recordOf(1).problem, "h200")[0].origin,
            Origin::rehearsed);
}

/// Holds for newer records and for higher grades.
TEST_F(OriginsTest, AMeasurementIsNotReplacedByAModelledTime) {
  Database database = openToWrite();
  Record later = rehearsedOf(2);
  later.measuredAt = 5000;
  later.grade = Grade::chosen;
  llvm::cantFail(database.add({recordOf(3)}));
  llvm::cantFail(database.add({later}));
  ASSERT_TRUE(bestOf(database, kToday));
  EXPECT_EQ(toJson(bestOf(database, kToday)->record), toJson(recordOf(3)));
  // In the opposite order the measurement replaces the other record.
  Database again = openToWrite();
  Record other = later;
  other.schedule = recordOf(1, 8).schedule;
  llvm::cantFail(again.add({other}));
  llvm::cantFail(again.add({recordOf(7, 8)}));
  Filter measured;
  measured.origin = Origin::measured;
  int64_t count = 0;
  llvm::cantFail(again.forEach(measured, [&](const Record &) { ++count; }));
  EXPECT_EQ(count, 2);
}

/// A choice of a rehearsal does not demote a measured choice.
TEST_F(OriginsTest, AChoiceIsDemotedByItsEqualsAlone) {
  Database database = openToWrite();
  Record chosen = recordOf(3);
  chosen.grade = Grade::chosen;
  Record rehearsed = rehearsedOf(2, 8);
  rehearsed.grade = Grade::chosen;
  rehearsed.measuredAt = 5000;
  llvm::cantFail(database.add({chosen, rehearsed}));
  ASSERT_TRUE(bestOf(database, kToday));
  EXPECT_EQ(bestOf(database, kToday)->record.grade, Grade::chosen);
}

/// In older files the driver's name gives the origin, both before and after
/// migration.
TEST_F(OriginsTest, OlderFilesSayItByTheDriver) {
  Record rehearsed = recordOf(2, 6), replayed = recordOf(2, 8);
  rehearsed.toolchain.driver = kRehearsalDriver.str();
  replayed.toolchain.driver = kReplayDriver.str();
  llvm::cantFail(openToWrite().add({recordOf(3), rehearsed, replayed}));
  sql("ALTER TABLE candidates DROP COLUMN origin; PRAGMA user_version = 5");
  std::vector<Origin> expected = {Origin::measured, Origin::rehearsed,
                                  Origin::modelled};
  for (Access access : {Access::read, Access::write}) {
    Database database = llvm::cantFail(Database::open(path, access));
    std::vector<Origin> origins;
    Filter filter;
    filter.asAdded = true;
    llvm::cantFail(database.forEach(filter, [&](const Record &record) {
      origins.push_back(record.origin);
    }));
    EXPECT_EQ(origins, expected);
    ASSERT_TRUE(bestOf(database, kToday));
    EXPECT_EQ(toString(bestOf(database, kToday)->record.schedule),
              toString(recordOf(3).schedule));
  }
}

TEST_F(OriginsTest, LinesOfBeforeSayItByTheDriver) {
  Record rehearsed = recordOf(2);
  rehearsed.toolchain.driver = kRehearsalDriver.str();
  std::string line = toJson(rehearsed);
  size_t at = line.find("\"origin\":\"measured\",");
  ASSERT_NE(at, std::string::npos);
  line.erase(at, strlen("\"origin\":\"measured\","));
  EXPECT_EQ(llvm::cantFail(recordFromJson(line)).origin, Origin::rehearsed);
  std::string wrong = toJson(recordOf(2));
  wrong.replace(wrong.find("\"measured\""), strlen("\"measured\""),
                "\"guessed\"");
  EXPECT_EQ(llvm::toString(recordFromJson(wrong).takeError()),
            "expected 'origin' to be one of measured, rehearsed, modelled, but "
            "got something else");
}

TEST_F(OriginsTest, ALookupSaysWhatDoesNotCount) {
  {
    Database database = openToWrite();
    EXPECT_EQ(
        noticesOf(llvm::cantFail(Database::open(path, Access::read)), "h200"),
        "database: expected measured records of h200, but got none");
    Record host = recordOf(3);
    host.arch = "a100";
    host.schedule = llvm::cantFail(parseSchedule("mma_sync"));
    llvm::cantFail(database.add({host, rehearsedOf(2), rehearsedOf(2, 6)}));
  }
  auto open = [&] {
    return llvm::cantFail(Database::open(path, Access::read));
  };
  EXPECT_EQ(noticesOf(open(), "a100"), "");
  EXPECT_EQ(noticesOf(open(), "h100"),
            "database: expected measured records of h100, but got 1 measured "
            "of a100, 2 rehearsed of h200 alone");
  EXPECT_EQ(noticesOf(open(), "h200"),
            "database: expected measured records of h200, but got 1 measured "
            "of a100 alone\n"
            "database: not used: 2 rehearsed of h200, because builds use "
            "measured times alone");
}

TEST(Lookup, AListSaysWhatDoesNotCount) {
  std::shared_ptr<Lookup> lookup =
      makeLookup({{recordOf(3, 4), false}, {rehearsedOf(2, 6), false}}, "list");
  EXPECT_EQ(
      toString(lookup->find(recordOf(1).problem, "h200")->record.schedule),
      toString(recordOf(3, 4).schedule));
  EXPECT_EQ(llvm::join(lookup->notices("h200"), "\n"),
            "list: not used: 1 rehearsed of h200, because builds use measured "
            "times alone");
  EXPECT_EQ(llvm::join(lookup->notices("h20"), "\n"),
            "list: expected measured records of h20, but got 1 measured of "
            "h200, 1 rehearsed of h200 alone");
}

} // namespace
