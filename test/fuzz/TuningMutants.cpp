//===- TuningMutants.cpp - Fuzzer of tuning files -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-tuning damages tuning files in a few places and reads each mutant
// in a child process. Accepted files must meet the reader's guarantees: records
// of chips, with schedules that keep every law, that read back from the lines
// they are written as. A refusal must name a place.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Mutate.h"
#include "hone/Plugin/TuningFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using namespace hone::fuzz;

/// A kernel, and a line that names it.
static std::string withKernel() {
  WholeKernel kernel = WholeKernel::of("gpu.func @of() kernel {\n"
                                       "  \"a\\22string\"\n}\n");
  Record record;
  record.arch = "h200";
  record.problem.m = record.problem.n = record.problem.k = 8;
  record.schedule = llvm::cantFail(
      withWholeKernel(llvm::cantFail(parseSchedule("ws")), kernel.name));
  record.times = {3e-6, 2.9e-6, 3.1e-6, 7};
  return tuningText(kernel) + tuningLine(record);
}

/// A file with the default schedules of some problems, one of them by hand.
static std::string makeSeed(uint64_t number) {
  fuzz::Random random(number);
  std::string text = "// A comment.\n";
  for (int64_t at = 0; at < 4; ++at) {
    Record record;
    record.arch = random.pick({"h200", "a100"});
    record.problem.m = 64 << random.below(8);
    record.problem.n = 64 << random.below(8);
    record.problem.k = 64 * (at + 1);
    record.problem.epilogue = random.pick({"", "addf(acc, n:f32)"});
    Arch arch = llvm::cantFail(Arch::lookup(record.arch));
    record.schedule = defaultSchedule(record.problem, arch);
    record.times = {3e-6, 2.9e-6, 3.1e-6, 7};
    record.toolchain = {"580.1", "22.1", "0.1", 1};
    text += tuningLine(record);
  }
  text += "hone.tuned #hone.problem<m = 7, n = ?, k = 9, a = f16:row:2, "
          "b = f16:row:2, acc = f32, c = f16:2, init = zero> on "
          "#hone.arch<sm_80> = #hone.schedule<mma_sync>\n";
  if (number % 3 == 0)
    text += withKernel();
  return number % 2 ? text : "module {\n" + text + "}\n";
}

/// True if `text` is refused correctly, or its records meet the guarantees.
static bool isSound(llvm::StringRef text) {
  auto file = parseTuningFile(llvm::MemoryBufferRef(text, "tuned.mlir"));
  if (!file) {
    std::string said = llvm::toString(file.takeError());
    return llvm::StringRef(said).starts_with("tuned.mlir:");
  }
  std::string again;
  for (const WholeKernel &kernel : file->kernels) {
    if (faultOf(kernel))
      return false;
    again += tuningText(kernel);
  }
  for (const TunedLine &line : file->lines) {
    const Record &record = line.record;
    llvm::Expected<Arch> arch = Arch::lookup(record.arch);
    if (!arch) {
      llvm::consumeError(arch.takeError());
      return false;
    }
    if (check(record.schedule, &record.problem, &*arch))
      return false;
    if (line.hasTime)
      again += tuningLine(record);
  }
  auto read = parseTuningFile(llvm::MemoryBufferRef(again, "again.mlir"));
  if (!read) {
    llvm::outs() << llvm::toString(read.takeError()) << "\n" << again;
    return false;
  }
  std::string third;
  for (const WholeKernel &kernel : read->kernels)
    third += tuningText(kernel);
  for (const TunedLine &line : read->lines)
    third += tuningLine(line.record);
  return third == again;
}

int main(int argc, char **argv) {
  fuzz::Options options = fuzz::Options::parse(argc, argv);
  return requireSound(
      options,
      [&](int64_t number) {
        fuzz::Random random(uint64_t(options.seed) * 1000003 + number);
        return FuzzCase{number, damaged(makeSeed(random.below(64)), random)};
      },
      [&](const FuzzCase &fuzzCase) { return isSound(fuzzCase.text); });
}
