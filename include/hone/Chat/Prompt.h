//===- Prompt.h - What a language model is told -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question stands for itself: nothing is left of the ones before but what
// they led to. It has
//
// | part      | from                                                         |
// |-----------|--------------------------------------------------------------|
// | problem   | its text, and what it amounts to: operations, bytes, roofline|
// | machine   | the arch's limits and rates                                  |
// | decisions | the table of kinds, those that can run it (Grammar.h)        |
// | laws      | their statements                                             |
// | model     | the default and the cost model's best, with the model's terms|
// | measured  | the best, some middling, the worst: times over the best      |
// | failed    | how, and how often, with an example                          |
// | refused   | what of the last answers broke which law                     |
// | task      | how many schedules, and what makes a good set                |
//
// What it says of times is rounded, so that a difference nobody can see asks
// the same question (Transcript.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_PROMPT_H
#define HONE_CHAT_PROMPT_H

#include "hone/Chat/Answer.h"
#include "hone/Search/Policy.h"

namespace hone {

struct Attempted {
  Schedule schedule;
  Measurement result;
};

struct PromptFacts {
  const Problem &problem; ///< its extents are known
  const Arch &arch;
  Kinds kinds; ///< that can run it
  llvm::ArrayRef<Attempted> tried;
  llvm::ArrayRef<Refusal> refused;
  size_t wanted = 8; ///< schedules
  Within isWithin;   ///< of the cost model's best, those that may be proposed
};

/// Who is asked.
std::string systemText();
/// What is asked.
std::string questionText(const PromptFacts &facts);

} // namespace hone

#endif // HONE_CHAT_PROMPT_H
