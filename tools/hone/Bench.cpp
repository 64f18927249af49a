//===- Bench.cpp - hone bench ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the benchmark.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Options.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;

static constexpr llvm::StringLiteral kHelp =
    R"(usage: hone bench NAME [options]

Measures; each prints a median and its spread.

  launch    host time of one launch and its end, beside cuBLASLt
  gemm      GPU and wall time of many matmuls, beside cuBLASLt
  summary   the summary of a file that gemm wrote
  fit       the cost model, fitted to candidates' times, and judged by others
  policies  how soon searches find the best of a table of times
  unseen    what builds get for problems that nobody measured, by replay
  ranges    what a plan of a few kernels loses that picks by M
  picks     what several databases chose for the same, in turns
  clock     what the GPU's clock does to a comparison with cuBLASLt
  error     how far from f64 products are, beside cuBLASLt's
  host      CPU time of matmuls, beside OpenBLAS

`hone bench NAME --help` lists a benchmark's options.
)";

int hone::benchCommand(llvm::ArrayRef<llvm::StringRef> args) {
  llvm::StringRef name = args.empty() ? "" : args.front();
  llvm::ArrayRef<llvm::StringRef> rest =
      args.empty() ? args : args.drop_front();
  if (name == "launch")
    return benchLaunch(rest);
  if (name == "gemm")
    return benchGemm(rest);
  if (name == "summary")
    return benchSummary(rest);
  if (name == "fit")
    return benchFit(rest);
  if (name == "policies")
    return benchPolicies(rest);
  if (name == "unseen")
    return benchUnseen(rest);
  if (name == "ranges")
    return benchRanges(rest);
  if (name == "picks")
    return benchPicks(rest);
  if (name == "clock")
    return benchClock(rest);
  if (name == "error")
    return benchError(rest);
  if (name == "host")
    return benchHost(rest);
  if (name == "--help" || name == "-h") {
    llvm::outs() << kHelp;
    return kExitSuccess;
  }
  return reportError(llvm::createStringError(llvm::formatv(
                         "expected a benchmark, but got '{0}'; "
                         "use launch, gemm, summary, fit, policies, unseen, "
                         "ranges, picks, clock, error or host",
                         name)),
                     kExitUsage);
}
