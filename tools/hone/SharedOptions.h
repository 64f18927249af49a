//===- SharedOptions.h - Options of several commands ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_SHAREDOPTIONS_H
#define HONE_TOOLS_SHAREDOPTIONS_H

#include "hone/Command/Options.h"
#include "hone/Plugin/Route.h"
#include "hone/Tuner/Llm.h"

namespace hone {

/// Adds all but the arch and the ranges.
void addOptions(OptionList &list, PipelineChoice &choice,
                bool isFileNeeded = true);
/// Adds the endpoint of a language model, and its limits.
void addOptions(OptionList &list, LlmOptions &llm);

} // namespace hone

#endif // HONE_TOOLS_SHAREDOPTIONS_H
