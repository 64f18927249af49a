//===- Rewrite.cpp - hone rewrite -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of rewrites on a kernel: the lines that differ, and the results of
// the proof and of ptxas.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Assemble/Assemble.h"
#include "hone/Bench/ProblemChoice.h"
#include "hone/Check/Prove.h"
#include "hone/Command/Options.h"
#include "hone/Matmul/KernelDiff.h"
#include "hone/Plugin/Route.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/File.h"
#include "hone/Tuner/Llm.h"
#include "hone/Tuner/RewriteChat.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/SharedOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using hone::simulate::Reference;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
struct RewriteOptions : PipelineChoice {
  std::string kernel, rewrites, output;
  std::string device, rehearse, worker; ///< of the clock, if there is one
  std::string shape, db; ///< timed shape, and database of the results
  LlmOptions llm;
  KernelChatOptions search;
  bool whole = false, protocolOnly = false;

  bool isTimed() const { return !device.empty() || !rehearse.empty(); }
};

/// A module with kernels, and the references for their results.
struct Kernels {
  OwningOpRef<ModuleOp> module;
  std::vector<Reference> references;
  std::vector<std::string> schedules;
};
} // namespace

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// The schedule with the requested rewrites, or with none.
static Expected<Schedule>
withRewrites(Schedule schedule, const RewriteOptions &options, bool rewritten) {
  std::string list = rewritten ? options.rewrites : "[]";
  bool hasAny = !schedule.rewrites().empty();
  if ((rewritten && list.empty()) || (!rewritten && !hasAny))
    return schedule;
  if (!StringRef(list).starts_with("["))
    list = "[" + list + "]";
  if (Error error = schedule.decide(kRewrites, list))
    return asUsage(std::move(error));
  return schedule;
}

/// Builds the kernels of a module whose matmuls have their schedules.
static Expected<Kernels> buildScheduled(OwningOpRef<ModuleOp> module,
                                        bool fallback) {
  Kernels kernels;
  kernels.module = std::move(module);
  kernels.module->walk([&](MatmulOp op) {
    kernels.references.emplace_back(op);
    kernels.schedules.push_back(toString(op.getScheduleAttr().getValue()));
  });
  BuildKernelOptions build;
  build.fallback = fallback;
  Error error = runPasses(*kernels.module, [&](OpPassManager &pm) {
    pm.addPass(createBuildKernel(build));
    pm.addPass(createCanonicalizerPass());
  });
  if (error)
    return std::move(error);
  return kernels;
}

/// A program with a kernel of one's own, or with the kernel that it was built
/// from.
static Expected<Kernels> buildWhole(MLIRContext &context, WholeKernelFile file,
                                    const Arch &arch, bool rewritten) {
  if (!rewritten)
    file.schedule = file.base;
  auto program = programWith(context, file, arch);
  if (!program)
    return program.takeError();
  return buildScheduled(std::move(*program), /*fallback=*/false);
}

static Expected<Kernels> buildKernels(MLIRContext &context,
                                      const RewriteOptions &options,
                                      bool rewritten) {
  auto module = readModule(context, options.file);
  if (!module)
    return module.takeError();
  if (Error error = runToSelect(**module, options))
    return std::move(error);
  SmallVector<MatmulOp> ops;
  (*module)->walk([&](MatmulOp op) { ops.push_back(op); });
  for (MatmulOp op : ops) {
    Expected<Schedule> schedule =
        withRewrites(op.getScheduleAttr().getValue(), options, rewritten);
    if (!schedule)
      return schedule.takeError();
    Arch arch = op.getArchAttr().getValue();
    Problem problem = op.getProblem();
    if (auto broken = check(*schedule, &problem, &arch))
      return llvm::createStringError(*broken);
    op.setScheduleAttr(ScheduleAttr::get(&context, *schedule));
  }
  return buildScheduled(std::move(*module), /*fallback=*/true);
}

//===----------------------------------------------------------------------===//
// Assembler
//===----------------------------------------------------------------------===//

static Error assemble(const Kernels &kernels, const RewriteOptions &options) {
  Expected<Arch> arch = Arch::lookup(options.arch);
  if (!arch)
    return arch.takeError();
  if (Error error = runFromKernel(*kernels.module))
    return error;
  for (const std::string &image : imagesOf(*kernels.module)) {
    Expected<Assembly> assembly = assemblePtx(image, arch->isa);
    if (!assembly) {
      llvm::outs() << "ptxas: not asked: " << toString(assembly.takeError())
                   << "\n";
      continue;
    }
    for (const KernelReport &report : assembly->report.kernels)
      llvm::outs() << formatv(
          "ptxas: {0}: {1} registers, {2} bytes spilled{3}"
          "\n",
          report.name, report.registers, report.spillStores + report.spillLoads,
          report.faults().empty() ? ""
                                  : "; " + llvm::join(report.faults(), "; "));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// Both modules, in a context that outlives them.
static Expected<std::pair<Kernels, Kernels>>
buildBoth(llvm::function_ref<Expected<Kernels>(bool rewritten)> build) {
  auto before = build(/*rewritten=*/false);
  if (!before)
    return before.takeError();
  auto after = build(/*rewritten=*/true);
  if (!after)
    return after.takeError();
  return std::pair(std::move(*before), std::move(*after));
}

/// The problem for the clock: of the kernel's class, with known extents.
static Expected<Problem> problemToTime(const RewriteOptions &options,
                                       const WholeKernelFile &file) {
  std::vector<Problem> problems;
  if (!options.shape.empty()) {
    ProblemChoice choice;
    choice.shape = options.shape;
    choice.layouts = layoutOf(file.problem);
    choice.types = typesOf(file.problem);
    if (Error error = problemsOf(choice).moveInto(problems))
      return asUsage(std::move(error));
  }
  if (Error error = checkProblems(file, problems))
    return std::move(error);
  if (problems.size() != 1)
    return asUsage(llvm::createStringError(
        formatv("expected one shape, but got {0}", problems.size())));
  return problems.front();
}

/// The clock; none if no times were requested.
static Expected<std::unique_ptr<KernelClock>>
startClock(const RewriteOptions &options, const Arch &arch,
           const WholeKernelFile &file) {
  if (!options.isTimed())
    return nullptr;
  auto problem = problemToTime(options, file);
  if (!problem)
    return problem.takeError();
  std::string device = options.device;
  if (device.empty() && !options.rehearse.empty())
    device = "rehearsal:" + arch.name;
  auto clock = KernelClock::start(std::move(*problem), device, options.rehearse,
                                  options.worker);
  if (clock && (*clock)->arch().chip != arch.chip)
    return llvm::createStringError(
        formatv("expected a device of arch {0}, but got {1}; use --arch={1}",
                arch.chip, (*clock)->arch().chip));
  return clock;
}

/// Like `hone tune --kernel`: stores the kernel's text, and the result of a
/// final with it.
static Error keep(KernelClock &clock, const WholeKernelFile &file,
                  const std::string &path) {
  auto chosen = clock.keep(file, path);
  if (!chosen)
    return chosen.takeError();
  llvm::errs() << formatv("{0} has {1}, and chooses {2}\n", path,
                          file.kernel.name, toString(*chosen));
  return Error::success();
}

/// The kernel of the file, and the kernel that a language model wrote from it.
static Expected<std::pair<Kernels, Kernels>>
buildAnswered(MLIRContext &context, const RewriteOptions &options,
              const Arch &arch) {
  auto before = readWholeKernel(context, options.kernel, arch);
  if (!before)
    return before.takeError();
  auto chat = options.llm.open();
  if (!chat)
    return chat.takeError();
  // After the key is taken out of the environment: no worker has it.
  auto clock = startClock(options, arch, *before);
  if (!clock)
    return clock.takeError();
  auto after = askForKernel(context, **chat, options.kernel, arch,
                            options.search, clock->get());
  for (const std::string &remark : remarksOf(**chat, /*isOver=*/true))
    llvm::errs() << remark << "\n";
  if (!after)
    return after.takeError();
  if (Error error = writeFile(options.output, after->text))
    return std::move(error);
  if (!options.db.empty())
    if (Error error = keep(**clock, *after, options.db))
      return std::move(error);
  return buildBoth([&](bool rewritten) {
    return buildWhole(context, rewritten ? *after : *before, arch,
                      /*rewritten=*/true);
  });
}

static Expected<std::pair<Kernels, Kernels>>
buildBoth(MLIRContext &context, const RewriteOptions &options) {
  if (options.kernel.empty())
    return buildBoth([&](bool rewritten) {
      return buildKernels(context, options, rewritten);
    });
  Expected<Arch> arch = Arch::lookup(options.arch);
  if (!arch)
    return arch.takeError();
  if (options.llm.isGiven())
    return buildAnswered(context, options, *arch);
  auto file = readWholeKernel(context, options.kernel, *arch);
  if (!file)
    return file.takeError();
  return buildBoth([&](bool rewritten) {
    return buildWhole(context, *file, *arch, rewritten);
  });
}

static Expected<int> rewriteFile(const RewriteOptions &options) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto both = buildBoth(*context, options);
  if (!both)
    return both.takeError();
  auto &[before, after] = *both;
  if (after.schedules.empty())
    return llvm::createStringError(
        formatv("expected a module with a matmul, but got none in '{0}'",
                options.file));
  if (after.schedules == before.schedules)
    return asUsage(llvm::createStringError(
        "expected rewrites, but got a schedule without any; use --rewrites"));
  for (const std::string &schedule : after.schedules)
    llvm::outs() << "schedule: " << schedule << "\n";
  printKernelDiff(*before.module, *after.module, options.whole);
  Expected<Proven> proven =
      proveKernels(*after.module, after.references, options.protocolOnly);
  if (!proven)
    return proven.takeError();
  if (Error error = assemble(after, options))
    return std::move(error);
  return *proven == Proven::no ? kExitFailure : kExitSuccess;
}

/// Refuses contradictory options, with the remedy.
static Error checkOptions(const RewriteOptions &options) {
  if (options.file.empty() == options.kernel.empty())
    return llvm::createStringError(
        formatv("expected FILE or --kernel, but got {0}",
                options.file.empty() ? "neither" : "both"));
  if (!options.kernel.empty() && !(options.schedule + options.rewrites +
                                   options.database + options.pipeline)
                                      .empty())
    return llvm::createStringError(
        "expected --kernel without --schedule, --rewrites, --database and "
        "--pipeline, but got one of them; the file says its schedule");
  if (Error error = options.llm.check())
    return error;
  if (options.llm.isGiven() &&
      (options.kernel.empty() || options.output.empty()))
    return llvm::createStringError(
        "expected --kernel and --output with a language model, but got it "
        "without; it rewrites an existing kernel");
  if (options.isTimed() && !options.llm.isGiven())
    return llvm::createStringError(
        "expected --device or --rehearse with a language model, but got it "
        "without; use hone tune --kernel to time an existing kernel");
  constexpr int64_t kMaxIslands = 64;
  if (options.search.islands > kMaxIslands)
    return llvm::createStringError(
        formatv("--islands: expected at most {0}, but got {1}", kMaxIslands,
                options.search.islands));
  if (!(options.shape + options.db).empty() && !options.isTimed())
    return llvm::createStringError(
        "expected --shape and --db with --device or --rehearse, but got them "
        "without; nothing is timed");
  return Error::success();
}

int hone::rewriteCommand(ArrayRef<StringRef> args) {
  RewriteOptions options;
  options.arch = "h200";
  OptionList list(
      "hone rewrite FILE|--kernel=FILE [options]",
      "Shows the changes of rewrites to the kernels of a module's matmuls, or "
      "those of\na whole kernel, and proves the result.\n"
      "Example: hone rewrite test/examples/mm.mlir --rewrites='flight(0)'");
  addOptions(list, options, /*isFileNeeded=*/false);
  list.add("kernel", "FILE", options.kernel,
           "kernel IR that was built and then changed");
  list.add("arch", "NAME", options.arch, "chip or instruction set",
           checkGpuArch);
  list.add("rewrites", "LIST", options.rewrites,
           "instead of the schedule's: \"flight(0), prefetch(4)\"");
  list.add("output", "FILE", options.output,
           "where to write the kernel of the language model");
  list.add("rounds", "N", options.search.rounds,
           "maximum number of rounds of the language model");
  list.add("islands", "N", options.search.islands,
           "questions of a round, each about kernels of its own");
  list.add("timed", "N", options.search.timed,
           "maximum number of kernels that are timed");
  list.add("seed", "N", options.search.seed, "of the kernels in questions");
  list.add("device", "N", options.device,
           "GPU that times its answers; without one, no kernel is run");
  list.add("rehearse", "PLAN", options.rehearse,
           "no GPU: times of the cost model, as in hone tune", checkRehearsal);
  list.add("shape", "M,N,K[,LAYOUT]", options.shape,
           "extents to time it with; default: those of the file");
  list.add("db", "FILE", options.db,
           "database that keeps the fastest kernel and its times");
  list.add("worker", "FILE", options.worker,
           "the program hone that runs the workers");
  addOptions(list, options.llm);
  list.add("whole", options.whole, "also print the lines that do not differ");
  list.add("protocol-only", options.protocolOnly, "no numbers");
  return list.run(args, [&]() -> Expected<int> {
    if (Error error = checkOptions(options))
      return asUsage(std::move(error));
    return rewriteFile(options);
  });
}
