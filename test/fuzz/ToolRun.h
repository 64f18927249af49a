//===- ToolRun.h - One case of hone-fuzz-tools ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is drawn from its number alone, and run in a child.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_FUZZ_TOOLRUN_H
#define HONE_TEST_FUZZ_TOOLRUN_H

#include "ToolMutants.h"

namespace hone::fuzz {

/// The command of a case, and the bytes of its file.
struct ToolCase {
  int64_t number;
  const FileSort *sort;
  std::vector<std::string> command;
  std::string bytes;
};

/// Sorts take turns, so that each gets its share of any number of cases.
/// An intact case has an undamaged seed.
ToolCase drawCase(const std::vector<FileSort> &sorts, int64_t seed,
                  int64_t number, bool isIntact);

struct ToolRun {
  std::string folder;        ///< each case has one of its own in it
  std::string hone, honeOpt; ///< programs to start; empty for this process
  int64_t memory = 4096;     ///< MiB of addresses
  int64_t timeout = 60;
  int64_t intact = 0; ///< 1: nothing is damaged, to see that seeds are good

  /// Runs in a child. True if the command ended with a documented status.
  bool run(const ToolCase &each) const;
  void remove(const ToolCase &each) const;

private:
  std::string folderOf(const ToolCase &each) const;
  int start(const std::string &program,
            llvm::ArrayRef<std::string> words) const;
};

} // namespace hone::fuzz

#endif // HONE_TEST_FUZZ_TOOLRUN_H
