//===- KernelTrial.cpp - Changed kernels, read and proven -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelTrial.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelTrial.h"
#include "hone/Chat/Answer.h"
#include "hone/Check/Prove.h"
#include "hone/Driver/Compile.h"
#include "hone/Simulate/Simulate.h"
#include "hone/Simulate/Timeline.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Rewrite/Rewrite.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <thread>

using namespace mlir;
using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
/// Collects a context's diagnostics about a text, with its lines.
class Messages : public ScopedDiagnosticHandler {
public:
  Messages(MLIRContext &context, StringRef text)
      : ScopedDiagnosticHandler(&context), text(text) {
    setHandler([this](Diagnostic &diagnostic) {
      add(diagnostic);
      for (Diagnostic &note : diagnostic.getNotes())
        add(note);
      return success();
    });
  }
  /// The messages, or if there are none, the error.
  std::string orElse(Error error) const;

private:
  void add(Diagnostic &diagnostic);

  StringRef text;
  std::string all;
  size_t count = 0;
};
} // namespace

static constexpr size_t kMaxBytes = 240;

/// A message about a line of a text, with that line.
static std::string quote(StringRef text, unsigned line, StringRef message) {
  while (--line > 0)
    text = text.split('\n').second;
  return formatv("at `{0}`: {1}\n",
                 printable(text.split('\n').first.trim(), kMaxBytes),
                 printable(message, kMaxBytes));
}

void Messages::add(Diagnostic &diagnostic) {
  constexpr size_t kMax = 4;
  if (++count > kMax)
    return;
  auto at = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  all += quote(text, at ? at.getLine() : 1, diagnostic.str());
}

/// The error of a parser, "module:12:3: expected ...", with line 12.
std::string Messages::orElse(Error error) const {
  std::string other = llvm::toString(std::move(error));
  if (!all.empty())
    return all;
  StringRef rest = other;
  unsigned line = 0;
  if (!rest.consume_front("module:") || rest.consumeInteger(10, line) || !line)
    return other;
  return quote(text, line, rest.split(": ").second);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// Reads a kernel, which others own, in a module.
static Expected<OwningOpRef<ModuleOp>>
parseKernel(MLIRContext &context, StringRef text, gpu::GPUFuncOp &kernel) {
  auto module = parseModule(context, ("gpu.module @m { " + text + "\n}").str());
  if (module)
    (*module)->walk([&](gpu::GPUFuncOp op) { kernel = op; });
  return module;
}

/// Applies "flight(0)". The kernel is unchanged after an error.
static Error applyRewrite(gpu::GPUFuncOp kernel, StringRef rewrite) {
  auto [name, rest] = rewrite.split('(');
  StringRef value = rest;
  const rewrite::Rewrite *found = rewrite::rewriteNamed(name);
  if (!value.consume_back(")") || !found ||
      !llvm::is_contained(rewrite::decisionOf(*found).words.drop_front(),
                          value))
    return llvm::createStringError(
        formatv("expected a rewrite of the menu, but got '{0}'",
                printable(rewrite, 60)));
  if (rewrite::Outcome refused = found->apply(kernel, value))
    return llvm::createStringError(rewrite::messageOf(name, value, *refused));
  return Error::success();
}

Expected<std::string> hone::changedText(MLIRContext &context, StringRef parent,
                                        const KernelChange &change) {
  if (change.rewrites.empty())
    return applyPatch(parent, change.edits);
  gpu::GPUFuncOp kernel;
  auto module = parseKernel(context, parent, kernel);
  if (!module)
    return module.takeError();
  for (const std::string &rewrite : change.rewrites)
    if (Error error = applyRewrite(kernel, rewrite))
      return std::move(error);
  // As after a build: rewrites leave arithmetic on constants.
  if (Error error = runPasses(**module, [](OpPassManager &pm) {
        pm.addPass(createCanonicalizerPass());
      }))
    return std::move(error);
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return text;
}

std::vector<std::string> hone::rewritesOf(MLIRContext &context,
                                          StringRef text) {
  std::vector<std::string> names;
  gpu::GPUFuncOp kernel;
  auto module = parseKernel(context, text, kernel);
  if (!module)
    return llvm::consumeError(module.takeError()), names;
  for (const rewrite::Rewrite &rewrite : rewrite::menu())
    for (StringRef value : rewrite::decisionOf(rewrite).words.drop_front()) {
      OwningOpRef<ModuleOp> copy = module->get().clone();
      gpu::GPUFuncOp other;
      copy->walk([&](gpu::GPUFuncOp op) { other = op; });
      if (!rewrite.apply(other, value))
        names.push_back((rewrite.name + "(" + value + ")").str());
    }
  return names;
}

//===----------------------------------------------------------------------===//
// Reading and proving
//===----------------------------------------------------------------------===//

void hone::readTrial(MLIRContext &context, StringRef path, const Arch &arch,
                     StringRef text, KernelTrial &trial) {
  Messages messages(context, text);
  auto file = readWholeKernel(context, path, arch, text);
  if (!file) {
    trial.why = messages.orElse(file.takeError());
    return;
  }
  trial.member = std::make_shared<KernelMember>();
  trial.member->file = std::move(*file);
}

/// A table of the longest waits of the kernel that the module ends with.
static Error countWaits(ModuleOp module, const Problem &problem,
                        KernelMember &member) {
  constexpr int64_t kMaxDepth = 4096;
  constexpr size_t kMaxLines = 8;
  auto subjects = simulate::subjectsOf(module);
  if (failed(subjects) || subjects->empty())
    return Error::success();
  auto trials = simulate::trialsFor(subjects->back());
  if (!trials)
    return trials.takeError();
  simulate::Trial trial = trials->front();
  simulate::Trial deep = trial;
  deep.k = std::min(problem.k, kMaxDepth);
  auto isLaunched = simulate::guardHolds(subjects->back(), deep);
  if (problem.k > 0 && isLaunched && *isLaunched)
    trial = deep;
  if (!isLaunched)
    return isLaunched.takeError();
  simulate::Timeline timeline;
  simulate::SimulateOptions options;
  options.timeline = &timeline;
  auto verdict = simulate::simulate(subjects->back(), trial, options);
  if (!verdict)
    return verdict.takeError();
  member.ticks = timeline.length();
  member.waits =
      formatv("of a run at {0}, of {1} ticks:\n", trial.str(), member.ticks);
  std::vector<simulate::Timeline::Wait> waits = timeline.waits();
  waits.resize(std::min(waits.size(), kMaxLines));
  for (const auto &wait : waits)
    member.waits += formatv("{0}: {1}: {2} waits, {3} ticks, {4:p1} of its "
                            "time\n",
                            wait.role, wait.what, wait.times, wait.ticks,
                            double(wait.ticks) / wait.ofTicks);
  return Error::success();
}

static Error prove(MLIRContext &context, const Arch &arch,
                   const Problem &problem, KernelMember &member) {
  auto program = buildWholeKernel(context, member.file, arch);
  if (!program)
    return program.takeError();
  llvm::raw_null_ostream os;
  auto proven = proveKernels(*program->module, program->references,
                             /*protocolOnly=*/false, os);
  if (!proven)
    return proven.takeError();
  if (*proven != Proven::numbers)
    return llvm::createStringError(
        "expected a kernel that can be proven, but got another");
  // The proof stands without the waits.
  if (Error error = countWaits(*program->module, problem, member))
    llvm::consumeError(std::move(error));
  return Error::success();
}

void hone::proveTrials(llvm::ArrayRef<KernelTrial *> trials, const Arch &arch,
                       const Problem &problem) {
  forEachInThreads(
      trials.size(), std::max(1u, std::thread::hardware_concurrency()),
      [&](MLIRContext &context, size_t at, size_t) {
        KernelTrial &trial = *trials[at];
        Messages messages(context, trial.member->file.kernel.text);
        if (Error error = prove(context, arch, problem, *trial.member))
          trial.why = messages.orElse(std::move(error));
      });
}
