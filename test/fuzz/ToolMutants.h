//===- ToolMutants.h - Files that the tool is given -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hone-fuzz-tools mutates and which commands read it: each sort of file
// has seeds that are good, a way to damage them, and command lines in which
// FILE stands for the damaged one and HERE for a folder of the case's own.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_TOOLMUTANTS_H
#define HONE_TEST_FUZZ_TOOLMUTANTS_H

#include "Fuzz.h"
#include <functional>
#include <vector>

namespace hone::fuzz {

struct FileSort {
  std::string name;
  std::vector<std::string> seeds;
  std::function<std::string(llvm::StringRef seed, Random &)> damage;
  /// One of them is run on a case.
  std::vector<std::vector<std::string>> commands;
  /// Read from standard input as well.
  bool isInput = false;
};

/// Every sort of file that a command reads. `folder` gets files that commands
/// need beside the damaged one.
std::vector<FileSort> allSorts(const std::string &folder);

/// A text with one of its numbers replaced by one that is at an end of a range.
std::string withOtherNumber(llvm::StringRef text, Random &random);
/// Bytes with a few bits flipped, a piece gone, doubled or overwritten.
std::string withOtherBytes(llvm::StringRef bytes, Random &random);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_TOOLMUTANTS_H
