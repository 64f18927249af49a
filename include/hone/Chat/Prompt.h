//===- Prompt.h - The question to a language model --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every question is self-contained: of earlier questions it contains only the
// results. It has
//
// | part      | from                                                         |
// |-----------|--------------------------------------------------------------|
// | machine   | the arch's limits and rates                                  |
// | kinds     | decisions and laws of those that can run it (Brief.h) and    |
// |           | whose best estimate is near the best                         |
// | problem   | its text, with operations, bytes and roofline                |
// | model     | the cost model's best of different tiles, with its terms     |
// |           | and the resources that they take                             |
// | hints     | fast schedules of similar problems, and others' predictions  |
// | measured  | the best, some middling, the worst: times over the best      |
// | failed    | causes (Cause.h), with their number and an example           |
// | refused   | schedules of the last answer and the laws that they break    |
// | task      | the number of schedules, and the criteria of a good set      |
//
// The parts that differ between rounds come last, so that a server can keep
// its state after the others.
//
// Times are rounded, so that insignificant differences give the same question
// (Transcript.h).
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

/// A schedule from another source than this search.
struct PromptHint {
  Schedule schedule;
  std::string origin; ///< "fastest for m = 1024, n = 1024, k = 4096"
};

struct PromptFacts {
  const Problem &problem; ///< its extents are known
  const Arch &arch;
  Kinds kinds; ///< that can run it
  llvm::ArrayRef<Attempted> tried;
  llvm::ArrayRef<Refusal> refused;
  size_t wanted = 8; ///< schedules
  Within isWithin;   ///< of the cost model's best, those that may be proposed
  llvm::ArrayRef<PromptHint> hints = {};
};

/// The system message.
std::string systemText();
/// The part of a question that is the same in every round about a problem:
/// servers keep it. It takes most of the time.
std::string questionStart(const PromptFacts &facts);
/// The rest: results, refusals and the task.
std::string questionEnd(const PromptFacts &facts);

} // namespace hone

#endif // HONE_CHAT_PROMPT_H
