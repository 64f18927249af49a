//===- LowerLegalPairs.cpp - Fuzzer of lowering with legal schedules ------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-lower draws legal (problem, schedule, arch) triples and lowers each
// from `hone.matmul` to PTX and host code, in a child process. A case that
// fails or dies is kept as a file whose first line is the command that repeats
// it. The last line counts:
//
//   1000 lowered, 0 failed, 0 aborted
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "RandomMatmul.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using namespace hone::fuzz;

/// The pipeline below hone.matmul; its options stand on the first line of a
/// case.
static std::string pipelineOf(Random &random, const RandomMatmul &matmul) {
  return "builtin.module(hone-select-schedule{" + matmul.selectOptions() +
         "},hone-build-kernel,canonicalize,hone-lower-kernel,hone-emit{host=" +
         (random.chance(20) ? "gpu" : "runtime") + "})";
}

static FuzzCase makeCase(const Options &options, int64_t number) {
  Random random(uint64_t(options.seed) * 1000003 + number);
  RandomMatmul matmul = drawMatmul(random);
  return {number, "// hone-opt --pass-pipeline=\"" +
                      pipelineOf(random, matmul) + "\"\n" + matmul.module};
}

/// True if no Hone ops are left after the lowering, and device code is there,
/// or absent for a host.
static bool isLowered(ModuleOp module, bool onHost) {
  auto left = module.walk([](Operation *op) {
    if (!isa_and_nonnull<HoneDialect, kernel::KernelDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError("expected an op of another dialect after the route");
    return WalkResult::interrupt();
  });
  if (left.wasInterrupted())
    return false;
  bool hasBinary = !module.getOps<gpu::BinaryOp>().empty();
  if (hasBinary != onHost)
    return true;
  module.emitError("expected ")
      << (onHost ? "no gpu.binary" : "a gpu.binary") << " after the route";
  return false;
}

/// Runs in a child.
static bool lowerCase(MLIRContext &context, const FuzzCase &fuzzCase) {
  StringRef text = fuzzCase.text;
  StringRef pipeline = text.split('"').second.split("\"\n").first;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return false;
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, llvm::errs());
  if (failed(parsed))
    return false;
  PassManager passes(&context);
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  return succeeded(passes.run(*module)) &&
         isLowered(*module, pipeline.contains("arch=host"));
}

int main(int argc, char **argv) {
  Options options = Options::parse(argc, argv);
  std::unique_ptr<MLIRContext> context = makeContext();
  int64_t lowered = 0, failed = 0, aborted = 0;
  double seconds = 0;
  std::pair<double, int64_t> slowest;
  forEachCase(
      options, [&](int64_t number) { return makeCase(options, number); },
      [&](const FuzzCase &fuzzCase) { return lowerCase(*context, fuzzCase); },
      [&](const FuzzCase &fuzzCase, const CaseReport &report) {
        seconds += report.seconds;
        slowest = std::max(slowest, {report.seconds, fuzzCase.number});
        lowered += report.ending == Ending::good;
        failed += report.ending == Ending::bad;
        aborted += report.ending == Ending::aborted;
        if (report.ending != Ending::good)
          keepCase(options, fuzzCase, report);
      });
  llvm::outs() << llvm::formatv(
      "{0:f1} s of processor time, at most {1:f1} s (case {2})\n", seconds,
      slowest.first, slowest.second);
  llvm::outs() << lowered << " lowered, " << failed << " failed, " << aborted
               << " aborted\n";
  return failed || aborted ? 1 : 0;
}
