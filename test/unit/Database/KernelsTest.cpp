//===- KernelsTest.cpp - Tests of whole kernels in a database -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text is named by its hash, and a record counts only with its text.
//
//===----------------------------------------------------------------------===//

#include "DatabaseFixture.h"
#include "hone/Database/Lookup.h"

using namespace hone;
using namespace hone::test;

namespace {

const WholeKernel kKernel = WholeKernel::of("gpu.func @for_1() kernel {\n}");

/// Faster than any other record here, and it names a whole kernel.
Record recordOfKernel(const WholeKernel &kernel = kKernel) {
  Record record = recordOf(2);
  record.schedule =
      llvm::cantFail(withWholeKernel(record.schedule, kernel.name));
  return record;
}

bool isOfKernel(Database &database) {
  return wholeKernelOf(bestOf(database, kToday)->record.schedule).has_value();
}

TEST_F(DatabaseTest, KeepsKernelsByTheirContent) {
  Database database = openToWrite();
  EXPECT_FALSE(llvm::cantFail(database.kernel(kKernel.name)));
  llvm::cantFail(database.add({recordOf(3), recordOfKernel()}, {kKernel}));
  llvm::cantFail(database.add({}, {kKernel}));
  EXPECT_EQ(llvm::cantFail(database.kernel(kKernel.name)), kKernel.text);
  EXPECT_EQ(llvm::cantFail(database.kernelNames()).size(), 1u);
  EXPECT_TRUE(isOfKernel(database));
  EXPECT_TRUE(llvm::cantFail(database.verify()).empty());
}

TEST_F(DatabaseTest, RefusesATextOfAnotherName) {
  Database database = openToWrite();
  llvm::Error error =
      database.add({recordOf(3)}, {{kKernel.name, "another text"}});
  EXPECT_NE(
      llvm::toString(std::move(error)).find("expected the text of kernel"),
      std::string::npos);
  EXPECT_FALSE(bestOf(database, kToday)); // all or none
}

TEST_F(DatabaseTest, ARecordCountsWithItsKernelOnly) {
  llvm::cantFail(openToWrite().add({recordOf(3), recordOfKernel()}, {kKernel}));
  sql("UPDATE kernels SET text = text || ' '");
  Database database = openToWrite();
  EXPECT_FALSE(llvm::cantFail(database.kernel(kKernel.name)));
  EXPECT_FALSE(isOfKernel(database));
  auto faults = llvm::cantFail(database.verify());
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults.front().find("expected the text of kernel " + kKernel.name +
                                ", but got none that can be read"),
            std::string::npos)
      << faults.front();
  // Adding the text again repairs the database.
  llvm::cantFail(database.add({}, {kKernel}));
  EXPECT_TRUE(isOfKernel(database));
}

TEST_F(DatabaseTest, PrunesUnusedKernels) {
  WholeKernel other = WholeKernel::of("gpu.func @for_2() kernel {\n}");
  Database database = openToWrite();
  llvm::cantFail(
      database.add({recordOf(3), recordOfKernel()}, {kKernel, other}));
  llvm::cantFail(database.prune(1));
  EXPECT_EQ(llvm::cantFail(database.kernelNames()),
            std::vector<std::string>{kKernel.name});
}

/// A failed record is never an answer, so it needs no kernel.
TEST_F(DatabaseTest, AFailureNeedsNoKernel) {
  Record failed = failedRecord(Status::illegal, 4);
  failed.schedule = recordOfKernel().schedule;
  Database database = openToWrite();
  llvm::cantFail(database.add({failed}));
  EXPECT_TRUE(llvm::cantFail(database.verify()).empty());
}

/// Files of version 4 have no table of kernels.
TEST_F(DatabaseTest, ReadsFilesWithoutKernels) {
  llvm::cantFail(openToWrite().add({recordOf(3), recordOfKernel()}));
  sql("DROP TABLE kernels; PRAGMA user_version = 4");
  {
    Database before = llvm::cantFail(Database::open(path, Access::read));
    EXPECT_FALSE(llvm::cantFail(before.kernel(kKernel.name)));
    EXPECT_TRUE(llvm::cantFail(before.kernelNames()).empty());
    EXPECT_FALSE(isOfKernel(before));
  }
  Database database = openToWrite();
  llvm::cantFail(database.add({}, {kKernel}));
  EXPECT_TRUE(isOfKernel(database));
}

TEST_F(DatabaseTest, LookupsHaveKernels) {
  llvm::cantFail(openToWrite().add({recordOf(3), recordOfKernel()}, {kKernel}));
  auto lookup = llvm::cantFail(
      makeLookup(llvm::cantFail(Database::open(path, Access::read)), kToday));
  EXPECT_EQ(lookup->kernel(kKernel.name), kKernel.text);
  EXPECT_EQ(makeExactSource(lookup)->kernel(kKernel.name), kKernel.text);
  EXPECT_FALSE(lookup->kernel("k000000000000001"));
}

TEST(Kernels, AreLinesOfJson) {
  std::string line = toJson(kKernel);
  auto kernel = kernelFromJson(line);
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(llvm::cantFail(std::move(*kernel)).text, kKernel.text);
  EXPECT_FALSE(kernelFromJson(toJson(recordOf(3))).has_value());
  EXPECT_FALSE(kernelFromJson("{").has_value());
  for (const char *bad :
       {"{\"kernel\": 3, \"text\": \"\"}", "{\"kernel\": \"k\"}",
        "{\"kernel\": \"k000000000000001\", \"text\": \"\"}"}) {
    auto refused = kernelFromJson(bad);
    ASSERT_TRUE(refused.has_value()) << bad;
    EXPECT_FALSE(bool(*refused)) << bad;
    llvm::consumeError(refused->takeError());
  }
}

} // namespace
