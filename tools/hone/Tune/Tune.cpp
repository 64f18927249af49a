//===- Tune.cpp - hone tune -----------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a search.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/Tune.h"
#include "hone/Command/Command.h"
#include "hone/Command/Options.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Policy/TuneDefaults.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/SharedOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

/// Options that contradict each other, or lack another, with the remedy.
static Error checkTuneProblems(const TuneRequest &options) {
  const ProblemChoice &problems = options.problems;
  size_t sources = 0;
  for (const std::string *each :
       {&problems.file, &problems.problem, &problems.shape, &problems.shapes,
        &problems.grid})
    sources += !each->empty();
  // A kernel's file has its problem.
  if (sources != 1 && (sources != 0 || options.kernel.empty()))
    return llvm::createStringError(formatv(
        "expected one of FILE, --problem, --shape, --shapes and --grid, but "
        "got {0}",
        sources == 0 ? "none" : std::to_string(sources)));
  if (!problems.sample.empty() && problems.grid.empty())
    return llvm::createStringError(
        "expected --grid with --sample, but got none; use --grid=1000");
  if (!options.emit.empty() && problems.file.empty())
    return llvm::createStringError(
        "expected a module to write with --emit, but got none; use FILE");
  if (!options.emit.empty() && !problems.numbers.empty())
    return llvm::createStringError(
        "expected --emit without --numbers, but got both; use "
        "--pipeline='numbers=invariant'");
  if (!options.report.empty() && options.database.empty())
    return llvm::createStringError(
        "expected a database with --report, but got none; use --db=FILE");
  if (!options.pipeline.empty() && problems.file.empty())
    return llvm::createStringError(
        "expected a module with --pipeline, but got none; use FILE, or --types "
        "for problems that are listed");
  return Error::success();
}

static Error checkTuneDevices(const TuneRequest &options) {
  if (!options.replay.empty() && !options.kernel.empty())
    return llvm::createStringError(
        "expected --replay without --kernel, but got both; a recorded table "
        "has no time of a new kernel");
  if (!options.replay.empty() &&
      (!options.device.empty() || !options.rehearse.empty()))
    return llvm::createStringError(
        "expected --replay without --device and --rehearse, but got both");
  if (!options.rehearse.empty() && options.device.empty() &&
      options.arch == "host")
    return llvm::createStringError(
        "expected the arch of a GPU with --rehearse, but got 'host'; use "
        "--device=host to measure this CPU with the faults of a rehearsal");
  return Error::success();
}

static Error checkTunePolicy(const TuneRequest &options) {
  const std::string &policy = options.search.policy;
  bool isChat = policy == kChatPolicy;
  std::vector<StringRef> names = allPolicyNames();
  names.push_back(kChatPolicy);
  if (!llvm::is_contained(names, policy))
    return unknownPolicy(policy, names);
  // Some policies need weights that are not built in.
  if (!isChat)
    if (auto maker = policyMaker(policy, options.search.seed); !maker)
      return maker.takeError();
  if (isChat && !options.llm.isGiven())
    return llvm::createStringError(
        "expected a language model for --policy=chat, but got none; use "
        "--llm-url and --llm-model, or --llm-replay");
  if (Error error = options.llm.check())
    return error;
  if (!isChat && policy != kHybridPolicy && options.llm.isGiven())
    return llvm::createStringError(
        formatv("expected --policy={0} or {1} with a language model, but got "
                "'{2}'",
                kHybridPolicy, kChatPolicy, policy));
  if (!isLearnedPolicy(policy) &&
      !(options.weights.empty() && options.trees.empty()))
    return llvm::createStringError(
        formatv("expected --policy=hybrid, learned or writer with --weights "
                "and --trees, but got '{0}'",
                policy));
  return Error::success();
}

static Error checkOptions(const TuneRequest &options) {
  for (auto *check : {checkTuneProblems, checkTuneDevices, checkTunePolicy})
    if (Error error = check(options))
      return error;
  return Error::success();
}

static void addTuneProblems(OptionList &list, TuneRequest &options) {
  ProblemChoice &problems = options.problems;
  list.positional("FILE", problems.file, "a module; its matmuls are tuned",
                  /*isNeeded=*/false);
  list.add("shape", "M,N,K;...", problems.shape,
           "problems, also M,N,K,LAYOUT,TYPES");
  list.add("shapes", "FILE", problems.shapes,
           "a file of such problems, one on each line");
  list.add("grid", "1000", problems.grid, "every M, N and K of ten extents");
  list.add("sample", "START:STEP", problems.sample,
           "every STEPth problem of the grid, from number START");
  list.add("problem", "TEXT", problems.problem,
           "one problem, as hone db prints it");
  list.add("dims", "N,...", problems.dims, "values of unknown extents");
  list.add("layouts", "LAYOUT,...", problems.layouts, "of nn, nt, tn, tt");
  list.add("pipeline", "TEXT", options.pipeline,
           "options of hone-pipeline for FILE, e.g. 'f32=tf32x3'",
           checkPipeline);
  list.add("types", "A:C", problems.types, "of the inputs and of the result");
  list.add("numbers", "NAME,...", problems.numbers,
           "numbers of the problems, e.g. invariant,invariant:4",
           checkNumbersList);
  list.add("part", "I/N", options.part, "problems of one of N workers",
           checkPart);
}

static void addTuneSearch(OptionList &list, TuneRequest &options) {
  SearchOptions &search = options.search;
  list.add("db", "FILE", options.database,
           "the database of results, read and extended");
  list.add("policy", "NAME", search.policy,
           "hybrid, learned, model, evolution, ...");
  list.add("weights", "FILE", options.weights,
           "weights of hone train; default: built in");
  list.add("trees", "FILE", options.trees,
           "trees of hone train, in addition to the weights");
  list.add("kernel", "FILE", options.kernel,
           "kernel IR to try in addition to schedules");
  list.add("trials", "N", search.trials,
           "number of candidates for each problem");
  list.add("rewrites", "N", search.rewrites,
           "trials of rewrites; -1: a third of --trials if learned",
           /*min=*/-1);
  list.add("enough", "N", search.enough,
           "end after N trials that gain less than 1 % together; 0: never",
           /*min=*/0);
  list.add("between", "N", options.between,
           "additional values of an unknown extent, where needed",
           /*min=*/0);
  list.add("finalists", "N", search.finalists, "places in the final");
  list.add("rounds", "N", options.rounds, "turns in the final");
  list.add("seconds", "N", options.seconds,
           "time limit for all problems together");
  list.add("seed", "N", search.seed, "seed of random choices");
}

static void addTuneWorkers(OptionList &list, TuneRequest &options) {
  list.add("arch", "NAME", options.arch,
           "machine to tune for: this machine's GPU, or host", checkArch);
  list.add("device", "N,...", options.device,
           "numbers of GPUs; 0/64 is a part of one", checkDevices);
  list.add("jobs", "N", options.jobs,
           "number of compilers; one for each core by default");
  list.add("patience", "SECONDS", options.patience,
           "before a silent worker is killed");
  list.add("memory", "MIB", options.memory, "memory that each worker may use");
  list.add("worker", "FILE", options.worker,
           "the program hone that runs the workers");
  list.add("replay", "FILE", options.replay,
           "take times from this dense table, without a GPU");
  list.add("rehearse", "PLAN", options.rehearse,
           "no device: modelled times (smooth), faults (crash:3,hang:5)",
           checkRehearsal);
}

int hone::tuneCommand(llvm::ArrayRef<StringRef> args) {
  exitOnInterrupt();
  TuneRequest options;
  options.search = tuneDefaults();
  OptionList list(
      "hone tune FILE|--shape=...|--shapes=...|--grid=... [options]",
      "Searches the fastest schedule of every matmul, and keeps the results.\n"
      "Example: hone tune test/examples/readme.mlir --db=tuned.db");
  addTuneProblems(list, options);
  addTuneSearch(list, options);
  addTuneWorkers(list, options);
  list.add("emit", "FILE", options.emit, "write the module with the winners");
  list.add("report", "FILE", options.report,
           "a page of HTML about the database, written as results come");
  addOptions(list, options.llm);
  list.add("json", options.json, "print JSON");
  return list.run(args, [&]() -> llvm::Expected<int> {
    if (Error error = checkOptions(options))
      return asUsage(std::move(error));
    const ProblemChoice &problems = options.problems;
    if (problems.file.empty() && problems.shapes.empty() && !problems.isNone())
      if (Error error = problemsOf(problems).takeError())
        return asUsage(std::move(error));
    return runTune(std::move(options));
  });
}
