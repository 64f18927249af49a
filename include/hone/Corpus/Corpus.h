//===- Corpus.h - A corpus of matrix products -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same products as linalg, kernel IR, PTX, LLVM IR and C: chooses schedules
// for problems, makes each distinct kernel once on all cores, then each problem's
// texts, and writes the pairs that pass all checks.
//
//   CorpusOptions options;
//   options.problems.shapes = "shapes.txt";
//   options.output = "corpus";
//   auto counts = writeCorpus(options);
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CORPUS_CORPUS_H
#define HONE_CORPUS_CORPUS_H

#include "hone/Bench/ProblemChoice.h"
#include "hone/Corpus/CorpusFiles.h"

namespace hone {

struct CorpusOptions {
  ProblemChoice problems;
  std::string output; ///< a folder
  std::string arch = "h200", compiler = "cc";
  int64_t schedules = 4; ///< of each problem
  int64_t jobs = 0;      ///< threads; 0: one for every core
};

/// Products that are left out are reported on standard error.
llvm::Expected<CorpusCounts> writeCorpus(CorpusOptions options);

} // namespace hone

#endif // HONE_CORPUS_CORPUS_H
