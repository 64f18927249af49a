//===- SourceAnswers.cpp - Answers of sources for one problem -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceAnswers.h.
//
//===----------------------------------------------------------------------===//

#include "SourceAnswers.h"

using namespace hone;

void SourceAnswers::askNext() {
  if (next == sources.size()) {
    ++next;
    answers.push_back(*DefaultSource().ask(problem, arch));
    return;
  }
  std::optional<Answer> answer = sources[next++]->ask(problem, arch);
  if (!answer)
    return;
  std::optional<std::string> law = check(*answer, &problem, &arch);
  if (!law)
    answers.push_back(std::move(*answer));
  else
    passedOver.push_back(answer->source + " proposes '" + answer->text() +
                         "', but " + *law);
}
