//===- ParseMutants.cpp - Fuzzer of the parser and the verifier -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-parse damages valid IR (hone.matmul with its attributes, and the
// kernel IR that is built from it) in a few places. It parses and verifies each
// mutant in a child process. A mutant may be accepted or refused; a crash is a
// failure.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Mutate.h"
#include "RandomMatmul.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone::fuzz;

//===----------------------------------------------------------------------===//
// Valid texts
//===----------------------------------------------------------------------===//

/// A drawn matmul after `hone-select-schedule`, and for every second number
/// after `hone-build-kernel` too. Every third text has the generic form, which
/// shows all attributes and regions.
static void printSeed(MLIRContext &context, int64_t number) {
  Random random(number);
  RandomMatmul matmul = drawMatmul(random);
  std::string pipeline =
      "builtin.module(hone-select-schedule{" + matmul.selectOptions() + "}";
  pipeline += number % 2 ? ",hone-build-kernel,canonicalize)" : ")";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(matmul.module, &context);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, llvm::errs());
  if (!module || failed(parsed))
    return;
  PassManager passes(&context);
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  if (failed(passes.run(*module)))
    return;
  OpPrintingFlags flags;
  if (number % 3 == 0)
    flags.printGenericOpForm();
  module->print(llvm::outs(), flags);
  llvm::outs().flush();
}

static std::vector<std::string> makeSeeds(MLIRContext &context) {
  std::vector<std::string> seeds;
  Options options;
  options.count = 24;
  forEachCase(
      options, [](int64_t number) { return FuzzCase{number, ""}; },
      [&](const FuzzCase &fuzzCase) {
        printSeed(context, fuzzCase.number);
        return true;
      },
      [&](const FuzzCase &, const CaseReport &report) {
        if (report.ending == Ending::good && !report.output.empty())
          seeds.push_back(report.output);
      });
  return seeds;
}

static FuzzCase makeCase(const Options &options,
                         const std::vector<std::string> &seeds,
                         int64_t number) {
  Random random(uint64_t(options.seed) * 1000003 + number);
  return {number, damaged(random.pickFrom(seeds), random)};
}

int main(int argc, char **argv) {
  Options options = Options::parse(argc, argv);
  std::unique_ptr<MLIRContext> context = makeContext();
  std::vector<std::string> seeds = makeSeeds(*context);
  if (seeds.empty()) {
    llvm::outs() << "expected valid texts to start from, but got none\n";
    return 1;
  }
  int64_t accepted = 0, refused = 0, aborted = 0;
  forEachCase(
      options, [&](int64_t number) { return makeCase(options, seeds, number); },
      [&](const FuzzCase &fuzzCase) {
        return bool(parseSourceString<ModuleOp>(fuzzCase.text, context.get()));
      },
      [&](const FuzzCase &fuzzCase, const CaseReport &report) {
        accepted += report.ending == Ending::good;
        refused += report.ending == Ending::bad;
        aborted += report.ending == Ending::aborted;
        if (report.ending == Ending::aborted)
          keepCase(options, fuzzCase, report);
      });
  llvm::outs() << accepted + refused + aborted << " mutants, " << accepted
               << " accepted, " << refused << " refused, " << aborted
               << " aborted\n";
  return aborted ? 1 : 0;
}
