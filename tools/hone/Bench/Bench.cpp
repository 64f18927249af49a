//===- Bench.cpp - hone bench ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the benchmark.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Commands.h"
#include "tools/hone/Options.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;

static constexpr Command kBenchmarks[] = {
    {"launch", "host time of one launch and its end, with cuBLASLt's",
     benchLaunch},
    {"gemm", "GPU and wall time of many matmuls, with cuBLASLt's", benchGemm},
    {"summary", "the summary of a file that gemm wrote", benchSummary},
    {"error", "distance of products from f64, with cuBLASLt's", benchError},
    {"host", "CPU time of matmuls, with OpenBLAS's", benchHost},
};

int hone::benchCommand(llvm::ArrayRef<llvm::StringRef> args) {
  return runOneOf(
      kBenchmarks, args,
      {"hone bench", "Measures; each prints a median and its spread.", ""});
}
