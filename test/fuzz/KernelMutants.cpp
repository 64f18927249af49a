//===- KernelMutants.cpp - Fuzzer of kernel files -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hone-fuzz-kernels damages files of kernel IR in a few places. It reads,
// places and proves each mutant in a child process, as hone tune --kernel does
// first. A mutant is refused with a reason, or becomes a kernel with the hash
// of its text as name. The builder must then accept that kernel for the file's
// problem, and the proof must end with some verdict.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Mutate.h"
#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Simulate/VerdictCache.h"
#include "passes/Passes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using namespace hone::fuzz;

static const Arch &arch() {
  static const Arch h200 = llvm::cantFail(Arch::lookup("h200"));
  return h200;
}

/// Files as hone-build-kernel writes them.
static std::string makeSeed(size_t number) {
  static constexpr llvm::StringLiteral kSchedules[] = {
      "ws, tile = 64x64x64, consumers = 1x1, stages = 3",
      "ws, tile = 64x64x64, consumers = 1x1, persistent = no, stages = 2",
      "mma_sync, tile = 64x64x32, warps = 2x2, stages = 2"};
  return buildKernel(kSchedules[number % std::size(kSchedules)]);
}

/// The reader takes a path.
static llvm::Expected<WholeKernelFile> read(mlir::MLIRContext &context,
                                            llvm::StringRef text) {
  llvm::SmallString<128> path;
  int file = 0;
  if (llvm::sys::fs::createTemporaryFile("kernel", "mlir", file, path))
    return llvm::createStringError("expected room for a file");
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  auto result = readWholeKernel(context, path, arch());
  llvm::sys::fs::remove(path);
  return result;
}

static bool isSound(llvm::StringRef text) {
  auto context = fuzz::makeContext();
  auto file = read(*context, text);
  if (!file)
    return !llvm::toString(file.takeError()).empty();
  if (faultOf(file->kernel) ||
      wholeKernelOf(file->schedule) != file->kernel.name)
    return false;
  auto program = programWith(*context, *file, arch());
  if (!program) {
    llvm::outs() << llvm::toString(program.takeError()) << "\n";
    return false;
  }
  if (llvm::Error error = runToKernels(**program)) {
    llvm::outs() << llvm::toString(std::move(error)) << "\n";
    return false;
  }
  // Either verdict is fine; the proof only has to end.
  llvm::consumeError(simulate::VerdictCache().prove(**program));
  return true;
}

int main(int argc, char **argv) {
  fuzz::Options options = fuzz::Options::parse(argc, argv);
  std::vector<std::string> seeds;
  for (size_t number = 0; number < 3; ++number)
    seeds.push_back(makeSeed(number));
  return requireSound(
      options,
      [&](int64_t number) {
        fuzz::Random random(uint64_t(options.seed) * 1000003 + number);
        return FuzzCase{number,
                        damaged(seeds[random.below(seeds.size())], random)};
      },
      [&](const FuzzCase &fuzzCase) { return isSound(fuzzCase.text); });
}
