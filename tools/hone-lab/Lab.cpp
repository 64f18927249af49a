//===- Lab.cpp - Commands of hone-lab -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lab.h.
//
//===----------------------------------------------------------------------===//

#include "Lab.h"
#include "hone/Command/Command.h"

using namespace hone;
using llvm::ArrayRef;
using llvm::StringRef;

int hone::runLab(ArrayRef<StringRef> args) {
  const Command commands[] = {
      {"fit",
       "fits the cost model to some candidates' times, and judges it by others",
       labFit},
      {"policies",
       "how soon searches find the best schedule of a table of times",
       labPolicies},
      {"unseen",
       "judges the choices of builds for unmeasured problems, by replay",
       labUnseen},
      {"ranges", "loss of a plan of a few kernels that picks by M", labRanges},
      {"picks", "choices of several databases for the same problems, in turns",
       labPicks},
      {"writing",
       "schedules written word by word: time of the mask, and their estimates",
       labWriting},
      {"clock", "effect of the GPU's clock on a comparison with cuBLASLt",
       labClock},
  };
  return runOneOf(commands, args,
                  {"hone-lab",
                   "Compares policies, models and plans by recorded "
                   "times.\n"
                   "Example: hone-lab fit "
                   "--candidates-csv=data/h200/dense.csv --judge",
                   ""});
}
