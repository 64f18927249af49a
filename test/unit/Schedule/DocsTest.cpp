//===- DocsTest.cpp - docs/Schedule.md says what the code says ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every law stands in the page's table, with its family and its sentence, and
// every knob with the time at which it takes effect.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace hone;

static std::string readPage() {
  llvm::SmallString<128> path(HONE_SOURCE_DIR);
  llvm::sys::path::append(path, "docs", "Schedule.md");
  auto page = llvm::MemoryBuffer::getFile(path);
  return page ? (*page)->getBuffer().str() : "";
}

TEST(Docs, ListEveryLaw) {
  std::string page = readPage();
  ASSERT_FALSE(page.empty());
  for (const LawInfo &law : laws()) {
    std::string family = law.family.empty() ? "every" : law.family;
    std::string row = "| schedule_c" + std::to_string(law.number) + " | " +
                      family + " | " + law.statement.str() + " |\n";
    EXPECT_NE(page.find(row), std::string::npos)
        << "expected docs/Schedule.md to have the row " << row;
  }
  EXPECT_EQ(llvm::StringRef(page).count("\n| schedule_c"), laws().size())
      << "expected docs/Schedule.md to list no other laws";
}

TEST(Docs, ListEveryKnob) {
  std::string page = readPage();
  for (llvm::StringRef family : familyNames()) {
    llvm::StringRef rest = page;
    size_t start = rest.find(("| `" + family + "` |").str());
    ASSERT_NE(start, llvm::StringRef::npos) << family.str();
    rest = rest.drop_front(start);
    for (const KnobInfo &knob : knobsOf(llvm::cantFail(makeSchedule(family)))) {
      const char *when =
          knob.when == When::compileTime ? "compile time" : "run time";
      std::string cells = ("| " + knob.name + " | " + when + " |").str();
      size_t at = rest.find(cells);
      ASSERT_NE(at, llvm::StringRef::npos)
          << "expected docs/Schedule.md to list, in order, " << family.str()
          << "'s " << cells;
      rest = rest.drop_front(at);
    }
  }
}
