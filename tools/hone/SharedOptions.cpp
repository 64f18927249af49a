//===- SharedOptions.cpp - Options of several commands --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SharedOptions.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/SharedOptions.h"
#include "tools/hone/OptionChecks.h"

using namespace hone;

void hone::addOptions(OptionList &list, PipelineChoice &choice,
                      bool isFileNeeded) {
  list.positional("FILE", choice.file, "a module; - is standard input",
                  isFileNeeded);
  list.add("schedule", "TEXT", choice.schedule,
           "schedule, e.g. 'mma_sync, stages = 3'; default: a build's choice",
           checkSchedule);
  list.add("database", "FILE", choice.database,
           "database or tuning file, as in a build");
  list.add("pipeline", "TEXT", choice.pipeline,
           "more options of hone-pipeline, e.g. 'f32=tf32x3'", checkPipeline);
}

void hone::addOptions(OptionList &list, LlmOptions &llm) {
  list.add("llm-url", "URL", llm.chat.url,
           "an OpenAI-compatible endpoint, .../v1, program:CMD or folder:DIR",
           checkUrl);
  list.add("llm-model", "NAME", llm.chat.model,
           "the endpoint's name for the model");
  list.add("llm-key-file", "FILE", llm.keyFile,
           "file with the key; default: HONE_LLM_KEY");
  list.add("llm-wait", "SECONDS", llm.chat.waitSeconds, /*unit=*/1,
           "time limit for one answer", /*min=*/0);
  list.add("llm-answer", "TOKENS", llm.chat.answerTokens,
           "maximum length of one answer");
  list.add("llm-calls", "N", llm.chat.limits.calls,
           "maximum number of requests");
  list.add("llm-tokens", "N", llm.chat.limits.tokens,
           "maximum number of tokens of all calls");
  list.add("llm-seconds", "N", llm.chat.limits.seconds,
           "maximum number of seconds of all calls");
  list.add("llm-dollars", "X", llm.chat.limits.dollars,
           "maximum cost of the run; needs --llm-price");
  list.add("llm-price", "IN:OUT", llm.price,
           "dollars for a million tokens of questions and answers");
  list.add("llm-record", "FILE", llm.chat.record,
           "append every question and answer to this file");
  list.add("llm-replay", "FILE", llm.chat.replay,
           "take answers from such a file");
}
