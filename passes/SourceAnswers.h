//===- SourceAnswers.h - Answers of sources for one problem -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_SOURCEANSWERS_H
#define HONE_PASSES_SOURCEANSWERS_H

#include "hone/Schedule/ScheduleSource.h"
#include "passes/Passes.h"

namespace hone {

/// The sources' answers for one problem. Sources are queried one by one, only
/// as far as needed, and once for all ops that have the same problem.
class SourceAnswers {
public:
  SourceAnswers(const ScheduleSources &sources, Problem problem, Arch arch)
      : sources(sources), problem(std::move(problem)), arch(std::move(arch)) {}

  /// The legal answer with this number, or null. The default is the last, and
  /// may be illegal.
  const Answer *get(size_t number) {
    while (answers.size() <= number && next <= sources.size())
      askNext();
    return number < answers.size() ? &answers[number] : nullptr;
  }
  bool wasAsked() const { return next > 0; }
  const Arch &getArch() const { return arch; }
  /// The answers that were rejected, with the reasons.
  llvm::ArrayRef<std::string> getPassedOver() const { return passedOver; }

private:
  void askNext();

  const ScheduleSources &sources;
  Problem problem;
  Arch arch;
  size_t next = 0;
  std::vector<Answer> answers;
  std::vector<std::string> passedOver;
};

} // namespace hone

#endif // HONE_PASSES_SOURCEANSWERS_H
