//===- Prove.cpp - Proofs of kernels --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prove.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/Prove.h"
#include "dialects/Hone/Hone.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Simulate/Simulate.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::Expected;
using llvm::formatv;

static const Reference *referenceOf(llvm::ArrayRef<Reference> references,
                                    const Subject &subject) {
  for (const Reference &reference : references)
    if (reference.getProblem() == subject.problem)
      return &reference;
  return nullptr;
}

Expected<Proven> hone::proveKernels(ModuleOp module,
                                    llvm::ArrayRef<Reference> references,
                                    bool protocolOnly, llvm::raw_ostream &os) {
  FailureOr<std::vector<Subject>> subjects = subjectsOf(module);
  if (failed(subjects))
    return llvm::createStringError("expected kernels and their plans, but got "
                                   "none");
  Proven all = Proven::numbers;
  for (const Subject &subject : *subjects) {
    SimulateOptions options;
    if (!protocolOnly)
      options.reference = referenceOf(references, subject);
    auto proof = simulate::prove(subject, options);
    if (!proof)
      return proof.takeError();
    for (const Finding &finding : proof->findings)
      emit(finding);
    gpu::GPUFuncOp kernel = subject.kernel;
    if (subject.isRest) {
      os << formatv("proof: {0}: {1}\n", kernel.getName(),
                    proof->passed() ? "right at every size" : "not proven");
      if (!proof->passed())
        all = Proven::no;
      continue;
    }
    os << formatv("proof: {0}: {1} at {2} sizes, for every order of up to "
                  "10^{3:f0}",
                  kernel.getName(), proof->at ? "wrong" : "right", proof->sizes,
                  proof->logOrders);
    if (proof->error)
      os << formatv("; largest error {0:f3} of the tolerance", *proof->error);
    if (!proof->passed() && !proof->at)
      os << "; not proven for others";
    os << "\n";
    Proven one = !proof->passed()    ? Proven::no
                 : options.reference ? Proven::numbers
                                     : Proven::barriers;
    all = std::min(all, one);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Whole kernels
//===----------------------------------------------------------------------===//

llvm::Error hone::checkProblems(const WholeKernelFile &file,
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
  return llvm::Error::success();
}

Expected<ProvableProgram> hone::buildWholeKernel(MLIRContext &context,
                                                 const WholeKernelFile &file,
                                                 const Arch &arch) {
  auto module = programWith(context, file, arch);
  if (!module)
    return module.takeError();
  ProvableProgram program = {std::move(*module), {}};
  program.module->walk(
      [&](MatmulOp op) { program.references.emplace_back(op); });
  PipelineOptions build;
  build.arch = arch.name;
  build.schedule = file.schedule;
  build.fallback = false;
  llvm::Error error = runPasses(*program.module, [&](OpPassManager &pm) {
    buildPipeline(pm, build, /*makeSources=*/nullptr,
                  PipelinePart::only(PipelineStep::build));
  });
  if (error)
    return std::move(error);
  return program;
}

llvm::Error hone::proveWholeKernel(MLIRContext &context,
                                   const WholeKernelFile &file,
                                   const Arch &arch) {
  auto program = buildWholeKernel(context, file, arch);
  if (!program)
    return program.takeError();
  auto proven = proveKernels(*program->module, program->references,
                             /*protocolOnly=*/false);
  if (!proven)
    return proven.takeError();
  if (*proven == Proven::numbers)
    return llvm::Error::success();
  return llvm::createStringError(
      "expected a kernel that can be proven, but got one with the findings "
      "above; it is not run");
}

Expected<WholeKernelFile>
hone::readKernelToTune(MLIRContext &context, llvm::StringRef path,
                       const Arch &arch, std::vector<Problem> &problems) {
  auto file = readWholeKernel(context, path, arch);
  if (!file)
    return file.takeError();
  if (llvm::Error error = checkProblems(*file, problems))
    return std::move(error);
  if (llvm::Error error = proveWholeKernel(context, *file, arch))
    return std::move(error);
  return file;
}
