//===- Compile.cpp - Compilation from a file to kernels -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline.cpp has the pipeline; this file runs it, also from the middle.
//
//===----------------------------------------------------------------------===//

#include "hone/Driver/Compile.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Driver/Dialects.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Simulate/VerdictCache.h"
#include "hone/Text/CrashGuard.h"
#include "hone/Text/File.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Support.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <thread>

using namespace mlir;
using namespace hone;

namespace {
/// Collects the errors and their notes that are emitted in a scope; passes
/// warnings and remarks through.
class ErrorText {
public:
  explicit ErrorText(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          append(diagnostic);
          for (Diagnostic &note : diagnostic.getNotes())
            append(note);
          return success();
        }) {}

  StringRef said() const { return text; }
  llvm::Error take(const llvm::Twine &otherwise) {
    return llvm::createStringError(text.empty() ? otherwise.str() : text);
  }

private:
  void append(Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(text);
    os << (text.empty() ? "" : "; ") << placePrefix(diagnostic.getLocation())
       << diagnostic;
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

std::unique_ptr<MLIRContext> hone::makeContext() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  // Users need the location of an error; only users of hone-opt need the op in
  // generic form.
  context->printOpOnDiagnostic(false);
  return context;
}

void hone::forEachInThreads(
    size_t count, size_t threads,
    llvm::function_ref<void(MLIRContext &, size_t, size_t)> work) {
  std::atomic<size_t> next = 0;
  auto loop = [&](size_t thread) {
    // A context serves one thread, and keeps everything made in it.
    constexpr int kMaxUses = 100;
    std::unique_ptr<MLIRContext> context;
    int uses = 0;
    for (size_t index; (index = next++) < count; ++uses) {
      if (uses % kMaxUses == 0) {
        context = makeContext();
        context->disableMultithreading();
      }
      work(*context, index, thread);
    }
  };
  std::vector<std::thread> all;
  for (size_t thread = 0; thread < std::min(threads, count); ++thread)
    all.emplace_back(loop, thread);
  for (std::thread &thread : all)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Expected<OwningOpRef<ModuleOp>>
hone::parseModule(MLIRContext &context,
                  std::unique_ptr<llvm::MemoryBuffer> buffer) {
  if (llvm::Error error =
          requireText(buffer->getBuffer(), buffer->getBufferIdentifier()))
    return std::move(error);
  if (std::optional<TooMuch> found = tooMuchOf(buffer->getBuffer()))
    return llvm::createStringError(llvm::formatv("{0}:{1}: {2}",
                                                 buffer->getBufferIdentifier(),
                                                 found->line, found->what));
  auto sources = std::make_shared<llvm::SourceMgr>();
  std::string name = buffer->getBufferIdentifier().str();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  ErrorText errors(context);
  OwningOpRef<ModuleOp> module;
  if (!endsByItself(
          [&] { module = parseSourceFile<ModuleOp>(sources, &context); }))
    return parserCrashed(name, errors.said());
  if (!module)
    return errors.take("expected a module, but got text that does not parse");
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>> hone::readModule(MLIRContext &context,
                                                       StringRef path) {
  auto buffer = readFileOrStdin(path, {"a file to read", kMaxModuleBytes});
  if (!buffer)
    return buffer.takeError();
  return parseModule(context, std::move(*buffer));
}

llvm::Expected<OwningOpRef<ModuleOp>> hone::parseModule(MLIRContext &context,
                                                        StringRef text) {
  return parseModule(context, llvm::MemoryBuffer::getMemBuffer(text, "module"));
}

llvm::Error hone::verifyModule(ModuleOp module) {
  ErrorText errors(*module.getContext());
  if (succeeded(verify(module)))
    return llvm::Error::success();
  return errors.take("expected a module, but got one that breaks a law");
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

llvm::Error hone::runPasses(ModuleOp module,
                            llvm::function_ref<void(OpPassManager &)> add) {
  PassManager pm(module.getContext());
  add(pm);
  ErrorText errors(*module.getContext());
  if (succeeded(pm.run(module)))
    return llvm::Error::success();
  return errors.take("a pass failed without a message");
}

char RefusedRewrite::ID = 0;

llvm::Error hone::runToKernels(ModuleOp module, const PinnedChoice &choice) {
  PipelineOptions options;
  options.arch = choice.arch;
  options.schedule = choice.schedule;
  options.fallback = choice.fallback;
  llvm::Error error = runPasses(module, [&](OpPassManager &pm) {
    buildPipeline(pm, options, /*makeSources=*/nullptr,
                  {PipelineStep::select, PipelineStep::build});
  });
  // The laws hold, so a builder can only reject a rewrite.
  if (error && !choice.schedule.rewrites().empty())
    return llvm::make_error<RefusedRewrite>(llvm::toString(std::move(error)));
  if (!error && choice.verdicts)
    error = choice.verdicts->prove(module);
  return error;
}

llvm::Error hone::runToKernels(ModuleOp scheduled) {
  return runPasses(scheduled, [](OpPassManager &pm) {
    buildPipeline(pm, PipelineOptions(), /*makeSources=*/nullptr,
                  PipelinePart::only(PipelineStep::build));
  });
}

llvm::Error hone::runFromKernel(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    buildPipeline(pm, PipelineOptions(), /*makeSources=*/nullptr,
                  PipelinePart::only(PipelineStep::emit));
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

std::vector<std::string> hone::imagesOf(ModuleOp module) {
  std::vector<std::string> images;
  for (auto binary : module.getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      images.push_back(object.getObject().getValue().str());
  return images;
}

llvm::Expected<CompiledKernel>
hone::compiledKernel(std::vector<std::string> images,
                     const std::string &planText) {
  CompiledKernel kernel = {std::move(images), {}};
  std::string error = LaunchPlan::parse(planText.c_str(), kernel.plan);
  if (!error.empty())
    return llvm::createStringError("expected a launch plan, but got " + error);
  return kernel;
}

llvm::Expected<CompiledKernel> hone::compileFromKernel(ModuleOp module) {
  SmallVector<kernel::PlanAttr> plans;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (NamedAttribute plan : kernel::plansOf(kernels))
      plans.push_back(cast<kernel::PlanAttr>(plan.getValue()));
  if (plans.size() != 1)
    return llvm::createStringError(llvm::formatv(
        "expected kernel IR with one launch plan, but got {0}", plans.size()));
  if (llvm::Error error = runFromKernel(module))
    return std::move(error);
  return CompiledKernel{imagesOf(module), plans.front().getValue()};
}
