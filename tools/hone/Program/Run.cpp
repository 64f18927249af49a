//===- Run.cpp - hone run -------------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a check (hone/Check/ProgramCheck.h), and its table.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/ProgramCheck.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/SharedOptions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;

namespace {
struct RunOptions : ProgramCheckOptions {
  bool json = false;
};
} // namespace

static void print(const ProgramCheck &check, const RunOptions &options,
                  const Comparison &normal, const Comparison &zeroOne,
                  const std::optional<CallTimes> &times) {
  const Signature &signature = check.getSignature();
  Table table({"function", "arch", "matmuls", "N(0,1) error", "0/1 exact",
               "wrong", "median", "p10", "p90", "GFLOP/s", "not comparable",
               "device"});
  auto time = [&](double value) {
    return options.json ? formatv("{0:E6}", value).str() : formatTime(value);
  };
  auto wall = [&](double Quantiles::*which) {
    return times ? time(times->wall.*which) : "-";
  };
  std::string gflops = "-", onDevice = "-";
  if (times) {
    double median = times->device ? times->device->median : times->wall.median;
    gflops = formatv("{0:F1}", 2e-9 * signature.macs / median);
  }
  if (times && times->device)
    onDevice = time(times->device->median);
  table.addRow(
      {signature.name, check.getArch().name, std::to_string(signature.matmuls),
       formatv("{0:F3}", normal.worst),
       formatv("{0}/{1}", zeroOne.exact, zeroOne.elements),
       std::to_string(normal.wrong + zeroOne.wrong), wall(&Quantiles::median),
       wall(&Quantiles::p10), wall(&Quantiles::p90), gflops,
       std::to_string(normal.notComparable + zeroOne.notComparable), onDevice});
  table.print(options.json);
}

static void print(const EmulationCounts &counts) {
  llvm::errs() << formatv(
      "stand-in: {0} launches ({1} kernels run from kernel IR, {2} from LLVM "
      "IR, {3} products computed from the problem), {4} copies, {5} waits\n",
      counts.launches, counts.products, counts.rest, counts.computed,
      counts.copies, counts.waits);
}

static llvm::Expected<int> run(const RunOptions &options) {
  ProgramCheck check(options);
  if (llvm::Error error = check.prepare())
    return std::move(error);
  auto normal = check.checkNormal();
  if (!normal)
    return normal.takeError();
  auto zeroOne = check.check(Inputs::zeroOne);
  if (!zeroOne)
    return zeroOne.takeError();
  // The time of a stand-in has no meaning.
  std::optional<CallTimes> times;
  if (!options.standIn) {
    if (llvm::Error error = check.time().moveInto(times))
      return std::move(error);
  }
  print(check, options, *normal, *zeroOne, times);
  if (std::optional<EmulationCounts> counts = check.counts())
    print(*counts);
  for (const Comparison &comparison : {*normal, *zeroOne})
    if (comparison.wrong)
      return llvm::createStringError(comparison.firstWrong);
  if (normal->unanswered.empty())
    return kExitSuccess;
  llvm::errs() << "not checked: " << normal->unanswered << '\n';
  return kExitUnchecked;
}

int hone::runCommand(llvm::ArrayRef<llvm::StringRef> args) {
  RunOptions options;
  options.arch = "host";
  OptionList list("hone run FILE [options]",
                  "Compiles FILE, runs a function of it with random data, "
                  "checks what it computes\nagainst f64, and times it. Errors "
                  "are in units of the tolerance (docs/Tools.md).\n"
                  "Example: hone run test/examples/readme.mlir --arch=host");
  addOptions(list, options);
  list.add("arch", "NAME", options.arch,
           "where to run: host, native, or this machine's GPU by name",
           checkArch);
  list.add("function", "NAME", options.function,
           "the function, where there are several");
  list.add("reference", "FILE", options.reference,
           "compare with the function of the same name of this module");
  list.add("dims", "N,...", options.dims,
           "dynamic dimensions, in order of first appearance", /*smallest=*/0);
  list.add("range", "ARG:LOW:HIGH,...", options.intervals,
           "values of arguments of integers, by number from 0");
  list.add("arguments", "SIDE", options.arguments,
           "where arguments and results are, device or host",
           {"device", "host"});
  list.add("rest", "SIDE", options.rest,
           "where other ops than matmuls run, host or gpu", {"host", "gpu"});
  list.add("stand-in", options.standIn,
           "let this CPU stand in for the GPU: run all of the program here");
  list.add("orders", "N", options.orders,
           "orders of a stand-in's work: late, early, then drawn ones");
  list.add("repeat", "N", options.repeat, "calls to time");
  list.add("seed", "N", options.seed, "seed of the random data");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&] { return run(options); });
}
