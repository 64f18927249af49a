//===- KernelQuestion.h - The question for a kernel -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every question is self-contained:
//
// | part      | from                                                         |
// |-----------|--------------------------------------------------------------|
// | task      | the form of an answer (KernelAnswer.h)                       |
// | problem   | its text, the schedule and the machine                       |
// | ops       | forms and summaries of the dialect's definitions, for ops of |
// |           | the kernel and those that may be added to it                 |
// | laws      | the faults that a proof finds                                |
// | waits     | of the best kernel, by role and barrier, in virtual time     |
// | rewrites  | those of the menu that apply to the best kernel              |
// | fastest   | the changes of the fastest kernels so far, with their times  |
// | refused   | changes of the last answer, with their messages              |
// | kernels   | the best of an island and another one, with their times      |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_KERNELQUESTION_H
#define HONE_TUNER_KERNELQUESTION_H

#include "hone/Tuner/Population.h"

namespace hone {

struct KernelFacts {
  const WholeKernelFile &start;
  const Problem &problem;
  const Arch &arch;
  llvm::ArrayRef<MemberPtr> parents, winners;
  llvm::ArrayRef<std::string> rewrites; ///< that apply to the first parent
  llvm::ArrayRef<std::string> refused;
};

std::string kernelSystemText();
std::string kernelQuestionText(const KernelFacts &facts);

/// Two pages at most: the ops that the kernel has, and those that any kernel of
/// roles and rings may have.
std::string opReference(llvm::StringRef kernel);

/// "12.34 us, 0.953 of the kernel that it began as", or "not timed".
std::string timeText(const KernelMember &member);

} // namespace hone

#endif // HONE_TUNER_KERNELQUESTION_H
