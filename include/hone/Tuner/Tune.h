//===- Tune.h - Runs of hone tune -------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tune.cpp makes the options from a command line, TuneRun.cpp runs them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNE_H
#define HONE_TUNER_TUNE_H

#include "hone/Bench/ProblemChoice.h"
#include "hone/Search/Search.h"
#include "hone/Tuner/Llm.h"

namespace hone {

struct TuneRequest {
  ProblemChoice problems;
  SearchOptions search;
  LlmOptions llm;
  std::string arch = "native", device, database, emit, worker, rehearse, replay;
  std::string pipeline; ///< options that matmuls of a module are found with
  std::string part;     ///< "2/8": the problems of one of several workers
  std::string report;   ///< a page that is written as results come
  std::string kernel;   ///< a file with a kernel of one's own
  std::string weights, trees; ///< files of hone train; empty: built in
  int64_t seconds = 0, jobs = 0, memory = 12 << 10, patience = 30, rounds = 9;
  int64_t between = 16; ///< max values of an extent beyond the ladder's
  bool json = false;
};

/// The policy that uses a language model.
constexpr llvm::StringLiteral kChatPolicy = "chat";

/// Returns the exit status.
llvm::Expected<int> runTune(TuneRequest options);

} // namespace hone

#endif // HONE_TUNER_TUNE_H
