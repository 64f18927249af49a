//===- Machine.cpp - hone machine -----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a machine as its file: one of the table, or the GPU of this computer,
// which it measures.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Options.h"
#include "hone/Measure/MeasureMachine.h"
#include "hone/Schedule/MachineFile.h"
#include "hone/Text/File.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct MachineOptions {
  std::string arch = "native", output;
  int64_t device = 0;
  bool json = false, list = false;
};
} // namespace

static Expected<Arch> machineOf(const MachineOptions &options) {
  if (options.arch != "native")
    return Arch::lookup(options.arch);
  auto device = Device::open(options.device);
  if (!device)
    return device.takeError();
  return measureMachine(**device);
}

static Expected<int> printMachineOf(const MachineOptions &options) {
  if (options.json && !options.output.empty())
    return asUsage(llvm::createStringError(
        "expected --json or --output, but got both; a file is text"));
  if (!options.output.empty())
    if (Error error = requireWritable(options.output))
      return std::move(error);
  Expected<Arch> arch = machineOf(options);
  if (!arch)
    return arch.takeError();
  if (options.json)
    llvm::outs() << formatv("{0:2}\n", llvm::json::Value(machineToJson(*arch)));
  else if (options.output.empty())
    llvm::outs() << printMachine(*arch);
  else if (Error error = writeFile(options.output, printMachine(*arch)))
    return std::move(error);
  return kExitSuccess;
}

/// Prints every name of an arch and its instruction set.
static void listArchs() {
  for (StringRef name : Arch::names()) {
    Arch arch = llvm::cantFail(Arch::lookup(name));
    llvm::outs() << formatv("{0,-12}{1}\n", name,
                            arch.isHost() ? "this CPU" : arch.isa);
  }
}

static Error checkMachine(StringRef text) {
  if (text == "host")
    return llvm::createStringError(
        "expected a GPU, but got 'host'; a CPU has no machine file");
  return checkArch(text);
}

/// `--arch` takes only such a file.
static Error checkMachinePath(StringRef text) {
  return text.empty() || text.ends_with(".machine")
             ? Error::success()
             : llvm::createStringError("expected a file that ends in "
                                       "'.machine', but got '" +
                                       text + "'");
}

int hone::machineCommand(llvm::ArrayRef<StringRef> args) {
  MachineOptions options;
  OptionList list("hone machine [options]",
                  "Prints the numbers of a machine as a file for --arch. Of "
                  "native, the GPU of this\ncomputer, it measures them in some "
                  "ten seconds; nothing else should run there.\n"
                  "Example: hone machine --arch=h200 -o half.machine");
  list.add("arch", "NAME", options.arch,
           "chip, instruction set or machine file, or native", checkMachine);
  list.add("device", "N", options.device, "number of the GPU that is measured",
           /*min=*/0);
  list.add("output", "FILE", options.output, "write to FILE, NAME.machine",
           checkMachinePath);
  list.abbreviate('o', "output");
  list.add("json", options.json, "print JSON instead of a machine file");
  list.add("list", options.list,
           "list the names that --arch takes, and nothing else");
  return list.run(args, [&]() -> Expected<int> {
    if (options.list) {
      listArchs();
      return kExitSuccess;
    }
    if (options.json && !options.output.empty())
      return reportError(
          llvm::createStringError(
              "expected --json or --output, but got both; a file is text"),
          kExitUsage);
    return printMachineOf(options);
  });
}
