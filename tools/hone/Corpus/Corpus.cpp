//===- Corpus.cpp - hone corpus -------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a corpus (hone/Corpus/Corpus.h).
//
//===----------------------------------------------------------------------===//

#include "hone/Corpus/Corpus.h"
#include "hone/Command/Options.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::StringRef;

static llvm::Expected<int> run(CorpusOptions options) {
  auto counts = writeCorpus(std::move(options));
  if (!counts)
    return counts.takeError();
  llvm::outs() << llvm::formatv(
      "{0} pairs of {1} problems and {2} kernels; {3} duplicates, {4} left "
      "out\n",
      counts->pairs, counts->problems.size(), counts->kernels,
      counts->duplicates, counts->leftOut);
  return counts->pairs ? kExitSuccess : kExitFailure;
}

int hone::corpusCommand(llvm::ArrayRef<StringRef> args) {
  CorpusOptions options;
  OptionList list("hone corpus --problems=FILE --output=DIR [options]",
                  "Writes the same products as linalg, kernel IR, PTX, LLVM IR "
                  "and C, all checked.\n"
                  "Example: echo 64,96,128 > shapes.txt; hone corpus "
                  "--problems=shapes.txt -o corpus");
  list.add("problems", "FILE", options.problems.shapes,
           "M,N,K[,LAYOUT[,TYPES]] a line");
  list.add("layouts", "LAYOUT,...", options.problems.layouts,
           "of nn, nt, tn, tt");
  list.add("types", "A:C", options.problems.types, "of f16, bf16, f32");
  list.add("output", "DIR", options.output, "a folder that is new or empty");
  list.abbreviate('o', "output");
  list.add("schedules", "N", options.schedules, "of each problem");
  list.add("arch", "NAME", options.arch, "of the kernels", checkGpuArch);
  list.add("cc", "PROGRAM", options.compiler, "a C compiler");
  list.add("jobs", "N", options.jobs, "threads; one for every core");
  list.require("problems");
  list.require("output");
  return list.run(args, [&] { return run(std::move(options)); });
}
