//===- Check.cpp - hone check ---------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a kind's kernels with f64, on the GPU of this machine. CheckPlan.h has
// the kernels, CheckCases.h the inputs, CheckRunner.h the comparison.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckPlan.h"
#include "hone/Command/Options.h"
#include "hone/Schedule/Spelling.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

static size_t printFailures(llvm::ArrayRef<CheckGroup> groups) {
  constexpr size_t kMax = 20;
  size_t count = 0;
  for (const CheckGroup &group : groups)
    for (const CheckCase &one : group.cases) {
      if (one.failure.empty() || count++ >= kMax)
        continue;
      llvm::errs() << formatv("failed: {0} {1}, {2}, {3}, {4}: {5}\n",
                              nameOfTypes(one), layoutOf(one.problem),
                              group.variantOf(one), one.shape.str(),
                              toString(one.schedule), one.failure);
    }
  if (count > kMax)
    llvm::errs() << formatv("and {0} more failures\n", count - kMax);
  return count;
}

static llvm::Error runAll(Device &device, CheckRunner &runner,
                          std::vector<CheckGroup> &groups) {
  Progress progress(groups.size());
  for (CheckGroup &group : groups) {
    progress.step(nameOfTypes(group.cases.front()) + ", " +
                  group.cases.front().shape.str());
    group.run(runner);
    if (device.isLost())
      return llvm::createStringError(formatv(
          "GPU fault in {0}, {1}: {2}; later cases did not run",
          nameOfTypes(group.cases.front()), group.cases.front().shape.str(),
          group.cases.front().failure));
  }
  return llvm::Error::success();
}

static void print(const CheckOptions &options, bool comparesBits,
                  llvm::ArrayRef<CheckGroup> groups) {
  if (!comparesBits)
    return summaryOf(groups).print(options.json);
  if (options.json) {
    llvm::json::Value all =
        llvm::json::Object{{"kernels", summaryOf(groups).toJson()},
                           {"repeats", repeatsOf(groups).toJson()}};
    llvm::outs() << formatv("{0:2}\n", all);
    return;
  }
  summaryOf(groups).print(llvm::outs());
  llvm::outs() << "\n";
  repeatsOf(groups).print(llvm::outs());
}

static llvm::Expected<int> checkFamily(const CheckOptions &options,
                                       CheckPlan plan) {
  llvm::Expected<std::unique_ptr<Device>> device = Device::open();
  if (!device)
    return device.takeError();
  if (options.arch == "native") {
    llvm::Expected<Arch> arch = resolveArchName(options.arch);
    if (!arch)
      return arch.takeError();
    if (llvm::Error error = setArch(options, *arch, plan))
      return std::move(error);
  }
  auto runner = CheckRunner::create(
      **device, *std::max_element(plan.extents.begin(), plan.extents.end()),
      plan.repeats);
  if (!runner)
    return runner.takeError();
  if (llvm::Error error = (*runner)->checkReference())
    return std::move(error);

  std::vector<CheckGroup> groups = makeGroups(plan);
  CheckKernels kernels;
  if (llvm::Error error =
          kernels.compile(groups, plan, (*device)->getDriverVersion()))
    return std::move(error);
  llvm::Error stopped = runAll(**device, **runner, groups);

  print(options, plan.comparesBits(), groups);
  if (!options.csv.empty())
    if (llvm::Error error = allCases(groups).writeCsv(options.csv))
      stopped = llvm::joinErrors(std::move(stopped), std::move(error));
  size_t failures = printFailures(groups);
  if (stopped)
    return std::move(stopped);
  llvm::outs() << formatv("{0}: {1} failures on {2}\n",
                          failures ? "wrong" : "right", failures,
                          (*device)->getName());
  return failures ? kExitFailure : kExitSuccess;
}

int hone::checkCommand(llvm::ArrayRef<StringRef> args) {
  CheckOptions options;
  OptionList list(
      "hone check [options]",
      "Checks the kernels of a kind on this machine's GPU "
      "against f64: alone, in a burst\nand in a chain, with N(0,1) "
      "and 0/1 data, guard bands around every buffer.\n"
      "Example: hone check --kind=ws --types=f16:f32 --shapes=1,129,1000");
  list.add("kind", "NAME", options.kind, "the kind of schedule, or all");
  list.add("arch", "NAME", options.arch, "the machine to compile for",
           checkArch);
  list.add("shapes", "N,...", options.shapes,
           "extents that M, N and K take, or awkward");
  list.add("types", "A:C,...", options.types, "e.g. f16:f32");
  list.add("layouts", "LAYOUT,...", options.layouts, "of nn, nt, tn, tt");
  list.add("schedules", "TEXT;...", options.schedules,
           "default, all (a grid), drawn:N, or schedules");
  list.add("numbers", "NAME", options.numbers,
           "of problems; invariant: compare schedules, too",
           [](StringRef text) { return Numbers::parse(text).takeError(); });
  list.add("kernel", "FILE", options.kernel,
           "kernel IR of one launch, to check instead");
  list.add("repeat", "N", options.repeat,
           "more launches of each case, compared bit for bit");
  list.add("csv", "FILE", options.csv, "write every case there");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&]() -> llvm::Expected<int> {
    llvm::Expected<CheckPlan> plan = readCheckPlan(options);
    if (!plan)
      return asUsage(plan.takeError());
    return checkFamily(options, *plan);
  });
}
