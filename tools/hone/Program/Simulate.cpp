//===- Simulate.cpp - hone simulate ---------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a simulation (hone/Check/Simulation.h), and its results.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/Simulation.h"
#include "hone/Command/Options.h"
#include "passes/Support.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/SharedOptions.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

namespace {
struct SimulateCommand : SimulationOptions {
  bool json = false;
};
} // namespace

static llvm::json::Object toJson(const Finding &finding) {
  llvm::json::Object object{{"kind", toString(finding.fault)},
                            {"text", finding.text},
                            {"op", finding.at.op},
                            {"place", finding.at.str()}};
  if (finding.other)
    object["other"] = llvm::json::Object{{"op", finding.other->op},
                                         {"place", finding.other->str()}};
  return object;
}

static void printJson(ArrayRef<SimulatedRun> runs) {
  llvm::json::Array array;
  for (const SimulatedRun &run : runs) {
    llvm::json::Array findings;
    for (const Finding &finding : run.verdict.findings)
      findings.push_back(toJson(finding));
    llvm::json::Object object{{"kernel", run.kernel},
                              {"sizes", run.sizes},
                              {"passed", run.passed()},
                              {"method", run.method},
                              {"agents", run.verdict.agents},
                              {"events", run.verdict.events},
                              {"work", run.verdict.work},
                              {"log10_orders", run.verdict.logOrders},
                              {"rounds", run.verdict.minRounds},
                              {"seconds", run.verdict.seconds},
                              {"findings", std::move(findings)}};
    if (run.verdict.error)
      object["error"] = *run.verdict.error;
    if (!run.whyNoNumbers.empty())
      object["numbers_not_checked"] = run.whyNoNumbers;
    if (!run.sums.empty())
      object["sums"] = run.sums;
    if (run.exploration) {
      object["states"] = run.exploration->states;
      object["complete"] = run.exploration->complete;
    }
    array.push_back(std::move(object));
  }
  llvm::outs() << formatv("{0:2}\n", llvm::json::Value(std::move(array)));
}

static void printText(ArrayRef<SimulatedRun> runs) {
  for (const SimulatedRun &run : runs) {
    const Verdict &verdict = run.verdict;
    StringRef word = !run.passed()              ? "wrong"
                     : run.whyNoNumbers.empty() ? "right"
                                                : "barriers right";
    llvm::outs() << run.kernel << "\n  " << run.sizes << ": " << word << " ("
                 << run.method << ")";
    if (verdict.agents == 0) {
      llvm::outs() << (run.sums.empty() ? "" : ": ") << run.sums << "\n";
      continue;
    }
    llvm::outs() << "\n  " << verdict.agents << " agents, " << verdict.events
                 << " events";
    if (verdict.passed())
      llvm::outs() << formatv(
          "; stands for every order that the barriers allow, of 10^{0:f0}; "
          "slots filled {1} to {2} times",
          verdict.logOrders, verdict.minRounds, verdict.maxRounds);
    if (run.exploration)
      llvm::outs() << formatv("\n  {0} states, {1}", run.exploration->states,
                              run.exploration->complete ? "all that there are"
                                                        : "more are left");
    if (verdict.error)
      llvm::outs() << formatv("\n  largest error {0:f3} of the tolerance",
                              *verdict.error);
    if (!run.whyNoNumbers.empty())
      llvm::outs() << "\n  numbers not checked: " << run.whyNoNumbers;
    llvm::outs() << "\n";
  }
}

static llvm::Expected<int> simulateFile(const SimulateCommand &options) {
  if (llvm::Expected<Arch> arch = resolveArchName(options.arch); !arch)
    return arch.takeError();
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = readModule(*context, options.file);
  if (!module)
    return module.takeError();
  auto runs = simulateModule(**module, options);
  if (!runs)
    return runs.takeError();
  options.json ? printJson(*runs) : printText(*runs);
  bool passed = true;
  for (const SimulatedRun &run : *runs) {
    passed &= run.passed();
    for (const Finding &finding : run.verdict.findings)
      emit(finding);
    if (run.exploration)
      for (const Finding &finding : run.exploration->findings)
        emit(finding);
  }
  return passed ? kExitSuccess : kExitFailure;
}

int hone::simulateCommand(ArrayRef<StringRef> args) {
  SimulateCommand options;
  OptionList list("hone simulate FILE [options]",
                  "Runs the kernels of FILE on the CPU: says whether their "
                  "barriers are right in\nevery order of events, and whether "
                  "their numbers are.\n"
                  "Example: hone simulate test/examples/mm.mlir "
                  "--schedule='ws, stages = 4'");
  addOptions(list, options);
  list.add("arch", "NAME", options.arch,
           "chip or instruction set to build kernels for, or native",
           checkGpuArch);
  list.add("shape", "MxNxK", options.shape,
           "run these sizes; without it, some that wrap every ring",
           checkSimulatedShape);
  list.add("protocol-only", options.protocolOnly, "no numbers");
  list.add("explore", options.explore,
           "also walk through every order, where there are few");
  list.add("sums", options.sums, "also the order in which products are added");
  list.add("timeline", "FILE", options.timeline,
           "the first run in virtual time, for ui.perfetto.dev");
  list.add("json", options.json, "print JSON");
  for (StringRef arg : args)
    for (StringRef option :
         {"--arch=", "--schedule=", "--database=", "--pipeline="})
      if (options.ofBuild.empty() && arg.starts_with(option))
        options.ofBuild = arg;
  return list.run(args, [&] { return simulateFile(options); });
}
