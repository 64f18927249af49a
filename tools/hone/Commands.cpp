//===- Commands.cpp - Subcommands of hone ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of subcommands, each in a file of its name.
//
//===----------------------------------------------------------------------===//

#include "tools/hone/Commands.h"
#include "hone/Command/Command.h"
#include "hone/Command/Options.h"
#include "hone/Workers/Serve.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::ArrayRef;
using llvm::StringRef;

int hone::benchCommand(ArrayRef<StringRef> args) {
  const Command commands[] = {
      {"launch",
       "host time of one launch and the wait for its end, and cuBLASLt's",
       benchLaunch},
      {"gemm", "GPU and wall time of many matmuls, and cuBLASLt's", benchGemm},
      {"summary", "the summary of a file that gemm wrote", benchSummary},
      {"error", "error of products against f64, and cuBLASLt's", benchError},
      {"invariance", "rows whose bits depend on other rows", benchInvariance},
      {"host", "CPU time of matmuls, and OpenBLAS's", benchHost},
  };
  return runOneOf(
      commands, args,
      {"hone bench",
       "Measures; each prints a median and its spread.\n"
       "Example: hone bench summary --csv=test/tools/Inputs/bench.csv",
       ""});
}

/// A process that hone tune starts.
static int workerCommand(ArrayRef<StringRef> args) {
  std::string role, verdicts;
  bool isRehearsal = false;
  OptionList list("hone worker compile|measure",
                  "Compiles or measures for hone tune, which starts it. Its "
                  "protocol is not for users.");
  list.positional("ROLE", role, "compile or measure");
  list.add("rehearsal", isRehearsal, "cause the faults of --rehearse");
  list.add("verdicts", "FILE", verdicts,
           "file of verdicts that a compiler reads and extends");
  return list.run(args, [&]() -> llvm::Expected<int> {
    if (role == "compile")
      return serveCompiler(isRehearsal, verdicts);
    if (role == "measure")
      return serveDevice(isRehearsal);
    return asUsage(llvm::createStringError(llvm::formatv(
        "expected a role, but got '{0}'; use compile or measure", role)));
  });
}

int hone::runTool(ArrayRef<StringRef> args) {
  // The tuner's worker is hidden from users.
  if (!args.empty() && args[0] == "worker")
    return workerCommand(args.drop_front());
  const Command commands[] = {
      {"run", "compile a function, run it with random data, check and time it",
       runCommand},
      {"compile", "write a module as a C header and an object file",
       compileCommand},
      {"explain", "show how each matmul of a module is scheduled, and why",
       explainCommand},
      {"simulate", "prove a module's kernels on the CPU, barriers and numbers",
       simulateCommand},
      {"rewrite",
       "show the changes of rewrites to a kernel, and prove the result",
       rewriteCommand},
      {"check", "check the kernels of a kind against f64 on a GPU",
       checkCommand},
      {"bench", "measure: launch (host time), gemm (GPU time), host (CPU)",
       benchCommand},
      {"tune", "search the fastest schedules, and keep the results",
       tuneCommand},
      {"machine",
       "print the numbers of a machine, or measure this computer's GPU",
       machineCommand},
      {"train", "train a policy on recorded times", trainCommand},
      {"report", "write one page of HTML about databases and tables of bench",
       reportCommand},
      {"corpus", "write products as pairs of GPU and CPU code, all checked",
       corpusCommand},
      {"db", "show and maintain a database of measurements", dbCommand},
  };
  return runOneOf(commands, args,
                  {"hone",
                   "Turns linalg matmuls into tuned kernels, and explains, "
                   "proves and measures them.\n"
                   "Example: hone explain test/examples/readme.mlir "
                   "--arch=h200",
                   " Passes are in hone-opt."});
}
