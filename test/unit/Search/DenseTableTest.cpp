//===- DenseTableTest.cpp - Tests of tables of recorded times -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table's times are for lines of some alignment. A policy trained on a table
// later uses the same alignment.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/CostFit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace hone;

namespace {

constexpr const char *kPairs =
    R"(m,n,k,layout,types,schedule,estimate_us,us,status,remark
64,50,27,nn,f16:f16,"mma_sync, tile = 64x64x64",,3.5,ok,
64,50,27,nn,f16:f16,"mma_sync, tile = 64x32x64",,,compile-error,spills
64,50,27,nn,f16:f16,"mma_sync, tile = 32x32x64",,,timeout,
)";
constexpr const char *kPadded = "schedule;nt f16:f16 padded;64x50x27;64x64x64\n"
                                "mma_sync, tile = 64x64x64;;2.5;7.5\n";

TEST(DenseTable, LinesAreAlignedAsTheyLie) {
  DenseTable table = llvm::cantFail(parseDenseTable(kPairs));
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0].problem.a.align, 2);
  EXPECT_EQ(table[0].problem.b.align, 4);
  EXPECT_EQ(table[0].problem.alignC, 4);
}

TEST(DenseTable, WhatAnAssemblerRefusedHasNoTime) {
  DenseTable table = llvm::cantFail(parseDenseTable(kPairs));
  ASSERT_EQ(table[0].schedules.size(), 1u);
  EXPECT_DOUBLE_EQ(table[0].seconds[0], 3.5e-6);
  ASSERT_EQ(table[0].refused.size(), 1u);
  EXPECT_EQ(
      toString(table[0].refused[0]),
      toString(llvm::cantFail(parseSchedule("mma_sync, tile = 64x32x64"))));
}

/// A table states that lines are padded, and keeps that when written.
TEST(DenseTable, PaddedLinesAreWhole) {
  DenseTable table = llvm::cantFail(parseDenseTable(kPadded));
  ASSERT_EQ(table.size(), 2u);
  for (const DenseShape &shape : table) {
    EXPECT_EQ(shape.problem.a.align, kBestAlign);
    EXPECT_EQ(shape.problem.alignC, kBestAlign);
  }
  std::string text = llvm::cantFail(denseTableText(table));
  EXPECT_TRUE(llvm::StringRef(text).starts_with("schedule;nt f16:f16 padded;"));
  DenseTable again = llvm::cantFail(parseDenseTable(text));
  EXPECT_EQ(again[0].problem.str(), table[0].problem.str());
}

TEST(DenseTable, UnpacksWhatIsPacked) {
  namespace zstd = llvm::compression::zstd;
  if (!zstd::isAvailable())
    GTEST_SKIP() << "this build of LLVM has no zstd";
  llvm::SmallVector<uint8_t, 0> packed;
  zstd::compress(llvm::arrayRefFromStringRef(kPairs), packed);
  llvm::SmallString<128> path;
  int file;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("table", "csv.zst", file, path));
  auto write = [&](llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    ASSERT_FALSE(error);
  };
  write(llvm::toStringRef(packed));
  DenseTable table = llvm::cantFail(readDenseTable(path.str().str()));
  EXPECT_EQ(table.size(), 1u);
  write("these are no frames of zstd");
  auto broken = readDenseTable(path.str().str());
  ASSERT_FALSE(broken);
  EXPECT_NE(llvm::toString(broken.takeError())
                .find("expected a file of times packed by zstd, but got"),
            std::string::npos);
  llvm::sys::fs::remove(path);
}

} // namespace
