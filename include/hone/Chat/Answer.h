//===- Answer.h - Schedules out of an answer --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a language model says is text that nobody vouches for. All that is taken
// from it are schedules, and of these only such as keep every law for the
// problem and the arch; each is read by the same parser as any other, printed
// and read back. Whatever else stands there is not looked at, let alone obeyed.
//
// | in the answer                            | becomes                        |
// |------------------------------------------|--------------------------------|
// | JSON as Grammar.h says                   | its schedules                  |
// | a bare array of schedules                | the same                       |
// | either one with thoughts, prose or a     | the same                       |
// | fence of code around it                  |                                |
// | JSON that breaks off                     | the schedules before that      |
// | a schedule that is unknown or illegal    | refused, with the reason       |
// | the same schedule twice                  | one                            |
// | a decision that has nothing to decide    | as usual (law 4)               |
// | a decision that is not there, or null    | as usual                       |
// | more schedules than were asked for       | the first so many              |
// | no schedule at all                       | an error                       |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_ANSWER_H
#define HONE_CHAT_ANSWER_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// What a schedule must be to be taken.
struct AnswerTerms {
  const Problem &problem;
  const Arch &arch;
  Kinds kinds = allKinds();
  size_t most = 16;
};

/// What was no schedule, or is none for this problem.
struct Refusal {
  std::string text;   ///< printable and short
  std::string reason; ///< one line
};

/// What is left of an answer.
struct Suggestions {
  std::string plan; ///< printable and short; for people
  std::vector<Schedule> schedules;
  std::vector<Refusal> refused;
  size_t surplus = 0; ///< schedules that were not looked at
};

/// Never fails on single schedules: an error says that there was none.
llvm::Expected<Suggestions> parseAnswer(llvm::StringRef text,
                                        const AnswerTerms &terms);

/// At most `most` bytes of `text` on one line, without what a terminal obeys.
std::string printable(llvm::StringRef text, size_t most);

} // namespace hone

#endif // HONE_CHAT_ANSWER_H
