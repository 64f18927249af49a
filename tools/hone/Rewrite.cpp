//===- Rewrite.cpp - hone rewrite -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rewrites make of a kernel: the lines that differ, what the proof says of
// the result, and what ptxas does.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Llm.h"
#include "Options.h"
#include "Prove.h"
#include "RewriteChat.h"
#include "Route.h"
#include "dialects/Hone/Hone.h"
#include "hone/Assemble/Assemble.h"
#include "hone/Evaluate/WholeKernelFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace hone;
using hone::simulate::Reference;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
struct RewriteOptions {
  std::string file, kernel, arch = "h200", schedule, rewrites, database, output;
  std::string device, rehearse, worker; ///< of the clock, if there is one
  LlmOptions llm;
  int64_t attempts = 4;
  bool whole = false, protocolOnly = false;

  bool isTimed() const { return !device.empty() || !rehearse.empty(); }
};

/// A module with kernels, and what they are to compute.
struct Kernels {
  OwningOpRef<ModuleOp> module;
  std::vector<Reference> references;
  std::vector<std::string> schedules;
};
} // namespace

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// The schedule with the rewrites that are asked for, or with none.
static Expected<Schedule>
withRewrites(Schedule schedule, const RewriteOptions &options, bool rewritten) {
  std::string list = rewritten ? options.rewrites : "[]";
  bool hasAny = !schedule.rewrites().empty();
  if ((rewritten && list.empty()) || (!rewritten && !hasAny))
    return schedule;
  if (!StringRef(list).starts_with("["))
    list = "[" + list + "]";
  if (Error error = schedule.decide(kRewrites, list))
    return std::move(error);
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

/// A program with a kernel of one's own, or with the one that it was built from.
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
  PipelineChoice choice = {options.arch, options.schedule};
  choice.database = options.database;
  if (Error error = runToSelect(**module, choice))
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
// The lines that differ
//===----------------------------------------------------------------------===//

static SmallVector<std::string> linesOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.walk([&](gpu::GPUFuncOp kernel) {
    kernel.print(stream, OpPrintingFlags().useLocalScope());
    stream << "\n";
  });
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  return llvm::map_to_vector(lines, [](StringRef line) { return line.str(); });
}

/// The line without the numbers of values and kernels, which change with every
/// op before them.
static std::string comparable(StringRef line) {
  std::string text;
  while (!line.empty()) {
    char first = line.front();
    if (first != '%' && first != '@') {
      text += first;
      line = line.drop_front();
      continue;
    }
    StringRef name = line.drop_front().take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_'; });
    text += first;
    if (first == '%')
      text += name.rtrim("0123456789").rtrim('_');
    line = line.drop_front(1 + name.size());
  }
  return text;
}

/// Lines with a sign: '-' is gone, '+' is new, and some around them.
static void printDiff(ArrayRef<std::string> before, ArrayRef<std::string> after,
                      bool whole) {
  auto keys = [](ArrayRef<std::string> lines) {
    return llvm::map_to_vector(
        lines, [](const std::string &line) { return comparable(line); });
  };
  SmallVector<std::string> one = keys(before), other = keys(after);
  // How long the longest common rest is, from each pair of lines on.
  std::vector<std::vector<int>> rest(one.size() + 1,
                                     std::vector<int>(other.size() + 1));
  for (size_t i = one.size(); i-- > 0;)
    for (size_t j = other.size(); j-- > 0;)
      rest[i][j] = one[i] == other[j]
                       ? 1 + rest[i + 1][j + 1]
                       : std::max(rest[i + 1][j], rest[i][j + 1]);
  std::vector<std::pair<char, StringRef>> lines;
  for (size_t i = 0, j = 0; i < one.size() || j < other.size();) {
    if (i < one.size() && j < other.size() && one[i] == other[j]) {
      lines.push_back({' ', after[j]});
      ++i, ++j;
    } else if (j == other.size() ||
               (i < one.size() && rest[i + 1][j] >= rest[i][j + 1])) {
      lines.push_back({'-', before[i++]});
    } else {
      lines.push_back({'+', after[j++]});
    }
  }
  constexpr size_t kAround = 3;
  size_t printed = 0;
  for (size_t at = 0; at < lines.size(); ++at) {
    size_t from = at > kAround ? at - kAround : 0;
    size_t to = std::min(lines.size(), at + kAround + 1);
    bool isNear = std::any_of(lines.begin() + from, lines.begin() + to,
                              [](auto &line) { return line.first != ' '; });
    if (!whole && !isNear)
      continue;
    if (printed < at)
      llvm::outs() << "  ...\n";
    printed = at + 1;
    llvm::outs() << lines[at].first << " " << lines[at].second << "\n";
  }
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

/// Both, in a context that outlives them.
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

static Error write(const std::string &path, StringRef text) {
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_Text);
  if (code)
    return llvm::createStringError(formatv(
        "expected a file to write, but got '{0}': {1}", path, code.message()));
  file.os() << text;
  file.keep();
  return Error::success();
}

/// None where nobody asked for times.
static Expected<std::unique_ptr<KernelClock>>
startClock(const RewriteOptions &options, const Arch &arch) {
  if (!options.isTimed())
    return nullptr;
  std::string device = options.device;
  if (device.empty() && !options.rehearse.empty())
    device = "rehearsal:" + arch.chip;
  auto clock = KernelClock::start(device, options.rehearse, options.worker);
  if (clock && (*clock)->arch().chip != arch.chip)
    return llvm::createStringError(
        formatv("expected a device of arch {0}, but got {1}; use --arch={1}",
                arch.chip, (*clock)->arch().chip));
  return clock;
}

/// The kernel of the file, and what a language model made of it.
static Expected<std::pair<Kernels, Kernels>>
buildAnswered(MLIRContext &context, const RewriteOptions &options,
              const Arch &arch) {
  auto before = readWholeKernel(context, options.kernel, arch);
  if (!before)
    return before.takeError();
  auto chat = options.llm.open();
  if (!chat)
    return chat.takeError();
  // Behind who takes the key out of the environment: no worker has it.
  auto clock = startClock(options, arch);
  if (!clock)
    return clock.takeError();
  auto after = askForKernel(context, **chat, options.kernel, arch,
                            options.attempts, clock->get());
  for (const std::string &remark : remarksOf(**chat, /*isOver=*/true))
    llvm::errs() << remark << "\n";
  if (!after)
    return after.takeError();
  if (Error error = write(options.output, after->text))
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
    return llvm::createStringError(
        "expected rewrites, but got a schedule without any; use --rewrites");
  for (const std::string &schedule : after.schedules)
    llvm::outs() << "schedule: " << schedule << "\n";
  printDiff(linesOf(*before.module), linesOf(*after.module), options.whole);
  Expected<Proven> proven =
      proveKernels(*after.module, after.references, options.protocolOnly);
  if (!proven)
    return proven.takeError();
  if (Error error = assemble(after, options))
    return std::move(error);
  return *proven == Proven::no ? kExitFailure : kExitSuccess;
}

/// What contradicts itself, with the cure.
static Error checkOptions(const RewriteOptions &options) {
  if (options.file.empty() == options.kernel.empty())
    return llvm::createStringError(
        formatv("expected FILE or --kernel, but got {0}",
                options.file.empty() ? "neither" : "both"));
  if (!options.kernel.empty() &&
      !(options.schedule + options.rewrites + options.database).empty())
    return llvm::createStringError(
        "expected --kernel without --schedule, --rewrites and --database, but "
        "got one of them; the file says its schedule");
  if (options.llm.isGiven() &&
      (options.kernel.empty() || options.output.empty()))
    return llvm::createStringError(
        "expected --kernel and --output with a language model, but got it "
        "without; it writes a kernel in the place of one that there is");
  if (options.isTimed() && !options.llm.isGiven())
    return llvm::createStringError(
        "expected --device or --rehearse with a language model, but got it "
        "without; hone tune --kernel times a kernel that there is");
  return Error::success();
}

int hone::rewriteCommand(ArrayRef<StringRef> args) {
  RewriteOptions options;
  OptionList list("rewrite FILE|--kernel=FILE [options]",
                  "Shows what rewrites make of the kernels of a module's "
                  "matmuls, or what somebody\nmade of a kernel, and proves the "
                  "result.");
  list.positional("FILE", options.file, "a module; - is standard input",
                  /*isNeeded=*/false);
  list.add("kernel", "FILE", options.kernel,
           "kernel IR that was built and then changed");
  list.add("arch", "NAME", options.arch, "chip or instruction set");
  list.add("schedule", "TEXT", options.schedule,
           "of every matmul; else what a build would take");
  list.add("rewrites", "LIST", options.rewrites,
           "in the place of the schedule's: \"flight(0), prefetch(4)\"");
  list.add("database", "FILE", options.database,
           "database or tuning file that a build would ask");
  list.add("output", "FILE", options.output,
           "for the kernel that a language model wrote");
  list.add("attempts", "N", options.attempts, "that a language model has");
  list.add("device", "N", options.device,
           "a GPU that times what it wrote; else nothing runs");
  list.add("rehearse", "PLAN", options.rehearse,
           "no GPU, times of the cost model: see hone tune");
  list.add("worker", "FILE", options.worker, "the tool hone, if another");
  options.llm.addTo(list);
  list.add("whole", options.whole, "the lines that do not differ, too");
  list.add("protocol-only", options.protocolOnly, "no numbers");
  if (std::optional<int> status = list.parse(args))
    return *status;
  if (Error error = checkOptions(options))
    return reportError(std::move(error), kExitUsage);
  Expected<int> status = rewriteFile(options);
  return status ? *status : reportError(status.takeError());
}
