//===- VerdictFileTest.cpp - Tests of files of verdicts -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concurrent writers, and damaged files.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/VerdictFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>
#include <thread>

using namespace hone::simulate;

namespace {
struct VerdictFileTest : testing::Test {
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("hone-verdicts", made));
    folder = made.str().str();
    path = VerdictFile::beside(folder + "/db");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string read() {
    return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
  }
  void write(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error);
  }

  std::string folder, path;
};
} // namespace

static std::string digestOf(int number) {
  llvm::SHA256 hash;
  hash.update(std::to_string(number));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

static void add(VerdictFile &file, int number) {
  if (llvm::Error error = file.add(digestOf(number)))
    FAIL() << llvm::toString(std::move(error));
}

TEST_F(VerdictFileTest, KeepsWhatIsAdded) {
  VerdictFile file(path);
  EXPECT_FALSE(file.contains(digestOf(1)));
  add(file, 1);
  add(file, 1);
  VerdictFile again(path);
  EXPECT_EQ(again.complaint(), "");
  EXPECT_TRUE(again.contains(digestOf(1)));
  EXPECT_FALSE(again.contains(digestOf(2)));
  EXPECT_EQ(read(), "hone-verdicts 1\nproven " + digestOf(1) + "\n");
}

TEST_F(VerdictFileTest, WithoutAPathKeepsNothing) {
  VerdictFile file(VerdictFile::beside(""));
  add(file, 1);
  EXPECT_FALSE(file.contains(digestOf(1)));
}

TEST_F(VerdictFileTest, ManyWritersLoseNothing) {
  constexpr int kWriters = 8, kEach = 50;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      VerdictFile file(path);
      for (int i = 0; i < kEach; ++i)
        add(file, writer * kEach + i);
    });
  for (std::thread &writer : writers)
    writer.join();
  VerdictFile file(path);
  EXPECT_EQ(file.complaint(), "");
  for (int i = 0; i < kWriters * kEach; ++i)
    EXPECT_TRUE(file.contains(digestOf(i))) << i;
}

TEST_F(VerdictFileTest, HalfALineEndsWhereTheNextWriterBegins) {
  write("hone-verdicts 1\nproven 12");
  VerdictFile file(path);
  EXPECT_NE(file.complaint(), "");
  add(file, 1);
  EXPECT_TRUE(VerdictFile(path).contains(digestOf(1)));
}

TEST_F(VerdictFileTest, DamageMakesNothingUp) {
  VerdictFile good(path);
  constexpr int kVerdicts = 5;
  for (int i = 0; i < kVerdicts; ++i)
    add(good, i);
  const std::string text = read();
  std::mt19937 engine(1);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 4; ++i)
      damaged[engine() % damaged.size()] = char(engine());
    damaged.resize(engine() % (damaged.size() + 1));
    write(damaged);
    VerdictFile file(path);
    // A verdict that is read is one that was written, and complete. A killed
    // writer may have left a part of the header.
    std::string first = damaged.substr(0, damaged.find('\n'));
    bool isOurs = first.rfind("hone-", 0) == 0 &&
                  std::string("hone-verdicts 1").rfind(first, 0) == 0;
    for (int i = 0; i < kVerdicts; ++i)
      EXPECT_EQ(file.contains(digestOf(i)),
                isOurs &&
                    (damaged + "\n").find("\nproven " + digestOf(i) + "\n") !=
                        std::string::npos);
    EXPECT_FALSE(file.contains(digestOf(kVerdicts)));
  }
}

TEST_F(VerdictFileTest, MissingFilesAreIgnored) {
  ASSERT_FALSE(llvm::sys::fs::create_directory(path));
  VerdictFile file(path);
  EXPECT_NE(file.complaint().find("expected a file of verdicts"),
            std::string::npos);
  add(file, 1);
  EXPECT_TRUE(VerdictFile(path).complaint() == file.complaint());
}

TEST_F(VerdictFileTest, WhatIsSomethingElseIsNotTouched) {
  for (llvm::StringRef text :
       {"Dear diary,\n", "proven by hand\n", "\n", "hone-verdicts 2\n"}) {
    write(text);
    VerdictFile file(path);
    EXPECT_NE(file.complaint().find("it is ignored"), std::string::npos);
    add(file, 1);
    EXPECT_EQ(read(), text);
  }
}

TEST_F(VerdictFileTest, ALinkIsNotFollowed) {
  std::string victim = folder + "/victim";
  write("");
  ASSERT_FALSE(llvm::sys::fs::rename(path, victim));
  ASSERT_FALSE(llvm::sys::fs::create_link(victim, path));
  VerdictFile file(path);
  add(file, 1);
  uint64_t size = 1;
  ASSERT_FALSE(llvm::sys::fs::file_size(victim, size));
  EXPECT_EQ(size, 0u);
}
