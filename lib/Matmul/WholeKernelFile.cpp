//===- WholeKernelFile.cpp - File with a custom kernel --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WholeKernelFile.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/WholeKernelFile.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Database/Database.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Matmul/ProblemModule.h"
#include "hone/Text/File.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Support.h"
#include "passes/WholeKernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
/// A kernel and the ops of its module that describe it.
struct Launched {
  kernel::LaunchOp launch;
  gpu::GPUModuleOp gpuModule;
  gpu::GPUFuncOp kernel;
  LaunchPlan plan;
  Problem problem;
  Schedule schedule;
};
} // namespace

/// An error at an op.
static Error failAt(Operation *op, const llvm::Twine &what) {
  return llvm::createStringError(placePrefix(op->getLoc()) + what);
}

//===----------------------------------------------------------------------===//
// The launch in a module
//===----------------------------------------------------------------------===//

static Expected<kernel::LaunchOp> onlyLaunch(ModuleOp module) {
  SmallVector<kernel::LaunchOp> launches;
  module.walk([&](kernel::LaunchOp op) { launches.push_back(op); });
  if (launches.size() != 1)
    return failAt(module,
                  formatv("expected one kernel.launch, but got {0}; use the "
                          "output of hone-build-kernel for one matmul",
                          launches.size()));
  return launches.front();
}

static Error findPlan(ModuleOp module, Launched &launched) {
  SymbolRefAttr name = launched.launch.getPlan();
  launched.gpuModule =
      module.lookupSymbol<gpu::GPUModuleOp>(name.getRootReference());
  kernel::PlanAttr plan = kernel::planOf(launched.gpuModule, launched.launch);
  if (!plan)
    return failAt(launched.launch,
                  formatv("expected a plan '{0}', but got none", name));
  launched.plan = plan.getValue();
  // Every plan has an alternative with a launch.
  launched.kernel = launched.gpuModule.lookupSymbol<gpu::GPUFuncOp>(
      launched.plan.alternatives.front().launches.back().entry);
  if (!launched.kernel)
    return failAt(launched.gpuModule,
                  "expected the kernel that its plan launches, but got none");
  return Error::success();
}

static Expected<Launched> launchedIn(ModuleOp module) {
  Launched launched;
  Expected<kernel::LaunchOp> launch = onlyLaunch(module);
  if (!launch)
    return launch.takeError();
  launched.launch = *launch;
  auto problem = launched.launch->getAttrOfType<ProblemAttr>("hone.problem");
  auto schedule = launched.launch->getAttrOfType<ScheduleAttr>("hone.schedule");
  if (!problem || !schedule)
    return failAt(launched.launch, "expected 'hone.problem' and "
                                   "'hone.schedule' at the launch, but got "
                                   "none; leave them as they were built");
  launched.problem = problem.getValue();
  launched.schedule = schedule.getValue();
  if (Error error = findPlan(module, launched))
    return std::move(error);
  return launched;
}

//===----------------------------------------------------------------------===//
// The generated kernel of the same problem and schedule
//===----------------------------------------------------------------------===//

/// A program with a matmul of the class and this schedule.
static Expected<OwningOpRef<ModuleOp>> programOf(MLIRContext &context,
                                                 const Problem &ofClass,
                                                 const Schedule &schedule,
                                                 const Arch &arch) {
  auto program = ProblemModule::of(context, ofClass);
  if (!program)
    return program.takeError();
  PipelineOptions options;
  options.arch = arch.name;
  options.schedule = schedule;
  Error error = runPasses(*program->module, [&](OpPassManager &pm) {
    buildPipeline(pm, options, /*makeSources=*/nullptr,
                  PipelinePart::only(PipelineStep::select));
  });
  if (error)
    return std::move(error);
  return std::move(program->module);
}

/// Runs only the builder, without any cleanup after it.
static Error buildOnly(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    BuildKernelOptions build;
    build.fallback = false;
    pm.addPass(createBuildKernel(build));
  });
}

/// The lines of the plan about the kernel, without its name.
static std::string linesOf(const Launched &launched) {
  LaunchPlan plan;
  PlanAlternative alternative = launched.plan.alternatives.front();
  alternative.guard = "1";
  alternative.launches = {alternative.launches.back()};
  alternative.launches.front().entry = "kernel";
  plan.alternatives.push_back(std::move(alternative));
  return plan.str();
}

/// Reports the first line that differs.
static Error verifyPlan(const Launched &written, const Launched &built) {
  std::string here = linesOf(written), there = linesOf(built);
  SmallVector<StringRef> got, wanted;
  StringRef(here).split(got, '\n');
  StringRef(there).split(wanted, '\n');
  for (size_t at = 0; at < std::max(got.size(), wanted.size()); ++at) {
    StringRef one = at < got.size() ? got[at] : "nothing";
    StringRef other = at < wanted.size() ? wanted[at] : "nothing";
    if (one != other)
      return failAt(
          written.gpuModule,
          formatv(
              "expected the plan of its schedule, '{0}', but got '{1}'; a "
              "whole kernel has no plan of its own and is launched with that "
              "one, so write its line and let the proof decide",
              other, one));
  }
  return Error::success();
}

static Error verifyTarget(Launched written, Launched built) {
  Attribute got = written.gpuModule.getTargetsAttr();
  Attribute wanted = built.gpuModule.getTargetsAttr();
  if (got == wanted)
    return Error::success();
  return failAt(
      written.gpuModule,
      formatv("expected a kernel for {0}, but got one for {1}", wanted, got));
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Checks the text before the parser reads it.
static Error verifyText(StringRef name, StringRef text) {
  if (text.size() > kMaxKernelBytes)
    return llvm::createStringError(
        formatv("'{0}': expected kernel IR of at most {1} bytes, but got {2}",
                name, kMaxKernelBytes, text.size()));
  if (std::optional<TooMuch> found = tooMuchOf(text))
    return llvm::createStringError(
        formatv("{0}:{1}: {2}", name, found->line, found->what));
  return Error::success();
}

static Expected<OwningOpRef<ModuleOp>> readKernelFile(MLIRContext &context,
                                                      StringRef path) {
  auto buffer = readFile(path, {"a file of kernel IR", kMaxKernelBytes});
  if (!buffer)
    return buffer.takeError();
  if (Error error = verifyText(path, (*buffer)->getBuffer()))
    return std::move(error);
  return parseModule(context, std::move(*buffer));
}

/// Replaces the kernel by `body`.
static Error exchange(Launched &written, StringRef body) {
  if (Error error = verifyText("the kernel", body))
    return error;
  // Line numbers are those of the body.
  auto module = parseModule(*written.launch->getContext(),
                            ("gpu.module @written { " + body + "\n}").str());
  if (!module)
    return module.takeError();
  SmallVector<gpu::GPUFuncOp> kernels;
  for (auto gpuModule : (*module)->getOps<gpu::GPUModuleOp>())
    llvm::append_range(kernels, gpuModule.getOps<gpu::GPUFuncOp>());
  if (kernels.size() != 1)
    return llvm::createStringError(
        formatv("expected one gpu.func, but got {0}", kernels.size()));
  kernels.front()->remove();
  kernels.front().setName(written.kernel.getName());
  OpBuilder(written.kernel).insert(kernels.front());
  written.kernel.erase();
  written.kernel = kernels.front();
  return Error::success();
}

/// The kernel's text, under the name of the generated kernel.
static Expected<WholeKernel> kernelIn(const Launched &written,
                                      const Launched &built) {
  std::string said;
  ScopedDiagnosticHandler handler(
      written.launch->getContext(), [&](Diagnostic &diagnostic) {
        llvm::raw_string_ostream(said)
            << placePrefix(diagnostic.getLocation()) << diagnostic;
        return success();
      });
  FailureOr<WholeKernel> kernel = wholeKernelFrom(written.kernel, built.kernel);
  if (succeeded(kernel))
    return std::move(*kernel);
  return llvm::createStringError(said);
}

Expected<WholeKernelFile> hone::readWholeKernel(MLIRContext &context,
                                                StringRef path,
                                                const Arch &arch,
                                                StringRef body) {
  auto module = readKernelFile(context, path);
  if (!module)
    return module.takeError();
  Expected<Launched> written = launchedIn(**module);
  if (!written)
    return written.takeError();
  if (!body.empty())
    if (Error error = exchange(*written, body))
      return std::move(error);
  WholeKernelFile file;
  llvm::raw_string_ostream(file.text) << **module;
  file.problem = written->problem;
  file.base = written->schedule;
  // The base is the schedule without rewrites and without a whole kernel.
  if (!file.base.rewrites().empty())
    llvm::cantFail(file.base.decide(kRewrites, "[]"));
  auto program = programOf(context, file.ofClass(), file.base, arch);
  if (!program)
    return failAt(written->launch, llvm::toString(program.takeError()));
  if (Error error = buildOnly(**program))
    return failAt(written->launch, llvm::toString(std::move(error)));
  Expected<Launched> built = launchedIn(**program);
  if (!built)
    return built.takeError();
  if (Error error = verifyTarget(*written, *built))
    return std::move(error);
  if (Error error = verifyPlan(*written, *built))
    return std::move(error);
  Expected<WholeKernel> kernel = kernelIn(*written, *built);
  if (!kernel)
    return kernel.takeError();
  Expected<Schedule> schedule = withWholeKernel(file.base, kernel->name);
  if (!schedule)
    return failAt(written->launch, llvm::toString(schedule.takeError()));
  file.kernel = std::move(*kernel);
  file.schedule = std::move(*schedule);
  return file;
}

std::function<std::string(StringRef)>
hone::kernelTextsIn(std::vector<std::string> databases) {
  return [databases = std::move(databases)](StringRef name) -> std::string {
    for (const std::string &path : databases) {
      Expected<Database> database = Database::open(path, Access::read);
      auto text = database ? database->kernel(name) : database.takeError();
      if (!text)
        llvm::consumeError(text.takeError()); // treated as missing
      else if (*text)
        return std::move(**text);
    }
    return "";
  };
}

Expected<OwningOpRef<ModuleOp>> hone::programWith(MLIRContext &context,
                                                  const WholeKernelFile &file,
                                                  const Arch &arch) {
  auto program = programOf(context, file.ofClass(), file.schedule, arch);
  if (program)
    addWholeKernel(**program, file.kernel);
  return program;
}
