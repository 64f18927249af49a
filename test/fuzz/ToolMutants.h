//===- ToolMutants.h - Input files of hone-fuzz-tools -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that hone-fuzz-tools mutates, and the commands that read them. Each
// sort of file has valid seeds, a way to damage them, and command lines. In
// these FILE stands for the damaged file, HERE for the case's own folder and
// LINE for the words of the damaged file, one on each line.
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
  /// A case runs one of them.
  std::vector<std::vector<std::string>> commands;
  /// True if the file is read from standard input as well.
  bool isInput = false;
  /// True if some of the commands may take long for good reason: cases that end
  /// at the time limit are counted apart.
  bool mayTakeLong = false;
  /// Further files in HERE, by name.
  std::vector<std::pair<std::string, std::string>> beside = {};
  /// The name of the damaged file.
  std::string file = "file";
};

/// Every sort of file that a command reads. `folder` receives further files
/// that commands need; `seeds` is a folder of more modules, or empty.
std::vector<FileSort> allSorts(const std::string &folder,
                               const std::string &seeds);

/// Kernels as hone-build-kernel prints them: of drawn matmuls, of all kinds.
std::vector<std::string> kernelSeeds(size_t count);
/// Input of `hone rewrite --kernel`: a class of problems and its schedule.
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
/// One command line for each command, with options from its help.
std::vector<std::string> lineSeeds(const std::string &folder);

/// `hone` or `hone-opt` in this process; the status it would exit with.
int runHere(llvm::ArrayRef<llvm::StringRef> words);

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_TOOLMUTANTS_H
