//===- SearchFixture.h - Fixture of a search and its database ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests of the search loop.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_SEARCH_SEARCHFIXTURE_H
#define HONE_TEST_SEARCH_SEARCHFIXTURE_H

#include "Fixtures.h"
#include "hone/Search/Search.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

namespace hone::test {

class SearchTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("hone-search", made));
    folder = made.str().str();
    database.emplace(
        llvm::cantFail(Database::open(folder + "/hone.db", Access::write)));
    options.policy = "model";
    options.trials = 10;
  }
  void TearDown() override {
    database.reset();
    llvm::sys::fs::remove_directories(folder);
  }

  std::vector<SearchResult> run(llvm::ArrayRef<Problem> problems) {
    return llvm::cantFail(
        Search(evaluator, &*database, options, hooks).run(problems));
  }
  SearchResult runOne() { return run({problem}).front(); }
  std::string errorOf(llvm::ArrayRef<Problem> problems) {
    auto results = Search(evaluator, &*database, options, hooks).run(problems);
    return results ? "" : llvm::toString(results.takeError());
  }
  std::vector<Record> stored() {
    std::vector<Record> records;
    llvm::cantFail(database->forEach(
        {}, [&](const Record &record) { records.push_back(record); }));
    return records;
  }
  std::string usual() { return toString(defaultSchedule(problem, h200())); }
  /// Moves stored records to the past, like those of another run.
  void age(int64_t seconds, std::optional<Toolchain> tools = std::nullopt) {
    std::vector<Record> records = stored();
    database.reset();
    llvm::sys::fs::remove(folder + "/hone.db");
    database.emplace(
        llvm::cantFail(Database::open(folder + "/hone.db", Access::write)));
    for (Record &record : records) {
      record.measuredAt -= seconds;
      if (tools)
        record.toolchain = *tools;
    }
    llvm::cantFail(database->add(records));
  }

  std::string folder;
  std::optional<Database> database;
  FakeEvaluator evaluator;
  SearchOptions options = [] {
    SearchOptions few;
    few.finalists = 2; // for kernels as long as these, four
    return few;
  }();
  SearchHooks hooks;
  Problem problem = problemOf(512, 512, 512);
};

} // namespace hone::test

#endif // HONE_TEST_SEARCH_SEARCHFIXTURE_H
