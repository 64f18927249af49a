//===- TuneKernel.cpp - User kernels in hone tune -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuneKernel.h.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Tune/TuneKernel.h"
#include "dialects/Hone/Hone.h"
#include "hone/Driver/Pipeline.h"
#include "mlir/Pass/PassManager.h"
#include "tools/hone/Program/Prove.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;

Error hone::checkProblems(const WholeKernelFile &file,
                          std::vector<Problem> &problems) {
  if (problems.empty())
    problems = {file.problem};
  Problem ofClass = file.ofClass();
  for (const Problem &problem : problems) {
    if (!problem.isStatic())
      return llvm::createStringError(
          formatv("expected extents to tune for, but got {0}; use --shape",
                  problem.str()));
    if (!(problem.open(kBestAlign) == ofClass))
      return llvm::createStringError(
          formatv("expected a problem of the kernel's class, {0}, but got {1}",
                  ofClass.str(), problem.str()));
  }
  return Error::success();
}

Error hone::proveWholeKernel(mlir::MLIRContext &context,
                             const WholeKernelFile &file, const Arch &arch) {
  auto program = programWith(context, file, arch);
  if (!program)
    return program.takeError();
  std::vector<simulate::Reference> references;
  (*program)->walk([&](MatmulOp op) { references.emplace_back(op); });
  PipelineOptions build;
  build.arch = arch.name;
  build.schedule = toString(file.schedule);
  build.fallback = false;
  Error error = runPasses(**program, [&](mlir::OpPassManager &pm) {
    buildPipeline(pm, build, /*makeSources=*/nullptr,
                  PipelinePart::only(PipelineStep::build));
  });
  if (error)
    return error;
  auto proven = proveKernels(**program, references, /*protocolOnly=*/false);
  if (!proven)
    return proven.takeError();
  if (*proven == Proven::numbers)
    return Error::success();
  return llvm::createStringError(
      "expected a kernel that can be proven, but got one with the findings "
      "above; it is not run");
}

llvm::Expected<WholeKernelFile>
hone::readKernelToTune(mlir::MLIRContext &context, llvm::StringRef path,
                       const Arch &arch, std::vector<Problem> &problems) {
  auto file = readWholeKernel(context, path, arch);
  if (!file)
    return file.takeError();
  if (Error error = checkProblems(*file, problems))
    return std::move(error);
  if (Error error = proveWholeKernel(context, *file, arch))
    return std::move(error);
  return file;
}
