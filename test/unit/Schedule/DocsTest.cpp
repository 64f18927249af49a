//===- DocsTest.cpp - Tests of docs/Schedule.md ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every law stands in the page's table, with its kind and its sentence, and
// every decision with the time at which it takes effect.
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
    std::string kind = law.kind.empty() ? "every" : law.kind;
    std::string row = "| schedule_c" + std::to_string(law.number) + " | " +
                      kind + " | " + law.statement.str() + " |\n";
    EXPECT_NE(page.find(row), std::string::npos)
        << "expected docs/Schedule.md to have the row " << row;
  }
  EXPECT_EQ(llvm::StringRef(page).count("\n| schedule_c"), laws().size())
      << "expected docs/Schedule.md to list no other laws";
}

TEST(Docs, ListEveryDecision) {
  std::string page = readPage();
  for (const Kind *kind : allKinds()) {
    llvm::StringRef rest = page;
    size_t start = rest.find(("| `" + kind->name + "` |").str());
    ASSERT_NE(start, llvm::StringRef::npos) << kind->name.str();
    rest = rest.drop_front(start);
    for (const Decision &decision : kind->decisions) {
      const char *when =
          decision.when == When::compileTime ? "compile time" : "run time";
      std::string cells = ("| " + decision.name + " | " + when + " |").str();
      size_t at = rest.find(cells);
      ASSERT_NE(at, llvm::StringRef::npos)
          << "expected docs/Schedule.md to list, in order, " << kind->name.str()
          << "'s " << cells;
      rest = rest.drop_front(at);
    }
  }
}

TEST(Docs, ListEverySpelling) {
  std::string page = readPage();
  for (const Kind *kind : allKinds())
    for (const Spelling &spelling : kind->spellings) {
      std::string row =
          ("| `" + spelling.name + "` | `" + spelling.decisions + "` |").str();
      EXPECT_NE(page.find(row), std::string::npos)
          << "expected docs/Schedule.md to have the row " << row;
    }
}
