//===- Answer.h - Schedules from an answer ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of a language model is untrusted text. This only extracts
// schedules that keep every law for the problem and the arch; each is read by
// the usual parser, printed and read back. All other text is ignored.
//
// | in the answer                            | result                         |
// |------------------------------------------|--------------------------------|
// | JSON in the form of Grammar.h            | its schedules                  |
// | a bare array of schedules                | the same                       |
// | either one with thoughts, prose or a     | the same                       |
// | fence of code around it                  |                                |
// | JSON that breaks off                     | the schedules before that      |
// | an object of decisions with a "kind"     | the schedule                   |
// | a schedule that is unknown or illegal    | refused, with the reason       |
// | the same schedule twice                  | one                            |
// | a decision that does not matter (law 4)  | has its usual value            |
// | a decision that is missing, or null      | has its usual value            |
// | more schedules than requested            | the first ones, up to `max`   |
// | no schedule at all                       | an error                       |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_ANSWER_H
#define HONE_CHAT_ANSWER_H

#include "hone/Schedule/Schedule.h"

namespace hone {

/// The terms that a schedule must meet.
struct AnswerTerms {
  const Problem &problem;
  const Arch &arch;
  Kinds kinds = allKinds();
  size_t max = 16;
};

/// Text that is not a schedule, or a schedule that is illegal for this problem.
struct Refusal {
  std::string text;   ///< printable and short
  std::string reason; ///< one line
  /// The schedule, if the text is one that only breaks a law.
  std::optional<Schedule> schedule = std::nullopt;
};

/// The parsed answer.
struct Suggestions {
  std::string plan; ///< printable and short; for users
  std::vector<Schedule> schedules;
  std::vector<Refusal> refused;
  size_t surplus = 0; ///< schedules that were ignored
};

/// An error only if there is no schedule at all; single bad schedules are
/// refused.
llvm::Expected<Suggestions> parseAnswer(llvm::StringRef text,
                                        const AnswerTerms &terms);

/// The text after a model's printed reasoning: drafts are not an answer.
llvm::StringRef afterThoughts(llvm::StringRef text);

/// At most `max` bytes of `text` on one line, without control characters.
std::string printable(llvm::StringRef text, size_t max);

} // namespace hone

#endif // HONE_CHAT_ANSWER_H
