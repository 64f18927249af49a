//===- Tune.cpp - hone tune -----------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a command line to problems, workers and a search; shows how it goes,
// prints what was chosen, and writes a module with the winners.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Llm.h"
#include "Options.h"
#include "Route.h"
#include "TuneReport.h"
#include "hone/Evaluate/ProblemChoice.h"
#include "hone/Evaluate/Workers.h"
#include "hone/Plugin/Sources.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Search/Catalogue.h"
#include "hone/Search/ReplayEvaluator.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"
#include <csignal>
#include <map>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
struct TuneOptions {
  ProblemChoice problems;
  SearchOptions search;
  LlmOptions llm;
  std::string arch = "native", device, database, emit, worker, rehearse, replay;
  int64_t seconds = 0, jobs = 0, memory = 12 << 10, patience = 30, rounds = 9;
  bool json = false;
};

/// The policy that asks a language model.
constexpr StringRef kChatPolicy = "chat";

/// The answers of this run, for the module that is written.
class Winners : public ScheduleSource {
public:
  explicit Winners(llvm::ArrayRef<SearchResult> results) {
    for (const SearchResult &result : results)
      if (result.chosen)
        schedules[result.problem.str()] = *result.chosen;
  }
  std::optional<Answer> ask(const Problem &problem, const Arch &) override {
    auto found = schedules.find(problem.str());
    if (found == schedules.end())
      return std::nullopt;
    return Answer{found->second, "hone tune"};
  }

private:
  std::map<std::string, Schedule> schedules;
};

class Tune {
public:
  explicit Tune(TuneOptions options) : options(std::move(options)) {}
  llvm::Expected<int> run();

private:
  Error readInput();
  Error findProblems();
  Error openEvaluator();
  Error checkReplay(const ReplayEvaluator &replay);
  Error openDatabase();
  Error openChat();
  void tellChat(bool isOver);
  Error emit(llvm::ArrayRef<SearchResult> results);
  void note(const std::string &text) { report->note(text); }

  TuneOptions options;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< soon matched, on memrefs
  std::vector<Problem> problems;
  std::unique_ptr<Evaluator> evaluator;
  Workers *workers = nullptr;       ///< the evaluator, where it is that
  ReplayEvaluator *table = nullptr; ///< the evaluator, where it is that
  std::optional<Database> database;
  std::unique_ptr<Chat> chat; ///< a language model, where one is asked
  std::unique_ptr<TuneReport> report;
};
} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// What is wrong with the input is said before any worker starts.
Error Tune::readInput() {
  if (options.problems.file.empty()) {
    auto named = problemsOf(options.problems);
    if (!named)
      return named.takeError();
    problems = std::move(*named);
    return Error::success();
  }
  context = makeContext();
  auto read = readModule(*context, options.problems.file);
  if (!read)
    return read.takeError();
  module = std::move(*read);
  return Error::success();
}

/// Which ops are matmuls depends on the arch: what a build leaves alone is not
/// tuned.
Error Tune::findProblems() {
  if (!module)
    return Error::success();
  if (Error error = runToMatmuls(*module, evaluator->arch().name))
    return error;
  problems = problemsIn(*module, options.problems.dims,
                        [&](const std::string &text) { note(text); });
  if (!problems.empty())
    return Error::success();
  return llvm::createStringError(
      formatv("expected a matmul to tune for {0}, but got none in '{1}'",
              evaluator->arch().name, options.problems.file));
}

/// GPUs by number, or one thing by name; none where nothing is said.
static std::vector<std::string> devicesOf(const TuneOptions &options) {
  std::vector<std::string> devices;
  if (!options.device.empty())
    for (StringRef device : llvm::split(options.device, ','))
      devices.push_back(device.str());
  else if (!options.rehearse.empty() && options.arch != "native")
    devices.push_back("rehearsal:" + options.arch);
  else if (options.arch == "host")
    devices.push_back("host");
  return devices;
}

static llvm::Expected<std::unique_ptr<ReplayEvaluator>>
openReplay(const std::string &path, StringRef archName) {
  auto table = readDenseTable(path);
  if (!table)
    return table.takeError();
  llvm::Expected<Arch> arch =
      Arch::lookup(archName == "native" ? "h200" : archName);
  if (!arch)
    return arch.takeError();
  return std::make_unique<ReplayEvaluator>(std::move(*table), *arch);
}

/// True if any schedule of the catalogue was timed.
static bool knows(const ReplayEvaluator &replay, const Problem &problem) {
  return llvm::any_of(
      catalogue(problem, replay.arch()),
      [&](const Schedule &each) { return replay.has(problem, each); });
}

/// A policy may propose what a table lacks; a problem that it lacks is an error.
Error Tune::checkReplay(const ReplayEvaluator &replay) {
  for (const Problem &problem : problems)
    if (!knows(replay, problem))
      return llvm::createStringError(
          formatv("expected times of '{0}' in '{1}', but got none",
                  problem.str(), options.replay));
  return Error::success();
}

Error Tune::openEvaluator() {
  if (!options.replay.empty()) {
    auto replay = openReplay(options.replay, options.arch);
    if (!replay)
      return replay.takeError();
    options.search.isWithin = (*replay)->within();
    table = replay->get();
    evaluator = std::move(*replay);
    return Error::success();
  }
  auto settings =
      WorkerOptions::make(options.worker, devicesOf(options), options.rehearse);
  if (!settings)
    return settings.takeError();
  settings->jobs = options.jobs;
  settings->patience = double(options.patience);
  settings->memoryBytes = options.memory << 20;
  settings->rounds = options.rounds;
  settings->note = [this](const std::string &text) { note(text); };
  auto started = Workers::start(std::move(*settings));
  if (!started)
    return started.takeError();
  workers = started->get();
  evaluator = std::move(*started);
  return Error::success();
}

static Error checkArch(StringRef wanted, const Arch &have) {
  if (wanted == "native")
    return Error::success();
  llvm::Expected<Arch> arch = Arch::lookup(wanted);
  if (!arch)
    return arch.takeError();
  if (arch->chip == have.chip)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a device of arch {0}, but got {1}; use --arch={1}",
              arch->chip, have.chip));
}

Error Tune::openDatabase() {
  if (options.database.empty())
    return Error::success();
  auto opened = Database::open(options.database, Access::write);
  if (!opened)
    return opened.takeError();
  database = std::move(*opened);
  return Error::success();
}

/// Before workers are started: none of them has the key.
Error Tune::openChat() {
  if (!options.llm.isGiven())
    return Error::success();
  auto opened = options.llm.open();
  if (!opened)
    return opened.takeError();
  chat = std::move(*opened);
  return Error::success();
}

void Tune::tellChat(bool isOver) {
  if (chat)
    for (const std::string &remark : remarksOf(*chat, isOver))
      note(remark);
}

//===----------------------------------------------------------------------===//
// Interruption
//===----------------------------------------------------------------------===//

/// A handler of signals can reach nothing else.
static volatile std::sig_atomic_t stopRequested = 0;

/// The first time it asks; the second time it ends the process.
static void requestStop(int signal) {
  stopRequested = 1;
  std::signal(signal, SIG_DFL);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// The module as a pipeline would go on with it: every matmul has a schedule.
Error Tune::emit(llvm::ArrayRef<SearchResult> results) {
  if (options.emit.empty())
    return Error::success();
  ScheduleSources sources = {std::make_shared<Winners>(results)};
  // What could not be tuned gets what any build would get.
  SourceOptions others;
  others.database = options.database;
  auto opened = openSources(context.get(), others);
  if (mlir::failed(opened))
    return llvm::createStringError("expected to read what was just written");
  llvm::append_range(sources, *opened);
  PipelineOptions pipeline;
  pipeline.arch = evaluator->arch().name;
  Error error = runPasses(*module, [&](mlir::OpPassManager &pm) {
    buildPipeline(
        pm, pipeline, [&](auto &&...) { return sources; },
        PipelinePart::only(PipelineStep::select));
  });
  if (error)
    return error;
  std::error_code code;
  llvm::ToolOutputFile file(options.emit, code, llvm::sys::fs::OF_None);
  if (code)
    return llvm::createStringError(
        formatv("expected a file to write, but got '{0}': {1}", options.emit,
                code.message()));
  module->print(file.os());
  file.os() << "\n";
  file.keep();
  return Error::success();
}

llvm::Expected<int> Tune::run() {
  report = std::make_unique<TuneReport>(options.json);
  if (Error error = readInput())
    return std::move(error);
  if (Error error = openDatabase())
    return std::move(error);
  if (Error error = openChat())
    return std::move(error);
  if (Error error = openEvaluator())
    return std::move(error);
  if (Error error = checkArch(options.arch, evaluator->arch()))
    return std::move(error);
  if (Error error = findProblems())
    return std::move(error);
  if (table)
    if (Error error = checkReplay(*table))
      return std::move(error);
  report->begin(workers ? workers->describe() : "replay of " + options.replay,
                evaluator->arch());
  std::signal(SIGINT, requestStop);
  std::signal(SIGTERM, requestStop);
  SearchHooks hooks;
  hooks.shouldStop = [] { return stopRequested != 0; };
  hooks.watch = [&](const SearchState &state) {
    tellChat(/*isOver=*/false);
    report->show(state);
  };
  hooks.heard = [&](const Record &record) { report->hear(record); };
  hooks.finished = [&](const SearchResult &result) { report->add(result); };
  SearchOptions search = options.search;
  search.seconds = double(options.seconds);
  if (chat)
    options.llm.askIn(search, *chat, problems.size());
  if (search.policy != kChatPolicy) {
    auto maker = policyMaker(search.policy, search.seed, search.isWithin,
                             Model::shipped(), search.makePolicy);
    if (!maker)
      return maker.takeError();
    search.makePolicy = std::move(*maker);
  }
  auto results = Search(*evaluator, database ? &*database : nullptr, search,
                        std::move(hooks))
                     .run(problems);
  tellChat(/*isOver=*/true);
  if (!results)
    return results.takeError();
  if (!stopRequested)
    if (Error error = emit(*results))
      return std::move(error);
  report->end(*results, workers ? &workers->totals() : nullptr);
  if (stopRequested) {
    report->note(options.database.empty()
                     ? "stopped; nothing is kept without --db=FILE"
                     : "stopped; the same command goes on from here");
    return kExitInterrupted;
  }
  return llvm::all_of(*results,
                      [](const SearchResult &each) { return !!each.chosen; })
             ? kExitSuccess
             : kExitFailure;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// What contradicts itself, with the cure.
static Error checkOptions(const TuneOptions &options) {
  const ProblemChoice &problems = options.problems;
  size_t sources = 0;
  for (const std::string *each :
       {&problems.file, &problems.problem, &problems.shape, &problems.shapes,
        &problems.grid})
    sources += !each->empty();
  if (sources != 1)
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
  if (!options.replay.empty() &&
      (!options.device.empty() || !options.rehearse.empty()))
    return llvm::createStringError(
        "expected --replay without --device and --rehearse, but got both");
  const std::string &policy = options.search.policy;
  bool isChat = policy == kChatPolicy;
  if (!isChat && !llvm::is_contained(allPolicyNames(), policy))
    return llvm::createStringError(
        formatv("expected a policy, but got '{0}'; use {1}, {2}", policy,
                llvm::join(allPolicyNames(), ", "), kChatPolicy));
  if (isChat && !options.llm.isGiven())
    return llvm::createStringError(
        "expected a language model for --policy=chat, but got none; use "
        "--llm-url and --llm-model, or --llm-replay");
  if (!isChat && policy != kHybridPolicy && options.llm.isGiven())
    return llvm::createStringError(
        formatv("expected --policy={0} or {1} with a language model, but got "
                "'{2}'",
                kHybridPolicy, kChatPolicy, policy));
  return Error::success();
}

int hone::tuneCommand(llvm::ArrayRef<StringRef> args) {
  TuneOptions options;
  ProblemChoice &problems = options.problems;
  SearchOptions &search = options.search;
  search.policy = kHybridPolicy.str();
  OptionList list("tune FILE|--shape=...|--shapes=...|--grid=... [options]",
                  "Searches the fastest schedule of every matmul, and keeps "
                  "what was learned.");
  list.positional("FILE", problems.file, "a module; its matmuls are tuned",
                  /*isNeeded=*/false);
  list.add("shape", "M,N,K;...", problems.shape, "or M,N,K,LAYOUT,TYPES");
  list.add("shapes", "FILE", problems.shapes, "of these, one a line");
  list.add("grid", "1000", problems.grid, "10 extents, cubed");
  list.add("sample", "START:STEP", problems.sample, "of the grid, from 1");
  list.add("problem", "TEXT", problems.problem, "as hone db prints it");
  list.add("dims", "N,...", problems.dims, "in the place of unknown extents");
  list.add("layouts", "LAYOUT,...", problems.layouts, "of nn, nt, tn, tt");
  list.add("types", "A:C", problems.types, "of the inputs and of the result");
  list.add("db", "FILE", options.database,
           "what is known, and what is learned");
  list.add("policy", "NAME", search.policy,
           "hybrid, learned, model, evolution, ...");
  list.add("trials", "N", search.trials, "candidates a problem");
  list.add("finalists", "N", search.finalists, "in the final");
  list.add("rounds", "N", options.rounds, "turns in the final");
  list.add("seconds", "N", options.seconds, "for all problems together");
  list.add("seed", "N", search.seed, "of what is drawn by chance");
  list.add("arch", "NAME", options.arch,
           "to tune for: this machine's, or host");
  list.add("device", "N,...", options.device, "numbers of GPUs");
  list.add("jobs", "N", options.jobs, "compilers; one for every core");
  list.add("patience", "SECONDS", options.patience, "for who says nothing");
  list.add("memory", "MIB", options.memory, "that a worker may use");
  list.add("worker", "FILE", options.worker, "the tool hone, if another");
  list.add("replay", "FILE", options.replay, "a dense table; no GPU");
  list.add("rehearse", "PLAN", options.rehearse,
           "no device: modelled times, faults: crash:3,hang:5");
  list.add("emit", "FILE", options.emit, "write the module with the winners");
  options.llm.addTo(list);
  list.add("json", options.json, "print JSON");
  if (std::optional<int> usage = list.parse(args))
    return *usage;
  if (Error error = checkOptions(options))
    return reportError(std::move(error), kExitUsage);
  auto status = Tune(std::move(options)).run();
  return status ? *status : reportError(status.takeError());
}
