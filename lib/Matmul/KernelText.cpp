//===- KernelText.cpp - Kernel IR of a record -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelText.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/KernelText.h"
#include "hone/Driver/Compile.h"
#include "hone/Matmul/Images.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Schedule/WholeKernel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace hone;
using llvm::Error;
using llvm::StringRef;

static std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool hasKernels = false;
  module.walk([&](mlir::gpu::GPUModuleOp kernels) {
    hasKernels = true;
    os << *kernels << "\n";
  });
  if (!hasKernels)
    os << *module << "\n";
  return text;
}

llvm::Expected<std::string> KernelTexts::of(const Problem &problem,
                                            StringRef archName,
                                            const Schedule &schedule) {
  if (std::optional<std::string> name = wholeKernelOf(schedule)) {
    std::string text = whole(*name);
    if (text.empty())
      return llvm::createStringError("expected the text of kernel " + *name +
                                     ", but the database has none");
    return text;
  }
  llvm::Expected<Arch> arch = Arch::lookup(archName);
  if (!arch)
    return arch.takeError();
  std::string key = kernelKey(problem, schedule, *arch);
  if (auto found = built.find(key); found != built.end())
    return found->second;
  if (!context)
    context = makeContext();
  auto program = ProblemModule::of(*context, problemOfKernel(problem));
  if (!program)
    return program.takeError();
  if (Error error = runToKernels(
          *program->module, {archName.str(), schedule, /*fallback=*/false}))
    return std::move(error);
  return built[key] = printed(*program->module);
}
