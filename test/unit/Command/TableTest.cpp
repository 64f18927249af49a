//===- TableTest.cpp - Tests of tables ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table as text, JSON and CSV.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Table.h"
#include "gtest/gtest.h"

using namespace hone;

TEST(Table, NumbersAreSetToTheRight) {
  Table table({"name", "us"});
  table.addRow({"a", "3.5"});
  table.addRow({"longer", "12.25"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_EQ(text, "name       us\n"
                  "a         3.5\n"
                  "longer  12.25\n");
}

TEST(Table, TakesAColumnOfEqualCells) {
  Table table({"types", "name", "us"});
  EXPECT_EQ(table.takeConstant("types"), "");
  table.addRow({"f16", "a", "1"});
  table.addRow({"f16", "b", "1"});
  EXPECT_EQ(table.takeConstant("name"), "");
  EXPECT_EQ(table.takeConstant("layout"), "");
  EXPECT_EQ(table.takeConstant("types"), "f16");
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_EQ(text, "name  us\n"
                  "a      1\n"
                  "b      1\n");
}

TEST(Table, CellsThatAreNumbersAreNumbersInJson) {
  Table table({"name", "us"});
  table.addRow({"a", "3.5"});
  const llvm::json::Value json = table.toJson();
  const llvm::json::Object &row = *json.getAsArray()->front().getAsObject();
  EXPECT_EQ(row.getString("name"), "a");
  EXPECT_EQ(row.getNumber("us"), 3.5);
}

TEST(Csv, CellsSurviveALine) {
  std::vector<std::string> cells = {"plain", "a,b", "say \"no\"", ""};
  EXPECT_EQ(csvLine(cells), "plain,\"a,b\",\"say \"\"no\"\"\",");
  EXPECT_EQ(csvCells(csvLine(cells)), cells);
}
