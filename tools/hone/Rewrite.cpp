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
#include "Options.h"
#include "Route.h"
#include "dialects/Hone/Hone.h"
#include "hone/Assemble/Assemble.h"
#include "hone/Simulate/Reference.h"
#include "hone/Simulate/Simulate.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
struct RewriteOptions {
  std::string file, arch = "h200", schedule, rewrites, database;
  bool whole = false, protocolOnly = false;
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

static Expected<Kernels> buildKernels(MLIRContext &context,
                                      const RewriteOptions &options,
                                      bool rewritten) {
  Kernels kernels;
  auto module = readModule(context, options.file);
  if (!module)
    return module.takeError();
  kernels.module = std::move(*module);
  PipelineChoice choice = {options.arch, options.schedule};
  choice.database = options.database;
  if (Error error = runToSelect(*kernels.module, choice))
    return std::move(error);
  SmallVector<MatmulOp> ops;
  kernels.module->walk([&](MatmulOp op) { ops.push_back(op); });
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
    kernels.references.emplace_back(op);
    kernels.schedules.push_back(toString(*schedule));
  }
  Error error = runPasses(*kernels.module, [](OpPassManager &pm) {
    pm.addPass(createBuildKernel());
    pm.addPass(createCanonicalizerPass());
  });
  if (error)
    return std::move(error);
  return kernels;
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
// Proof and assembler
//===----------------------------------------------------------------------===//

static const Reference *referenceOf(const Kernels &kernels,
                                    const Subject &subject) {
  for (const Reference &reference : kernels.references)
    if (reference.getProblem() == subject.problem)
      return &reference;
  return nullptr;
}

/// One line a kernel; findings are emitted. False if one is wrong.
static Expected<bool> prove(const Kernels &kernels, bool protocolOnly) {
  FailureOr<std::vector<Subject>> subjects = subjectsOf(*kernels.module);
  if (failed(subjects))
    return llvm::createStringError("expected kernels and their plans, but got "
                                   "none");
  bool allPassed = true;
  for (const Subject &subject : *subjects) {
    SimulateOptions options;
    if (!protocolOnly)
      options.reference = referenceOf(kernels, subject);
    auto proof = simulate::prove(subject, options);
    if (!proof)
      return proof.takeError();
    for (const Finding &finding : proof->findings)
      emit(finding);
    gpu::GPUFuncOp kernel = subject.kernel;
    llvm::outs() << formatv("proof: {0}: {1} at {2} sizes, for every order of "
                            "up to 10^{3:f0}",
                            kernel.getName(), proof->at ? "wrong" : "right",
                            proof->sizes, proof->logOrders);
    if (proof->error)
      llvm::outs() << formatv("; largest error {0:f3} of what is allowed",
                              *proof->error);
    if (!proof->passed() && !proof->at)
      llvm::outs() << "; not proven for others";
    llvm::outs() << "\n";
    allPassed &= proof->passed();
  }
  return allPassed;
}

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

static Expected<int> rewriteFile(const RewriteOptions &options) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto before = buildKernels(*context, options, /*rewritten=*/false);
  if (!before)
    return before.takeError();
  auto after = buildKernels(*context, options, /*rewritten=*/true);
  if (!after)
    return after.takeError();
  if (after->schedules.empty())
    return llvm::createStringError(
        formatv("expected a module with a matmul, but got none in '{0}'",
                options.file));
  if (after->schedules == before->schedules)
    return llvm::createStringError(
        "expected rewrites, but got a schedule without any; use --rewrites");
  for (const std::string &schedule : after->schedules)
    llvm::outs() << "schedule: " << schedule << "\n";
  printDiff(linesOf(*before->module), linesOf(*after->module), options.whole);
  Expected<bool> passed = prove(*after, options.protocolOnly);
  if (!passed)
    return passed.takeError();
  if (Error error = assemble(*after, options))
    return std::move(error);
  return *passed ? kExitSuccess : kExitFailure;
}

int hone::rewriteCommand(ArrayRef<StringRef> args) {
  RewriteOptions options;
  OptionList list("rewrite FILE [options]",
                  "Shows what rewrites make of the kernels of a module's "
                  "matmuls, and proves the result.");
  list.positional("FILE", options.file, "a module; - is standard input");
  list.add("arch", "NAME", options.arch, "chip or instruction set");
  list.add("schedule", "TEXT", options.schedule,
           "of every matmul; else what a build would take");
  list.add("rewrites", "LIST", options.rewrites,
           "in the place of the schedule's: \"flight(0), prefetch(4)\"");
  list.add("database", "FILE", options.database,
           "database or tuning file that a build would ask");
  list.add("whole", options.whole, "the lines that do not differ, too");
  list.add("protocol-only", options.protocolOnly, "no numbers");
  if (std::optional<int> status = list.parse(args))
    return *status;
  Expected<int> status = rewriteFile(options);
  return status ? *status : reportError(status.takeError());
}
