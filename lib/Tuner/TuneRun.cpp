//===- TuneRun.cpp - Runs of hone tune ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes problems, workers and a search from the options, shows the progress,
// prints the choices, and writes a module with the winners.
//
//===----------------------------------------------------------------------===//

#include "Winners.h"
#include "hone/Bench/Share.h"
#include "hone/Check/Prove.h"
#include "hone/Command/Command.h"
#include "hone/Command/Options.h"
#include "hone/Driver/Pipeline.h"
#include "hone/Plugin/Route.h"
#include "hone/Plugin/Sources.h"
#include "hone/Policy/LearnedPolicy.h"
#include "hone/Policy/TuneDefaults.h"
#include "hone/Report/LiveReport.h"
#include "hone/Search/ReplayEvaluator.h"
#include "hone/Simulate/VerdictFile.h"
#include "hone/Space/Catalogue.h"
#include "hone/Text/File.h"
#include "hone/Tuner/Tune.h"
#include "hone/Tuner/TuneLadders.h"
#include "hone/Tuner/TuneReport.h"
#include "hone/Workers/Workers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
class Tune {
public:
  explicit Tune(TuneRequest options) : options(std::move(options)) {}
  llvm::Expected<int> run();

private:
  Error readInput();
  Error findProblems();
  Error takePart();
  Error takeKernel();
  std::string textOfKernel(StringRef name);
  Error openEvaluator();
  Error checkArch();
  Error checkReplay(const ReplayEvaluator &replay);
  Error openDatabase();
  Error openChat();
  Error makePolicies(SearchOptions &search);
  void tellChat(bool isOver);
  SearchHooks hooksFor(LiveReport &page);
  llvm::Expected<std::vector<SearchResult>> search(LiveReport &page);
  Error emit(llvm::ArrayRef<SearchResult> results);
  void note(const std::string &text) { report->note(text); }

  TuneRequest options;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< soon matched, on memrefs
  std::vector<Problem> problems;
  Ladders ladders{options.between,
                  [this](const std::string &text) { note(text); }};
  std::optional<WholeKernel> kernel; ///< the one that is tried
  std::unique_ptr<Evaluator> evaluator;
  Workers *workers = nullptr;       ///< the evaluator, if it is this
  ReplayEvaluator *table = nullptr; ///< the evaluator, if it is this
  std::optional<Database> database;
  std::optional<Model> ownModel; ///< none: the one that is built in
  std::unique_ptr<Chat> chat;    ///< null without a language model
  std::unique_ptr<TuneReport> report;
};
} // namespace

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Faults of files are reported before any worker starts.
Error Tune::readInput() {
  const std::string &weights = options.weights, &trees = options.trees;
  if (!weights.empty() || !trees.empty())
    if (Error error = Model::readFiles(weights, trees).moveInto(ownModel))
      return error;
  if (options.problems.isNone())
    return Error::success(); // the kernel says it
  if (options.problems.file.empty())
    return problemsOf(options.problems).moveInto(problems);
  context = makeContext();
  return readModule(*context, options.problems.file).moveInto(module);
}

/// Leaves the problems of this worker's part. The values of an unknown extent
/// stay together: a problem is dealt before it is tried at several.
Error Tune::takePart() {
  llvm::Expected<Share> part = Share::parse(options.part);
  if (!part)
    return part.takeError();
  size_t all = problems.size();
  llvm::erase_if(problems,
                 [&](const Problem &one) { return !part->has(one.str()); });
  if (!part->isWhole())
    note(formatv("part {0}: {1} of {2} problems", options.part, problems.size(),
                 all));
  return Error::success();
}

/// The arch decides which ops are matmuls. Ops that a build does not match are
/// not tuned.
Error Tune::findProblems() {
  if (module) {
    PipelineChoice choice;
    choice.arch = evaluator->arch().name;
    choice.pipeline = options.pipeline;
    if (Error error = runToMatmuls(*module, choice))
      return error;
    problems = problemsIn(*module, options.problems.dims,
                          [&](const std::string &text) { note(text); });
    if (problems.empty())
      return llvm::createStringError(
          formatv("expected a matmul to tune for {0}, but got none in '{1}'",
                  evaluator->arch().name, options.problems.file));
  }
  if (Error error =
          withEachNumbers(problems, options.problems).moveInto(problems))
    return error;
  if (Error error = takePart())
    return error;
  problems = ladders.climb(problems);
  return Error::success();
}

/// GPUs by number, or one device by name; none by default.
static std::vector<std::string> devicesOf(const TuneRequest &options) {
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

/// A policy may propose schedules that a table lacks; a problem that it lacks
/// is an error.
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
  if (options.rehearse.empty() && Arch::isFile(options.arch))
    settings->arch = options.arch;
  settings->jobs = options.jobs;
  settings->patience = double(options.patience);
  settings->memoryBytes = options.memory << 20;
  settings->rounds = options.rounds;
  settings->verdicts = simulate::VerdictFile::beside(options.database);
  settings->kernelText = [this](StringRef name) { return textOfKernel(name); };
  settings->note = [this](const std::string &text) { note(text); };
  auto started = Workers::start(std::move(*settings));
  if (!started)
    return started.takeError();
  workers = started->get();
  evaluator = std::move(*started);
  return Error::success();
}

Error Tune::checkArch() {
  if (options.arch == "native")
    return Error::success();
  llvm::Expected<Arch> arch = Arch::lookup(options.arch);
  if (!arch)
    return arch.takeError();
  const Arch &have = evaluator->arch();
  if (arch->chip == have.chip)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a device of arch {0}, but got {1}; use --arch={2}",
              arch->chip, have.chip, have.isHost() ? "host" : have.chip));
}

Error Tune::openDatabase() {
  if (options.database.empty())
    return Error::success();
  return Database::open(options.database, Access::write).moveInto(database);
}

/// Opens the chat before workers are started, so that none of them has the key.
Error Tune::openChat() {
  if (!options.llm.isGiven())
    return Error::success();
  return options.llm.open().moveInto(chat);
}

/// The machine decides the policy, and whether a language model is used at all.
Error Tune::makePolicies(SearchOptions &search) {
  const Arch &arch = evaluator->arch();
  const Model &model = ownModel ? *ownModel : Model::shipped();
  PolicyChoice choice = policyFor(search.policy, arch, model);
  if (chat && search.policy != kChatPolicy && !choice.hasAdviser())
    return llvm::createStringError(
        formatv("expected a policy that asks a language model, but on {0} "
                "'{1}' is '{2}', which asks none; use --policy={3}, or leave "
                "out --llm-url and --llm-replay",
                recordArch(arch), search.policy, choice.name, kChatPolicy));
  if (chat)
    options.llm.askIn(search, *chat, problems.size());
  bool isMeasured = options.rehearse.empty() && !table;
  auto remark = completeSearch(search, arch, isMeasured, choiceOfBuild, &model);
  if (remark && !remark->empty())
    note(*remark);
  return remark.takeError();
}

void Tune::tellChat(bool isOver) {
  if (chat)
    for (const std::string &remark : remarksOf(*chat, isOver))
      note(remark);
}

//===----------------------------------------------------------------------===//
// A kernel of one's own
//===----------------------------------------------------------------------===//

std::string Tune::textOfKernel(StringRef name) {
  if (kernel && kernel->name == name)
    return kernel->text;
  if (!database)
    return "";
  llvm::Expected<std::optional<std::string>> text = database->kernel(name);
  if (text)
    return text->value_or("");
  note(llvm::toString(text.takeError()));
  return "";
}

Error Tune::takeKernel() {
  if (options.kernel.empty())
    return Error::success();
  if (!context)
    context = makeContext();
  auto file =
      readKernelToTune(*context, options.kernel, evaluator->arch(), problems);
  if (!file)
    return file.takeError();
  kernel = file->kernel;
  note(formatv("{0} is {1}", options.kernel, kernel->name));
  options.search.wanted = [tried = std::vector{file->base, file->schedule}](
                              const Problem &) { return tried; };
  return database ? database->add({}, *kernel) : Error::success();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Emits the module in the state of a pipeline after selection: every matmul
/// has a schedule.
Error Tune::emit(llvm::ArrayRef<SearchResult> results) {
  if (options.emit.empty())
    return Error::success();
  ScheduleSources sources = {std::make_shared<Winners>(
      results, [this](StringRef name) { return textOfKernel(name); })};
  // A matmul that could not be tuned gets the schedule of any build.
  SourceOptions others;
  others.database = options.database;
  auto opened = openSources(context.get(), others);
  if (mlir::failed(opened))
    return llvm::createStringError(
        "cannot read the database that the search has written");
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
  std::string text;
  llvm::raw_string_ostream(text) << *module << "\n";
  return writeFile(options.emit, text);
}

/// Progress, results and the page of the report, as they come.
SearchHooks Tune::hooksFor(LiveReport &page) {
  SearchHooks hooks;
  hooks.shouldStop = isInterrupted;
  hooks.watch = [&](const SearchState &state) {
    tellChat(/*isOver=*/false);
    report->show(state);
  };
  hooks.received = [&](const Record &record) { report->receive(record); };
  hooks.finished = [&](const SearchResult &result) {
    report->add(result);
    if (options.report.empty())
      return;
    if (Error error = page.update())
      note("no report: " + llvm::toString(std::move(error)));
  };
  return hooks;
}

llvm::Expected<std::vector<SearchResult>> Tune::search(LiveReport &page) {
  SearchHooks hooks = hooksFor(page);
  SearchOptions search = options.search;
  search.seconds = double(options.seconds);
  // A language model is called by one thread.
  search.policyThreads = workers && !chat ? workers->policyThreads() : 0;
  if (Error error = makePolicies(search))
    return std::move(error);
  TimeLimit limit(search.seconds);
  auto results =
      Search(*evaluator, database ? &*database : nullptr, search, hooks)
          .run(problems);
  if (results && database)
    if (Error error = ladders.refine(*evaluator, *database, options.database,
                                     search, limit, hooks, *results))
      return std::move(error);
  tellChat(/*isOver=*/true);
  return results;
}

llvm::Expected<int> Tune::run() {
  report = std::make_unique<TuneReport>(options.json);
  for (const std::string &path : {options.emit, options.report})
    if (!path.empty())
      if (Error error = requireWritable(path))
        return std::move(error);
  for (auto step : {&Tune::readInput, &Tune::openDatabase, &Tune::openChat,
                    &Tune::openEvaluator, &Tune::checkArch, &Tune::findProblems,
                    &Tune::takeKernel})
    if (Error error = (this->*step)())
      return std::move(error);
  if (table)
    if (Error error = checkReplay(*table))
      return std::move(error);
  report->begin(workers ? workers->describe() : "replay of " + options.replay,
                evaluator->arch());
  heedInterrupts();
  LiveReport page(options.report, options.database);
  auto results = search(page);
  if (!results)
    return results.takeError();
  if (chat && chat->cost().calls)
    note(shareOf(*chat, *results));
  if (!isInterrupted())
    if (Error error = emit(*results))
      return std::move(error);
  // Without a record there is no page.
  if (!options.report.empty() && !results->empty())
    if (Error error = page.finish())
      return std::move(error);
  report->end(*results, workers ? &workers->totals() : nullptr);
  if (isInterrupted()) {
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

llvm::Expected<int> hone::runTune(TuneRequest options) {
  std::string path = options.database;
  bool isNew = !path.empty() && !llvm::sys::fs::exists(path);
  auto status = Tune(std::move(options)).run();
  if (!status && isNew)
    removeIfEmpty(path);
  return status;
}
