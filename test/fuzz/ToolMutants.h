//===- ToolMutants.h - Files that the tool is given -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hone-fuzz-tools mutates and which commands read it: each sort of file
// has seeds that are good, a way to damage them, and command lines in which
// FILE stands for the damaged one, HERE for the case's own folder and LINE for
// the words of the damaged file, one on each line.
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
  /// Some of the commands are long ones that somebody may want: what ends at
  /// the limit of time is counted apart.
  bool mayTakeLong = false;
  /// Files in HERE beside the damaged one, by name.
  std::vector<std::pair<std::string, std::string>> beside = {};
  /// The name of the damaged file.
  std::string file = "file";
};

/// Every sort of file that a command reads. `folder` gets files that commands
/// need beside the damaged one; `seeds` is a folder of more modules, or empty.
std::vector<FileSort> allSorts(const std::string &folder,
                               const std::string &seeds);

/// Kernels as hone-build-kernel prints them: of drawn matmuls, of all kinds.
std::vector<std::string> kernelSeeds(size_t count);
/// What `hone rewrite --kernel` takes: a class of problems and its schedule.
std::vector<std::string> wholeSeeds();
/// Modules with matmuls, and those in `folder` if there is one.
std::vector<std::string> moduleSeeds(const std::string &folder);
std::string bytecodeOf(llvm::StringRef text);
std::vector<std::string> weightSeeds();
std::vector<std::string> treeSeeds();
/// Conversations of the worker protocol.
std::vector<std::string> frameSeeds();
std::string databaseSeed(const std::string &folder);
/// The records of the database, as lines of JSON and as a tuning file.
std::string jsonSeed();
std::string tuningSeed();
/// A small table as `hone bench gemm --candidates-csv` writes it, and rows as
/// `--csv` does.
std::string tableSeed();
std::string rowSeed();
/// One command line for each command, with options that its help has.
std::vector<std::string> lineSeeds(const std::string &folder);

/// `hone` or `hone-opt` in this process; the status it would exit with.
int runHere(llvm::ArrayRef<llvm::StringRef> words);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_TOOLMUTANTS_H
