//===- LlmHints.h - Known and expected fast schedules -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that a question to a language model shows in addition to the cost
// model's: the fastest of similar problems, out of the shipped measurements,
// and those that the trained model expects to be fastest.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_LLMHINTS_H
#define HONE_TUNER_LLMHINTS_H

#include "hone/Chat/Prompt.h"

namespace hone {

/// Legal schedules, the most relevant first; none twice. Extents are known.
std::vector<PromptHint> hintsFor(const Problem &problem, const Arch &arch);

} // namespace hone

#endif // HONE_TUNER_LLMHINTS_H
