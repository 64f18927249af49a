//===- DocsTest.cpp - Tests of docs/Schedule.md ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every law stands in the list of its kind, and every decision in the table of
// its kind, with `, at run time` where that is when it takes effect.
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

/// The rows of the table that has `head` above its first column.
static llvm::StringRef tableOf(llvm::StringRef page, const std::string &head) {
  size_t start = page.find("\n| " + head + " |");
  if (start == llvm::StringRef::npos)
    return "";
  page = page.drop_front(start + 1);
  return page.take_front(page.find("\n\n") + 1);
}

/// The list right below the title `title`.
static llvm::StringRef listOf(llvm::StringRef page, const std::string &title) {
  std::string start = "\n### " + title + "\n\n";
  size_t at = page.find(start);
  if (at == llvm::StringRef::npos)
    return "";
  page = page.drop_front(at + start.size());
  return page.take_front(page.find("\n\n") + 1);
}

TEST(Docs, ListEveryLaw) {
  std::string page = readPage();
  ASSERT_FALSE(page.empty());
  for (const LawInfo &law : laws()) {
    std::string title =
        law.kind.empty() ? "Laws of every kind" : "Laws of `" + law.kind + "`";
    std::string line = "- schedule_c" + std::to_string(law.number) + ": " +
                       law.statement.str() + "\n";
    EXPECT_TRUE(listOf(page, title).contains(line))
        << "expected docs/Schedule.md to have, below '" << title << "', "
        << line;
  }
  EXPECT_EQ(llvm::StringRef(page).count("\n- schedule_c"), laws().size())
      << "expected docs/Schedule.md to list no other laws";
}

TEST(Docs, ListEveryDecision) {
  std::string page = readPage();
  for (const Kind *kind : allKinds()) {
    llvm::StringRef rest =
        tableOf(page, ("`" + kind->name + "` | usual value").str());
    ASSERT_FALSE(rest.empty()) << kind->name.str();
    for (const Decision &decision : kind->decisions) {
      const char *when =
          decision.when == When::compileTime ? "" : ", at run time";
      std::string cell = ("\n| " + decision.name + when + " |").str();
      size_t at = rest.find(cell);
      ASSERT_NE(at, llvm::StringRef::npos)
          << "expected docs/Schedule.md to list, in order, " << kind->name.str()
          << "'s " << cell;
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
