//===- FileTest.cpp - Tests of reading and writing whole files ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hone/Text/File.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace hone;

namespace {
struct FileTest : testing::Test {
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("hone-file", made));
    folder = made.str().str();
    path = folder + "/file";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  void write(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error);
  }
  std::string fault(const std::string &of, FileKind kind) {
    auto file = readFile(of, kind);
    return file ? "read" : llvm::toString(file.takeError());
  }

  static constexpr FileKind kNote = {"a note", 8};
  std::string folder, path;
};
} // namespace

TEST_F(FileTest, WhatFitsIsRead) {
  for (llvm::StringRef text : {"", "note", "12345678"}) {
    write(text);
    auto file = llvm::cantFail(readFile(path, kNote));
    EXPECT_EQ(file->getBuffer(), text);
    EXPECT_EQ(*file->getBufferEnd(), '\0');
    EXPECT_EQ(llvm::cantFail(readStart(path, "a note", 4)), text.take_front(4));
  }
}

TEST_F(FileTest, WhatIsLargerIsRefusedByItsSize) {
  write("123456789");
  EXPECT_EQ(fault(path, kNote),
            "expected a note of at most 8 bytes, but got '" + path +
                "': it has 9 bytes");
  // Twenty gigabytes without a block on the disk.
  ASSERT_EQ(::truncate(path.c_str(), off_t(20) << 30), 0);
  EXPECT_EQ(fault(path, {"a note", 2 * kMiB}),
            "expected a note of at most 2 MiB, but got '" + path +
                "': it has 20480 MiB");
  EXPECT_EQ(llvm::cantFail(readStart(path, "a note", 4)), "1234");
}

TEST_F(FileTest, OtherFilesAreRefusedWithoutWaiting) {
  EXPECT_EQ(fault(folder, kNote),
            "expected a note, but got '" + folder + "': a folder");
  EXPECT_EQ(fault("/dev/zero", kNote),
            "expected a note, but got '/dev/zero': a device");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(fault(path, kNote),
            "expected a note, but got '" + path + "': a pipe");
  EXPECT_EQ(llvm::toString(requireRegularOrNew(path, "a note")),
            "expected a note, but got '" + path + "': a pipe");
  EXPECT_EQ(fault(path + "s", kNote), "expected a note, but got '" + path +
                                          "s': No such file or directory");
  llvm::cantFail(requireRegularOrNew(path + "s", "a note"));
}

TEST_F(FileTest, BytecodeIsRefusedUnlessItIsMeant) {
  write("ML\xefR\x06");
  EXPECT_NE(fault(path, kNote).find("expected text, but got MLIR bytecode"),
            std::string::npos);
  EXPECT_EQ(fault(path, kNote.withBytecode()), "read");
}

TEST_F(FileTest, AFileIsWrittenAsAWhole) {
  write("before");
  // A link at a predictable temporary name must not redirect the write.
  std::string victim = folder + "/victim";
  ASSERT_FALSE(llvm::sys::fs::create_link(victim, path + ".part"));
  llvm::cantFail(writeFile(path, "after"));
  EXPECT_EQ(llvm::cantFail(readFile(path, kNote))->getBuffer(), "after");
  EXPECT_FALSE(llvm::sys::fs::exists(victim));
  llvm::cantFail(requireWritable(path));
  EXPECT_EQ(llvm::cantFail(readFile(path, kNote))->getBuffer(), "after");
  std::string nowhere = folder + "/none/file";
  EXPECT_NE(llvm::toString(requireWritable(nowhere)).find(nowhere),
            std::string::npos);
  EXPECT_NE(llvm::toString(writeFile(nowhere, "after")).find(nowhere),
            std::string::npos);
}
