//===- MatmulKernel.cpp - Compiled matmul kernel --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MatmulKernel.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/MatmulKernel.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Simulate/VerdictCache.h"
#include "passes/WholeKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

llvm::Expected<CompiledKernel>
hone::compileMatmul(mlir::MLIRContext &context, const KernelRequest &request,
                    StringRef arch, simulate::VerdictCache *verdicts) {
  if (!request.kernelIr.empty()) {
    auto module = readModule(context, request.kernelIr);
    if (!module)
      return module.takeError();
    if (verdicts)
      if (Error error = verdicts->prove(**module))
        return std::move(error);
    return compileFromKernel(**module);
  }
  auto program = ProblemModule::of(context, request.problem, request.batchesB);
  if (!program)
    return program.takeError();
  mlir::ModuleOp module = *program->module;
  if (std::optional<std::string> name = wholeKernelOf(request.schedule);
      name && !request.kernelText.empty())
    addWholeKernel(module, {*name, request.kernelText});
  PinnedChoice choice = {arch.str(), request.schedule, request.fallback,
                         verdicts};
  if (Error error = runToKernels(module, choice))
    return std::move(error);
  return compileFromKernel(module);
}

llvm::Expected<KernelRequest> hone::readKernelIr(StringRef path) {
  auto context = makeContext();
  auto module = readModule(*context, path);
  if (!module)
    return module.takeError();
  std::vector<kernel::LaunchOp> launches;
  (*module)->walk([&](kernel::LaunchOp op) { launches.push_back(op); });
  if (launches.size() != 1)
    return llvm::createStringError(
        formatv("expected kernel IR with one kernel.launch in '{0}', but got "
                "{1}; use hone-opt --hone-build-kernel",
                path, launches.size()));
  auto problem = launches[0]->getAttrOfType<ProblemAttr>("hone.problem");
  auto schedule = launches[0]->getAttrOfType<ScheduleAttr>("hone.schedule");
  if (!problem || !schedule)
    return llvm::createStringError(formatv(
        "expected a kernel.launch with its problem and its schedule, but "
        "got one without in '{0}'",
        path));
  Problem from = problem.getValue();
  bool isOpen = from.m == kDynamic && from.n == kDynamic && from.k == kDynamic;
  if (!isOpen || from.batch || !from.epilogue.empty())
    return llvm::createStringError(
        formatv("expected a plain product of any extents in '{0}', but got "
                "{1}; use memref<?x?xf16, strided<[?, 1]>>",
                path, from.str()));
  KernelRequest request;
  request.problem = from.open(kBestAlign);
  request.schedule = schedule.getValue();
  request.kernelIr = path.str();
  return request;
}

/// The values that the host side of the module would pass.
llvm::StringMap<int64_t> hone::runTimeKnobs(const Schedule &schedule) {
  llvm::StringMap<int64_t> knobs;
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->when == When::runTime)
      knobs[one.decision->name] = one.numbers.front();
  return knobs;
}

llvm::Expected<std::unique_ptr<MatmulKernel>>
MatmulKernel::create(mlir::MLIRContext &context, const KernelRequest &request,
                     StringRef arch) {
  auto kernel = compileMatmul(context, request, arch);
  if (!kernel)
    return kernel.takeError();
  return create(std::move(*kernel), runTimeKnobs(request.schedule));
}

llvm::Expected<std::unique_ptr<MatmulKernel>>
MatmulKernel::create(CompiledKernel kernel, llvm::StringMap<int64_t> knobs) {
  std::unique_ptr<MatmulKernel> result(new MatmulKernel());
  result->knobs = std::move(knobs);
  result->launches = std::move(kernel.plan);
  result->planText = result->launches.str();
  result->images = std::move(kernel.images);
  for (const std::string &image : result->images) {
    void *registered = honeRegisterImage(image.c_str(), image.size());
    if (!registered)
      return llvm::createStringError(
          formatv("honeRegisterImage: {0}", honeLastError()));
    result->handles.push_back(registered);
  }
  return result;
}

std::unique_ptr<MatmulKernel> MatmulKernel::sibling(LaunchPlan plan) const {
  std::unique_ptr<MatmulKernel> result(new MatmulKernel());
  result->planText = plan.str();
  result->launches = std::move(plan);
  result->knobs = knobs;
  return result;
}

MatmulKernel::~MatmulKernel() {
  honeRelease(&slot);
  for (void *handle : handles)
    honeUnregisterImage(handle);
}

llvm::Expected<std::vector<int64_t>>
MatmulKernel::order(PlanArguments arguments) const {
  for (const auto &knob : knobs)
    if (!arguments.has(knob.getKey().str()))
      arguments.set(knob.getKey().str(), knob.getValue());
  std::vector<int64_t> values;
  std::string fault = arguments.order(launches, values);
  if (!fault.empty())
    return llvm::createStringError(fault);
  return values;
}

Error MatmulKernel::launch(llvm::ArrayRef<int64_t> arguments) {
  int32_t status = honeLaunch(&slot, planText.c_str(), arguments.data(),
                              static_cast<int32_t>(arguments.size()));
  if (status == HONE_OK)
    return Error::success();
  return llvm::createStringError(formatv("honeLaunch: {0}", honeLastError()));
}
